"""Prints megabytes to both streams, through Python and past it, and may fail after that."""

from __future__ import annotations

import os
import sys

from bench.extractor import Extractor


class Prints(Extractor):
    name = "prints"
    variants = {"only": {"how": "only"}, "then_exits": {"how": "then_exits"}}  # noqa: RUF012

    def load(self, how: str) -> None:
        self._how = how
        print("loading" * 100_000)

    def extract(self, html: str, url: str | None) -> str:
        for stream in (sys.stdout, sys.stderr):
            stream.write("noise " * 700_000)
            os.write(stream.fileno(), b"\xff\x00 raw" * 100_000)
        if self._how == "then_exits" and "MISBEHAVE" in html:
            print("\nthe very last line", file=sys.stderr, flush=True)
            os._exit(7)
        return html
