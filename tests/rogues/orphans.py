"""Leaves children behind on every page: plain, in sessions of their own, adopted, without a name."""

from __future__ import annotations

import os
import subprocess
import time

from bench.extractor import Extractor


class Orphans(Extractor):
    name = "orphans"
    variants = {  # noqa: RUF012
        "forked": {"how": "forked"},
        "session": {"how": "session"},
        "twice": {"how": "twice"},
        "program": {"how": "program"},
        "nameless": {"how": "nameless"},
    }

    def load(self, how: str) -> None:
        self._how = how

    def extract(self, html: str, url: str | None) -> str:
        sleep = ["sleep", "1234"]
        if self._how == "program":
            subprocess.Popen(sleep, start_new_session=True)
        elif self._how == "nameless":
            # Detached, and without the variable that marks what belongs to a worker.
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.execve("/bin/sleep", sleep, {})
                os._exit(0)
        elif os.fork() == 0:
            if self._how != "forked":
                os.setsid()
            if self._how != "twice" or os.fork() == 0:
                time.sleep(1234)
            os._exit(0)
        return html
