"""Loads an R extractor in the ordinary worker: R inside Python, through rpy2's low-level interface.

The worker imports this file in place of an adapter; what it loads is a ``.R`` file beside it.
R runs in the worker's own process, so that deadlines, memory caps and outcomes are the runner's.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from bench.extractor import Extractor

# No R start-up file, no saved workspace; the call returns a function, or stops with a reason.
_PRELUDE = r"""
function(.file, ...) {
  # Recursion ends where the stack ends: the worker dies of it, and the page is a crash.
  options(expressions = 500000)
  adapter <- new.env(parent = globalenv())
  source(.file, local = adapter, encoding = "UTF-8", keep.source = FALSE)
  settings <- list(...)
  if (is.function(adapter$load)) {
    adapter$load(...)
  } else if (length(settings)) {
    stop(basename(.file), " has variants with settings but defines no load()")
  }
  if (!is.function(adapter$extract)) stop(basename(.file), " defines no extract()")
  extract <- adapter$extract
  function(html, url) {
    text <- extract(html, url)
    if (is.list(text)) text <- unlist(text)
    if (is.null(text)) return("")
    if (!is.character(text)) stop("extract() returned ", class(text)[1], ", not character")
    text <- text[!is.na(text)]
    # A string marked as bytes has no way back to Python, one that is invalid UTF-8 neither.
    marked <- Encoding(text) == "bytes"
    Encoding(text[marked]) <- "UTF-8"
    paste(iconv(enc2utf8(text), "UTF-8", "UTF-8", sub = "\ufffd"), collapse = "\n")
  }
}
"""
_PACKAGES = """
function() {
  names <- sort(loadedNamespaces())
  c(as.character(getRversion()), paste0(names, "==", vapply(names, getNamespaceVersion, "")))
}
"""
_JAVA_OPTIONS = (
    "-Xmx2g",
    "-Xrs",  # signals end the worker, as they would without Java
    "-XX:+DisableAttachMechanism",  # which -Xrs opens, and whose socket in /tmp a kill leaves behind
    "-XX:+UseSerialGC",  # one thread, like every other extractor
    "-XX:-UsePerfData",  # leaves a file in /tmp when killed
    "-Djava.awt.headless=true",
)
_UTF8_LOCALE = "C.UTF-8" if sys.platform == "linux" else "en_US.UTF-8"
_NOTHING_IN_IT = re.compile(r"(?:\s|\ufeff|<!--(?:(?!-->).)*+-->|<[!?][^>]*+>)*+", re.DOTALL)
_OUT_OF_MEMORY = re.compile(r"OutOfMemoryError|cannot allocate (?:vector|memory|buffer)")


class Bridge(Extractor):
    """Calls the ``extract`` of a ``.R`` file; the worker sets what is known of both."""

    name = "r"

    file: str
    r_home: str
    libraries: Sequence[str] = ()
    """Where R looks for packages."""
    libjvm: str = ""
    """The Java virtual machine; empty for those that need no Java."""

    def load(self, **settings: Any) -> None:
        """Start R, source the file and call its ``load`` with the variant's settings."""
        os.environ["RPY2_CFFI_MODE"] = "ABI"  # the mode that needs no compiler
        os.environ["R_HOME"] = self.r_home
        os.environ["LC_ALL"] = _UTF8_LOCALE
        os.environ["LANGUAGE"] = "en"
        os.environ["R_LIBS"] = os.pathsep.join(self.libraries)
        if self.libjvm:
            # rJava links with it, and nobody has told the dynamic linker where it is.
            ctypes.CDLL(self.libjvm, mode=ctypes.RTLD_GLOBAL)
        from rpy2 import rinterface
        from rpy2.rinterface_lib import callbacks, embedded

        embedded.set_initoptions(("rpy2", "--vanilla", "--quiet", "--no-echo"))
        rinterface.initr(interactive=False)
        callbacks.consolewrite_warnerror = sys.stderr.write
        if self.libjvm:
            home = tempfile.gettempdir()
            options = [
                *_JAVA_OPTIONS,
                f"-Djava.io.tmpdir={home}",
                f"-XX:ErrorFile={home}/hs_err.log",
            ]
            set_options = rinterface.baseenv["options"]
            set_options(**{"java.parameters": rinterface.StrSexpVector(options)})
        self._vector: Any = rinterface.StrSexpVector
        self._raw: Any = rinterface.ByteSexpVector
        self._null: Any = rinterface.NULL
        self._failure: Any = embedded.RRuntimeError
        self._packages: Any = rinterface.evalr(_PACKAGES)
        wrap = rinterface.evalr(_PRELUDE)
        self._extract: Any = wrap(
            self._string(self.file), **{k: self._r(v) for k, v in settings.items()}
        )

    def extract(self, html: str | bytes, url: str | None) -> str:
        """Return the text of a page; what R runs out of memory on is a ``MemoryError``."""
        page = self._raw(html) if isinstance(html, bytes) else self._string(html)
        try:
            text: str = self._extract(page, self._null if url is None else self._string(url))[0]
        except self._failure as error:
            # Most R functions fail on a page that has no element and no text at all.
            if isinstance(html, str) and _NOTHING_IN_IT.fullmatch(html):
                return ""
            if _OUT_OF_MEMORY.search(str(error)):
                raise MemoryError(str(error)) from error
            raise
        return text

    def packages(self) -> list[str]:
        """Return the version of R and of every R package loaded, as ``R:NAME==VERSION``."""
        version, *rest = self._packages()
        return [f"R=={version}", *(f"R:{package}" for package in rest)]

    def _string(self, text: str) -> Any:
        """Hand a str to R, whose strings hold neither NUL nor half a surrogate pair."""
        if "\0" in text:
            text = text.replace("\0", "\ufffd")
        try:
            return self._vector([text])
        except ValueError:  # it cannot be encoded
            whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            return self._vector([whole])

    def _r(self, value: Any) -> Any:
        return self._string(value) if isinstance(value, str) else value
