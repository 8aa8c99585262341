"""Inscriptis: the whole page as text, laid out as a browser would (Weichselbraun 2021, JOSS)."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Inscriptis(Extractor):
    """Renders the whole page as text, with tables, lists and a subset of CSS; drops nothing.

    Weichselbraun (2021), "Inscriptis: A Python-based HTML to text conversion library optimized
    for knowledge extraction from the Web", https://doi.org/10.21105/joss.03557.
    """

    name = "inscriptis"
    requires = ("inscriptis>=2.2",)
    homepage = "https://github.com/weblyzard/inscriptis"
    settings_source = "https://github.com/weblyzard/inscriptis#python-library"
    licence = "Apache-2.0"
    parser = "lxml"

    def load(self, **settings: Any) -> None:
        import inscriptis

        self._get_text: Any = inscriptis.get_text

    def extract(self, html: str, url: str | None) -> str:
        text: str = self._get_text(html)
        return text
