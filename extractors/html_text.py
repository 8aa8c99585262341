"""html-text: all text of the page a reader could see, with white space guessed from the layout."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class HtmlText(Extractor):
    """Strips scripts, styles and comments, and joins what is left with guessed white space."""

    name = "html_text"
    requires = ("html-text>=0.6",)
    homepage = "https://github.com/zytedata/html-text"
    settings_source = "https://github.com/zytedata/html-text#usage"
    licence = "MIT"
    parser = "lxml"
    tuned_on = (
        "aeb=https://github.com/scrapinghub/article-extraction-benchmark",
        "sigir:scrapinghub=https://github.com/scrapinghub/article-extraction-benchmark",
    )

    def load(self, **settings: Any) -> None:
        import html_text

        self._extract_text: Any = html_text.extract_text

    def extract(self, html: str, url: str | None) -> str:
        text: str = self._extract_text(html)
        return text
