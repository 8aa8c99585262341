"""Returns what is no text, far too much of it, or none that can be written down."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Shy(str):
    def encode(self, *_: Any) -> Any:
        return None


class Returns(Extractor):
    name = "returns"
    variants = {  # noqa: RUF012
        "bytes": {"how": "bytes"},
        "none": {"how": "none"},
        "number": {"how": "number"},
        "much": {"how": "much"},
        "surrogates": {"how": "surrogates"},
        "blank": {"how": "blank"},
        "nul": {"how": "nul"},
        "shy": {"how": "shy"},
    }

    def load(self, how: str) -> None:
        self._how = how

    def extract(self, html: str, url: str | None) -> Any:
        if "MISBEHAVE" not in html:
            return html
        return {
            "bytes": b"text",
            "none": None,
            "number": 42,
            "much": "word " * 10_000_000,
            "surrogates": "before \ud800 after",
            "blank": " \n\u00a0\t",
            "nul": "a\0b\r\n\u2028c",
            "shy": Shy("shy"),
        }[self._how]
