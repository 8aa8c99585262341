"""ReadabiliPy: cleans the page's markup and keeps all paragraphs, here without Readability.js."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class ReadabiliPy(Extractor):
    """Cleans the markup by rules and returns all text blocks, one a line.

    This is its parser in pure Python. Its other one is Mozilla's Readability.js, which it installs
    and starts for every page.
    """

    name = "readabilipy"
    requires = ("readabilipy==0.3.0",)
    variants = {"default": {"use_readability": False}}
    homepage = "https://github.com/alan-turing-institute/ReadabiliPy"
    settings_source = "https://github.com/alan-turing-institute/ReadabiliPy#usage"
    licence = "MIT"
    parser = "html5lib"
    tuned_on = ("sigir:readability=https://github.com/mozilla/readability/tree/main/test",)

    def load(self, **settings: Any) -> None:
        import readabilipy

        self._simplify: Any = readabilipy.simple_json_from_html_string
        self._settings = settings

    def extract(self, html: str, url: str | None) -> str:
        blocks = self._simplify(html, **self._settings)["plain_text"] or []
        return "\n".join(block["text"] for block in blocks)
