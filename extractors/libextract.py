"""libextract: counts the text below each parent of a text node and keeps the parent with most."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Libextract(Extractor):
    """Ranks parents of text nodes by how much text their children hold; the first one's text."""

    name = "libextract"
    requires = ("libextract==0.0.12",)
    accepts = "bytes"
    homepage = "https://github.com/datalib/libextract"
    settings_source = "https://github.com/datalib/libextract#usage"
    licence = "MIT"
    parser = "lxml"

    def load(self, **settings: Any) -> None:
        from libextract.api import extract

        self._extract: Any = extract

    def extract(self, html: bytes, url: str | None) -> str:
        best: Any = next(iter(self._extract(html)), None)
        return "" if best is None else str(best.text_content())
