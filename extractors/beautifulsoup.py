"""Beautiful Soup: all strings of the parsed page, one variant for each of its parsers."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class BeautifulSoup(Extractor):
    """Joins all strings of the page; with html5lib also those of scripts and styles."""

    name = "beautifulsoup"
    requires = ("beautifulsoup4>=4.11", "lxml", "html5lib")
    variants = {
        "html.parser": {"parser": "html.parser"},
        "lxml": {"parser": "lxml"},
        "html5lib": {"parser": "html5lib"},
    }
    takes_bytes = True
    homepage = "https://www.crummy.com/software/BeautifulSoup/"
    settings_source = "https://www.crummy.com/software/BeautifulSoup/bs4/doc/#get-text"
    licence = "MIT"

    def load(self, **settings: Any) -> None:
        import bs4

        self._soup: Any = bs4.BeautifulSoup
        self._parser = settings["parser"]

    def extract(self, html: str | bytes, url: str | None) -> str:
        text: str = self._soup(html, self._parser).get_text(separator=" ", strip=True)
        return text
