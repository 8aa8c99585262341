"""magic-html: XPath rules for the content, then readability's scores; weighs the two."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class MagicHtml(Extractor):
    """Picks content by XPath rules and by scores of elements; the page type chooses the rules.

    It returns HTML, of which html_text makes the text.
    """

    name = "magic_html"
    requires = ("magic-html==0.1.8", "html-text==0.7.1")
    python = ">=3.12"
    variants = {
        "default": {"html_type": "article"},
        "forum": {"html_type": "forum"},
    }
    homepage = "https://github.com/opendatalab/magic-html"
    settings_source = "https://github.com/opendatalab/magic-html#usage"
    licence = "Apache-2.0"
    parser = "lxml"
    tuned_on = ("webmainbench=https://huggingface.co/datasets/opendatalab/WebMainBench",)

    def load(self, **settings: Any) -> None:
        import html_text
        import magic_html

        self._extractor: Any = magic_html.GeneralExtractor()
        self._to_text: Any = html_text.extract_text
        self._settings = settings

    def extract(self, html: str, url: str | None) -> str:
        found = self._extractor.extract(html, base_url=url or "", **self._settings)
        text: str = self._to_text(found["html"])
        return text
