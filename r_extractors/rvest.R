#' rvest: all text below <body>; it has no notion of main text, but is how R scrapes (Wickham).
#'
#' html_text() gives the text nodes as they stand, html_text2() lays them out the way a browser
#' would, which is quadratic in the number of paragraphs. The page goes in as raw bytes, because
#' read_html() takes a string without "<" for a path or an address; without HUGE libxml2 gives up
#' at a depth of 256 and cuts texts at 10 MB.
#'
#' @name rvest
#' @requires rvest>=1.0, xml2
#' @accepts str
#' @variant text reader = "html_text"
#' @variant text2 reader = "html_text2"
#' @homepage https://rvest.tidyverse.org/
#' @settings_source https://rvest.tidyverse.org/reference/html_text.html
#' @licence MIT
#' @parser libxml2
#' @debian r-cran-rvest

reader_of_text <- NULL

load <- function(reader) {
  reader_of_text <<- getExportedValue("rvest", reader)
}

extract <- function(html, url) {
  page <- rvest::read_html(
    charToRaw(html),
    encoding = "UTF-8",
    options = c("RECOVER", "NOERROR", "NOBLANKS", "HUGE")
  )
  reader_of_text(rvest::html_elements(page, xpath = "//body"))
}
