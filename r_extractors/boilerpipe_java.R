#' Boilerpipe: shallow text features of blocks, the Java library itself (Kohlschütter et al. 2010).
#'
#' Kohlschütter, Fankhauser and Nejdl (2010), "Boilerplate Detection using Shallow Text Features",
#' https://doi.org/10.1145/1718487.1718542. Called through rJava from the distribution's own jar,
#' with the distribution's HTML parser, which is newer than the one in boilerpipeR.
#'
#' @name boilerpipe_java
#' @family boilerpipe
#' @requires rJava>=1.0
#' @accepts str
#' @variant default extractor = "ArticleExtractor"
#' @variant default-extractor extractor = "DefaultExtractor"
#' @variant article-sentences extractor = "ArticleSentencesExtractor"
#' @variant canola extractor = "CanolaExtractor"
#' @variant keep-everything extractor = "KeepEverythingExtractor"
#' @variant largest-content extractor = "LargestContentExtractor"
#' @variant num-words-rules extractor = "NumWordsRulesExtractor"
#' @homepage https://code.google.com/archive/p/boilerpipe/
#' @settings_source https://code.google.com/archive/p/boilerpipe/wikis/QuickStart.wiki
#' @licence Apache-2.0
#' @parser NekoHTML
#' @tuned_on sigir:l3s-gn1=https://doi.org/10.1145/1718487.1718542
#' @needs java /usr/share/java/boilerpipe.jar
#' @debian r-cran-rjava libboilerpipe-java default-jre-headless

boilerpipe <- NULL

load <- function(extractor) {
  rJava::.jinit("/usr/share/java/boilerpipe.jar")
  boilerpipe <<- rJava::.jnew(paste0("de/l3s/boilerpipe/extractors/", extractor))
}

extract <- function(html, url) {
  page <- rJava::.jnew("java/lang/String", html)
  rJava::.jcall(boilerpipe, "S", "getText", page)
}
