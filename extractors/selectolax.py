"""selectolax: all text of the body, but for scripts and styles, by the Lexbor parser."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Selectolax(Extractor):
    """Parses with Lexbor, takes scripts and styles out, and joins the text of the body."""

    name = "selectolax"
    requires = ("selectolax==1.0.2",)
    homepage = "https://github.com/rushter/selectolax"
    settings_source = "https://selectolax.readthedocs.io/en/latest/examples.html"
    licence = "MIT"
    parser = "Lexbor"

    def load(self, **settings: Any) -> None:
        from selectolax.lexbor import LexborHTMLParser

        self._parse: Any = LexborHTMLParser

    def extract(self, html: str, url: str | None) -> str:
        page = self._parse(html)
        page.strip_tags(["script", "style"])
        return "" if page.body is None else str(page.body.text(separator="\n"))
