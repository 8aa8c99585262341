"""Control: the gold text itself, the ceiling."""

from __future__ import annotations

from bench.extractor import Extractor


class Gold(Extractor):
    """Returns the gold text that it is handed in place of the page."""

    name = "gold"
    kind = "control"
    accepts = "gold"
    licence = "MIT"

    def extract(self, html: str, url: str | None) -> str:
        return html
