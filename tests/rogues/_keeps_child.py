"""Keeps a child in a session of its own at work, as an extractor with a browser does."""

from __future__ import annotations

import subprocess
import time

from bench.extractor import Extractor


class KeepsChild(Extractor):
    name = "keeps_child"

    def load(self) -> None:
        self._child = subprocess.Popen(["sleep", "1234"], start_new_session=True)

    def extract(self, html: str, url: str | None) -> str:
        time.sleep(0.01)
        return html
