"""Leaks 1 MiB a page."""

from __future__ import annotations

from bench.extractor import Extractor

LEAKED: list[bytearray] = []


class Leaks(Extractor):
    name = "leaks"

    def extract(self, html: str, url: str | None) -> str:
        LEAKED.append(bytearray(b"x" * (1 << 20)))
        return html
