"""Never answers: asleep, deaf to SIGTERM, or stopped."""

from __future__ import annotations

import os
import signal
import time

from bench.extractor import Extractor


class Hangs(Extractor):
    name = "hangs"
    variants = {  # noqa: RUF012
        "asleep": {"how": "asleep"},
        "deaf": {"how": "deaf"},
        "stopped": {"how": "stopped"},
    }

    def load(self, how: str) -> None:
        self._how = how

    def extract(self, html: str, url: str | None) -> str:
        if "MISBEHAVE" not in html:
            return html
        if self._how == "deaf":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if self._how == "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        while True:
            time.sleep(1)
