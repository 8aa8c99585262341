#' boilerpipeR: Boilerpipe's shallow text features, from R (Kohlschütter et al. 2010).
#'
#' Kohlschütter, Fankhauser and Nejdl (2010), "Boilerplate Detection using Shallow Text Features",
#' https://doi.org/10.1145/1718487.1718542. The package wraps the Java library and brings its own
#' HTML parser, NekoHTML 1.9.13, which gets numeric references beyond U+FFFF wrong (&#128512;);
#' boilerpipe_java has a newer one.
#'
#' @name boilerpiper
#' @family boilerpipe
#' @requires boilerpipeR>=1.3, rJava
#' @accepts str
#' @variant default extractor = "ArticleExtractor"
#' @variant default-extractor extractor = "DefaultExtractor"
#' @variant article-sentences extractor = "ArticleSentencesExtractor"
#' @variant canola extractor = "CanolaExtractor"
#' @variant keep-everything extractor = "KeepEverythingExtractor"
#' @variant largest-content extractor = "LargestContentExtractor"
#' @variant num-words-rules extractor = "NumWordsRulesExtractor"
#' @homepage https://github.com/mannau/boilerpipeR
#' @settings_source https://github.com/mannau/boilerpipeR
#' @licence Apache-2.0
#' @parser NekoHTML
#' @tuned_on sigir:l3s-gn1=https://doi.org/10.1145/1718487.1718542
#' @needs java
#' @cran boilerpipeR
#' @debian r-cran-rjava default-jre-headless

text_of <- NULL

load <- function(extractor) {
  text_of <<- getExportedValue("boilerpipeR", extractor)
}

extract <- function(html, url) {
  text_of(html)
}
