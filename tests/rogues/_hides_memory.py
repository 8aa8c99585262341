"""Takes memory that is in no process's account for long: unmapped, in its home, or in a child."""

from __future__ import annotations

import os
import time
from pathlib import Path

from bench.extractor import Extractor

MIB = b"x" * (1 << 20)
HELD, TOO_MUCH = 100, 700
"""MiB, where the cap is 512."""


class HidesMemory(Extractor):
    name = "hides_memory"
    variants = {  # noqa: RUF012
        "holds_memfd": {"how": "memfd", "mib": HELD},
        "memfd": {"how": "memfd", "mib": TOO_MUCH},
        "home": {"how": "home", "mib": TOO_MUCH},
        "quick_child": {"how": "child", "mib": TOO_MUCH},
    }

    def load(self, how: str, mib: int) -> None:
        self._how, self._mib = how, mib

    def extract(self, html: str, url: str | None) -> str:
        if "MISBEHAVE" in html:
            getattr(self, f"_{self._how}")()
        return html

    def _memfd(self) -> None:
        hidden = os.memfd_create("hidden")
        for _ in range(self._mib):
            os.write(hidden, MIB)
        time.sleep(0.2)
        os.close(hidden)

    def _home(self) -> None:
        with Path("hidden").open("wb", buffering=0) as file:
            for _ in range(self._mib):
                file.write(MIB)

    def _child(self) -> None:
        """A child takes more than the cap at one go; its end is swallowed."""
        if (child := os.fork()) == 0:
            bytearray(MIB) * self._mib
            os._exit(0)
        os.waitpid(child, 0)
