#' Rcrawler: the text that XPath patterns select, scripts removed (Khalil and Fakir 2017).
#'
#' Khalil and Fakir (2017), "RCrawler: An R package for parallel web crawling and scraping",
#' https://doi.org/10.1016/j.softx.2017.04.004. The page goes in as raw bytes, because
#' ContentScraper() takes a string without "<" for a path or an address. It has no way of asking
#' libxml2 for HUGE: pages nested deeper than 256 are errors.
#'
#' @name rcrawler
#' @requires Rcrawler>=0.1.9
#' @accepts str
#' @variant body xpath = "//body", many = FALSE
#' @variant paragraphs xpath = "//body//p", many = TRUE
#' @homepage https://github.com/salimk/Rcrawler
#' @settings_source https://github.com/salimk/Rcrawler#how-to-use-rcrawler-
#' @licence GPL-2.0-or-later
#' @parser libxml2
#' @cran Rcrawler
#' @debian r-cran-httr r-cran-xml2 r-cran-data.table r-cran-foreach r-cran-doparallel
#' @debian r-cran-selectr r-cran-callr r-cran-jsonlite r-cran-base64enc r-cran-curl
#' @debian r-cran-crayon r-cran-png r-cran-r6 r-cran-withr

pattern <- NULL
many_per_pattern <- NULL

load <- function(xpath, many) {
  loadNamespace("Rcrawler")
  pattern <<- xpath
  many_per_pattern <<- many
}

extract <- function(html, url) {
  Rcrawler::ContentScraper(
    HTmlText = charToRaw(html),
    XpathPatterns = pattern,
    ManyPerPattern = many_per_pattern,
    encod = "UTF-8"
  )[[1]]
}
