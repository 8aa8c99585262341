"""Tries to be rewarded for what it did not do: answers forged, clocks turned back, gold looked up."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.extractor import Extractor

ANSWER = {
    "op": "text", "outcome": "ok", "decode_s": 0.0, "wall_s": 1e-9, "cpu_s": 0.0,
    "ended_child_peak_bytes": 0, "network_attempts": 0, "diagnostics": "",
}  # fmt: skip


VARIANTS = {
    name: {"how": name}
    for name in (
        "answers_twice", "text_for_wall", "null_for_wall", "nan", "negative", "huge", "nested",
        "surrogates", "no_keys", "stops_clock", "hides_cpu", "reads_gold", "writes_gold",
        "kills_harness", "kills_all", "goes_by_path", "stays",
    )
}  # fmt: skip


class Cheats(Extractor):
    name = "cheats"
    variants = VARIANTS

    def load(self, how: str) -> None:
        self._how = how
        if how == "hides_cpu":
            time.process_time = lambda: 0.0

    def extract(self, html: str, url: str | None) -> str:
        if "MISBEHAVE" in html:
            self._html = html
            getattr(self, f"_{self._how}", self._forges)()
        return html

    def _forges(self) -> None:
        changes: dict[str, Any] = {
            "text_for_wall": {"wall_s": "1"}, "null_for_wall": {"wall_s": None},
            "nan": {"wall_s": float("nan")}, "negative": {"wall_s": -1.0},
            "huge": {"ended_child_peak_bytes": 2**70, "network_attempts": 2**40},
            "surrogates": {"diagnostics": "\ud800"}, "nested": {}, "no_keys": {},
        }  # fmt: skip
        header = json.dumps({**ANSWER, "id": self._request_id(), **changes[self._how]})
        if self._how == "nested":
            header = "[" * 200_000
        if self._how == "no_keys":
            header = json.dumps({"id": self._request_id()})
        self._send(header.encode())

    def _answers_twice(self) -> None:
        """Has the answer of the next page ready before it is asked."""
        self._send(json.dumps({**ANSWER, "id": self._request_id()}).encode())
        self._send(json.dumps({**ANSWER, "id": "0" * 16}).encode())

    def _send(self, header: bytes) -> None:
        for fd in range(3, 1024):
            try:
                if stat.S_ISSOCK(os.fstat(fd).st_mode):
                    os.write(fd, struct.pack(">II", len(header), 6) + header + b"forged")
            except OSError:
                continue

    def _request_id(self) -> str:
        """Look the id up where the worker has it."""
        frame = sys._getframe()
        while frame is not None:
            request = frame.f_locals.get("request")
            if isinstance(request, dict) and "id" in request:
                return str(request["id"])
            frame = frame.f_back  # type: ignore[assignment]
        raise LookupError

    def _stops_clock(self) -> None:
        now = time.perf_counter()
        time.perf_counter = lambda: now
        time.sleep(0.5)

    def _hides_cpu(self) -> None:
        until = time.monotonic() + 0.5
        while time.monotonic() < until:
            pass

    def _reads_gold(self) -> None:
        for top, names in _folders():
            if "page-3.txt" in names:
                raise AssertionError(f"gold is in sight: {top}")

    def _writes_gold(self) -> None:
        for top, names in _folders():
            if {"page-3.html", "pages", "gold"} & set(names):
                with contextlib.suppress(OSError):
                    Path(top, "page-3.txt").write_text("mine")

    def _kills_harness(self) -> None:
        for process in Path("/proc").glob("[0-9]*"):
            if int(process.name) > 2:
                os.kill(int(process.name), 9)

    def _kills_all(self) -> None:
        with contextlib.suppress(ProcessLookupError):  # there is nobody else
            os.kill(-1, 9)

    def _goes_by_path(self) -> None:
        """The page itself says where gold and results lie."""
        for path in map(Path, re.findall(r"path=(\S+)", self._html)):
            for attack in (
                path.read_bytes, path.unlink, lambda p=path: p.write_text("mine"),
                lambda p=path: os.truncate(p, 0), lambda p=path: p.chmod(0o777),
                lambda p=path: [*p.parent.iterdir()],
            ):  # fmt: skip
                try:
                    attack()
                except OSError:
                    continue
                raise AssertionError(f"{path} is in reach")

    def _stays(self) -> None:
        """Leaves a child without environment whose parent is gone."""
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execve("/bin/sleep", ["sleep", "61.7"], {})
            os._exit(0)


def _folders() -> Iterator[tuple[str, list[str]]]:
    """Yield every folder where gold might be, with the names in it."""
    for top, folders, files in os.walk("/"):
        yield top, folders + files
        folders[:] = set(folders) - {"proc", "usr", "lib", "lib64", "bin", "share"}
