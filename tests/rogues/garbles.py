"""Writes into every descriptor that it finds open, the channel included."""

from __future__ import annotations

import os
import stat

from bench.extractor import Extractor


class Garbles(Extractor):
    name = "garbles"

    def extract(self, html: str, url: str | None) -> str:
        if "MISBEHAVE" in html:
            for fd in range(3, 1024):
                try:
                    if stat.S_ISSOCK(os.fstat(fd).st_mode):
                        os.write(fd, b"HTTP/1.1 200 OK\r\n\r\n")
                except OSError:
                    continue
        return html
