"""Ends its process: by a wild pointer, by exiting, by abort, by killing its own group."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from bench.extractor import Extractor


class Dies(Extractor):
    name = "dies"
    variants = {  # noqa: RUF012
        "segfault": {"how": "segfault"},
        "exit": {"how": "exit"},
        "abort": {"how": "abort"},
        "group": {"how": "group"},
    }

    def load(self, how: str) -> None:
        self._how = how

    def extract(self, html: str, url: str | None) -> str:
        if "MISBEHAVE" not in html:
            return html
        print("x" * 9000 + f"last words of {self._how}", file=sys.stderr, flush=True)
        if self._how == "segfault":
            ctypes.string_at(0)
        elif self._how == "exit":
            os._exit(3)
        elif self._how == "group":
            os.killpg(0, signal.SIGKILL)
        os.abort()
