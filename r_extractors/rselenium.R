#' RSelenium: the text of the page as headless Chromium renders it, after its own scripts ran.
#'
#' Chromium gets the page from a file and reaches nothing else. A page that sends the browser
#' elsewhere is an error. There is no sandbox, since it needs rights that a worker has not.
#'
#' @name rselenium
#' @requires RSelenium>=1.7, processx
#' @accepts str
#' @homepage https://docs.ropensci.org/RSelenium/
#' @settings_source https://docs.ropensci.org/RSelenium/articles/basics.html
#' @licence AGPL-3.0-only
#' @parser a browser
#' @needs chromedriver
#' @cran RSelenium
#' @debian chromium chromium-driver r-cran-httr r-cran-catools r-cran-rappdirs r-cran-yaml
#' @debian r-cran-jsonlite r-cran-xml2 r-cran-assertthat r-cran-processx r-cran-rcpp g++

BYTE_ORDER_MARK <- as.raw(c(0xef, 0xbb, 0xbf))

driver <- NULL
browser <- NULL
page_file <- NULL

load <- function() {
  home <- tempfile("browser-")
  dir.create(home)
  log <- file.path(home, "chromedriver.log")
  driver <<- processx::process$new("chromedriver", "--port=0", stdout = log, stderr = "2>&1")
  flags <- list(
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-breakpad",
    "--host-resolver-rules=MAP * ~NOTFOUND", paste0("--user-data-dir=", file.path(home, "profile"))
  )
  browser <<- RSelenium::remoteDriver(
    remoteServerAddr = "127.0.0.1", port = port_in(log), path = "", browserName = "chrome",
    extraCapabilities = list(
      "goog:chromeOptions" = list(args = flags),
      unhandledPromptBehavior = "dismiss"
    )
  )
  browser$open(silent = TRUE)
  page_file <<- file.path(home, "page.html")
}

port_in <- function(log) {
  started <- "started successfully on port ([0-9]+)"
  for (attempt in 1:200) {
    line <- grep(started, readLines(log, warn = FALSE), value = TRUE)
    if (length(line)) return(as.integer(sub(paste0(".*", started, ".*"), "\\1", line[1])))
    if (!driver$is_alive()) break
    Sys.sleep(0.05)
  }
  stop("chromedriver does not start: ", paste(readLines(log, warn = FALSE), collapse = " "))
}

extract <- function(html, url) {
  writeBin(c(BYTE_ORDER_MARK, charToRaw(html)), page_file)
  address <- paste0("file://", page_file)
  browser$navigate(address)
  text <- browser$findElement("css selector", "body")$getElementText()[[1]]
  # Asked afterwards, so that the text is this page's.
  here <- sub("#.*", "", browser$getCurrentUrl()[[1]])
  if (here != address) stop("the page sent the browser to ", here)
  text
}
