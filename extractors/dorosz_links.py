"""Link position: cuts the page where its links stand, and takes the longest piece."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class DoroszLinks(Extractor):
    """Cuts the page at links outside sentences and keeps the longest piece with its own links.

    Dorosz (2008), "Ekstrakcja spójnych tekstów z Internetu na potrzeby algorytmów
    lingwistycznych", prediction by the position of links: five rules, listed in
    ``bench.methods.dorosz.links`` with what was left open and how it was decided; docs/methods.md
    says how the settings were found.
    """

    name = "dorosz_links"
    requires = ("lxml>=5",)
    method = "dorosz"
    variants = {
        "default": {"large": 40},
        "above-share": {"large": 40, "share": 0.05},
    }
    # The method is ours to run; of its publication no address is known. This is the parser's.
    homepage = "https://lxml.de"
    # The pages on which the settings were found; the paper leaves them open.
    settings_source = "https://github.com/Murrough-Foley/web-content-extraction-benchmark"
    licence = "MIT"
    parser = "lxml"

    def load(self, large: int = 40, share: float = 1.0, **settings: Any) -> None:
        from bench.methods.dorosz import links, tree

        self._parse, self._main_text = tree.parse, tree.main_text
        self._ranked = links.ranked
        self._large, self._share = large, share

    def extract(self, html: str, url: str | None) -> str:
        page = self._parse(html)
        return self._main_text(page, self._ranked(page, self._large), self._share)
