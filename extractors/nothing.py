"""Control: no text at all, the floor."""

from __future__ import annotations

from bench.extractor import Extractor


class Nothing(Extractor):
    """Returns no text, whatever the page."""

    name = "nothing"
    kind = "control"
    licence = "MIT"

    def extract(self, html: str, url: str | None) -> str:
        return ""
