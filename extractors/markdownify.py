"""markdownify: a converter: the whole page to Markdown, tag by tag."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Markdownify(Extractor):
    """A converter: turns the whole page into Markdown, tag by tag; drops nothing."""

    name = "markdownify"
    requires = ("markdownify==1.2.3",)
    homepage = "https://github.com/matthewwithanm/python-markdownify"
    settings_source = "https://github.com/matthewwithanm/python-markdownify#usage"
    licence = "MIT"
    parser = "html.parser"

    def load(self, **settings: Any) -> None:
        import markdownify

        self._convert: Any = markdownify.markdownify
        self._settings = settings

    def extract(self, html: str, url: str | None) -> str:
        text: str = self._convert(html, **self._settings)
        return text
