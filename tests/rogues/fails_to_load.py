"""Cannot be loaded: raises, misses a module, hangs, exits."""

from __future__ import annotations

import os
import time

from bench.extractor import Extractor


class FailsToLoad(Extractor):
    name = "fails_to_load"
    variants = {  # noqa: RUF012
        "raises": {"how": "raises"},
        "missing": {"how": "missing"},
        "hangs": {"how": "hangs"},
        "exits": {"how": "exits"},
        "stops": {"how": "stops"},
        "unprintable": {"how": "unprintable"},
    }

    def load(self, how: str) -> None:
        if how == "raises":
            raise RuntimeError("no model")
        if how == "missing":
            import no_such_module_at_all  # type: ignore[import-not-found]  # noqa: F401
        if how == "hangs":
            time.sleep(1234)
        if how == "exits":
            os._exit(5)
        if how == "stops":
            raise SystemExit("stop")
        raise ValueError("\ud800" * 100_000)

    def extract(self, html: str, url: str | None) -> str:
        return html
