"""An append-only file of JSON lines: what is on it survives the death of its writer.

A line torn by a crash is dropped when the journal is opened again, never guessed at.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from bench.util.atomic import writing_to


class Journal:
    """A journal open for appending. One writer at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing_to(path.parent):
            _cut_torn_line(path)
            self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._unsynced = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, record: dict[str, Any]) -> None:
        """Hand one record to the operating system: from then on it survives our own death.

        Raises ``BenchError`` when the disk is full or gone; what was written before is kept.
        """
        line = memoryview(json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n")
        with writing_to(self._path.parent):
            while line:
                line = line[os.write(self._fd, line) :]
        self._unsynced = True

    def sync(self) -> None:
        """Have everything appended so far survive a power cut as well."""
        if self._unsynced:
            self._unsynced = False
            os.fsync(self._fd)

    def close(self) -> None:
        """Sync and close."""
        if self._fd >= 0:
            with writing_to(self._path.parent):
                self.sync()
            os.close(self._fd)
            self._fd = -1


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the whole records of a journal, none if there is no such file."""
    return (record for _, record in located(path))


def located(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the whole records of a journal, each with the place in bytes at which it begins."""
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                with contextlib.suppress(ValueError):
                    yield offset, json.loads(line)
            offset += len(line)


def _cut_torn_line(path: Path) -> None:
    if not path.exists() or not path.stat().st_size:
        return
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        if file.read() == b"\n":
            return
    os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
