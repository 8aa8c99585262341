#' htm2txt: strips tags, scripts and styles with regular expressions (Park 2022).
#'
#' @name htm2txt
#' @requires htm2txt>=2.2
#' @accepts str
#' @homepage https://github.com/replicable/htm2txt
#' @settings_source https://github.com/replicable/htm2txt
#' @licence GPL-2.0-or-later
#' @parser regular expressions
#' @cran htm2txt

load <- function() {
  loadNamespace("htm2txt")
}

extract <- function(html, url) {
  htm2txt::htm2txt(html)
}
