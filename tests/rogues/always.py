"""Fails on every page there is, the warm-up included."""

from __future__ import annotations

import os
import time

from bench.extractor import Extractor


class Always(Extractor):
    name = "always"
    variants = {  # noqa: RUF012
        "exits": {"how": "exits"},
        "hangs": {"how": "hangs"},
        "raises": {"how": "raises"},
    }

    def load(self, how: str) -> None:
        self._how = how

    def extract(self, html: str, url: str | None) -> str:
        if self._how == "exits":
            os._exit(9)
        if self._how == "hangs":
            time.sleep(1234)
        raise ValueError("never")
