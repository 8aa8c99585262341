#' XML: all text nodes below <body>, which is what the package scrapeR does (Temple Lang).
#'
#' The package cannot ask libxml2 for HUGE where it parses HTML; what libxml2 then gives up on
#' (depth over 256, texts over 10 MB) is an error here, where it silently was an empty or cut text.
#'
#' @name r_xml
#' @requires XML>=3.99
#' @accepts str
#' @variant all hidden = TRUE
#' @variant visible hidden = FALSE
#' @homepage https://www.omegahat.net/RSXML/
#' @settings_source https://github.com/cran/scrapeR
#' @licence BSD-3-Clause
#' @parser libxml2
#' @debian r-cran-xml

FATAL <- 3L
OUT_OF_BOUNDS <- 1:2

text_nodes <- NULL
trouble <- NULL

load <- function(hidden) {
  loadNamespace("XML")
  text_nodes <<- if (hidden) {
    "//body//text()"
  } else {
    "//body//text()[not(ancestor::script or ancestor::style or ancestor::noscript)]"
  }
}

give_up <- function(msg, code, domain, line, col, level, filename, ...) {
  if (length(level) && (level >= FATAL || code %in% OUT_OF_BOUNDS)) trouble <<- msg
}

extract <- function(html, url) {
  trouble <<- NULL
  page <- XML::htmlTreeParse(
    html,
    asText = TRUE, useInternalNodes = TRUE, encoding = "UTF-8", error = give_up
  )
  on.exit(XML::free(page))
  if (!is.null(trouble)) stop("libxml2: ", trouble)
  paste(XML::xpathSApply(page, text_nodes, XML::xmlValue), collapse = "\n")
}
