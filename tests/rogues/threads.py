"""Leaves threads spinning, daemons or not."""

from __future__ import annotations

import threading

from bench.extractor import Extractor


def spin() -> None:
    while True:
        pass


class Threads(Extractor):
    name = "threads"
    variants = {"daemon": {"daemon": True}, "lasting": {"daemon": False}}  # noqa: RUF012

    def load(self, daemon: bool) -> None:
        self._daemon = daemon

    def extract(self, html: str, url: str | None) -> str:
        if "MISBEHAVE" in html:
            for _ in range(3):
                threading.Thread(target=spin, daemon=self._daemon).start()
        return html
