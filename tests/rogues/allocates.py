"""Takes memory without end: itself, or in a child."""

from __future__ import annotations

import os
import time

from bench.extractor import Extractor


class Allocates(Extractor):
    name = "allocates"
    variants = {"itself": {"in_child": False}, "child": {"in_child": True}}  # noqa: RUF012

    def load(self, in_child: bool) -> None:
        self._in_child = in_child

    def extract(self, html: str, url: str | None) -> str:
        if "MISBEHAVE" not in html:
            return html
        if self._in_child and os.fork():
            time.sleep(60)
        taken = []
        while True:
            taken.append(b"x" * (16 << 20))
            time.sleep(0.002)
