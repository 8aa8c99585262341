"""readability-lxml: scores elements by their paragraphs, keeps the best and its siblings."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Readability(Extractor):
    """Scores elements by class names, commas and text length of their paragraphs; keeps the best.

    A Python port of arc90's Readability. It returns HTML, of which html_text makes the text.
    """

    name = "readability"
    family = "readability"
    requires = ("readability-lxml>=0.8.4", "html-text>=0.6")
    takes_bytes = True
    homepage = "https://github.com/buriy/python-readability"
    settings_source = (  # the README's Document(html).summary(), and how to get text from it
        "https://github.com/scrapinghub/article-extraction-benchmark"
        "/blob/master/extractors/run_readability.py"
    )
    licence = "Apache-2.0"
    parser = "lxml"

    def load(self, **settings: Any) -> None:
        import html_text
        import readability

        self._document: Any = readability.Document
        self._to_text: Any = html_text.extract_text

    def extract(self, html: str | bytes, url: str | None) -> str:
        summary = self._document(html).summary(html_partial=True)
        text: str = self._to_text(summary)
        return text
