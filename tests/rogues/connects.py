"""Tries to reach the network: through Python, past it, and by name; swallows the error or not."""

from __future__ import annotations

import contextlib
import ctypes
import socket
import struct

from bench.extractor import Extractor

OUTSIDE = "192.0.2.1"  # TEST-NET-1 (RFC 5737)


class Connects(Extractor):
    name = "connects"
    variants = {  # noqa: RUF012
        "python": {"how": "python"},
        "compiled": {"how": "compiled"},
        "by_name": {"how": "by_name"},
        "raises": {"how": "raises"},
    }

    def load(self, how: str) -> None:
        self._how = how

    def extract(self, html: str, url: str | None) -> str:
        if "MISBEHAVE" not in html:
            return html
        if self._how == "raises":
            socket.create_connection((OUTSIDE, 80), timeout=1)
        elif self._how == "compiled":
            libc = ctypes.CDLL(None)
            fd = libc.socket(socket.AF_INET, socket.SOCK_STREAM, 0)
            address = struct.pack(
                "=HH4s8x", socket.AF_INET, socket.htons(80), socket.inet_aton(OUTSIDE)
            )
            libc.connect(fd, address, len(address))
            libc.close(fd)
        elif self._how == "python":
            for _ in range(3):
                with contextlib.suppress(OSError):
                    socket.create_connection((OUTSIDE, 80), timeout=1)
        else:
            with contextlib.suppress(OSError):
                socket.getaddrinfo("example.org", 80)
        return html
