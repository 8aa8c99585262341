"""GNE: text and punctuation density of nodes, the densest wins (Hong et al. 2010)."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Gne(Extractor):
    """Scores nodes by density of text, of punctuation and of links; keeps the best one's text.

    After "Method of Webpage Content Extraction Based on Text and Symbol Density" (in Chinese);
    made for news in Chinese.
    """

    name = "gne"
    requires = ("gne==0.4.3",)
    homepage = "https://github.com/GeneralNewsExtractor/GeneralNewsExtractor"
    settings_source = "https://github.com/GeneralNewsExtractor/GeneralNewsExtractor#readme"
    licence = "GPL-3.0-only"
    parser = "lxml"

    def load(self, **settings: Any) -> None:
        import gne

        self._extractor: Any = gne.GeneralNewsExtractor()

    def extract(self, html: str, url: str | None) -> str:
        text: str = self._extractor.extract(html)["content"]
        return text
