"""An append-only file of JSON lines: what is on it survives the death of its writer.

A line torn by a crash is dropped when the journal is opened again, never guessed at. Lines are read
strictly: one that is no record of the kind asked for is left out, and counted.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NotRequired, Self, TypedDict, TypeVar

import msgspec

from bench.model import Outcome
from bench.util.atomic import reading_from, writing_to

Record = TypeVar("Record")
_Count = Annotated[int, msgspec.Meta(ge=0, le=(1 << 31) - 1)]
_Bytes = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]


class CellRecord(TypedDict):
    """One extractor on one page, once: ``cells.parquet`` has the same columns, but for the text."""

    row: str
    """The row's key: extractor, version, settings and adapter source, hashed."""
    page: str
    page_hash: str
    repeat: _Count
    outcome: Outcome
    wall_s: float
    cpu_s: float
    rss_peak_bytes: _Bytes | None
    rss_idle_bytes: _Bytes | None
    decode_s: float
    handover_s: float
    text_hash: str
    text_chars: _Bytes
    diagnostics: str
    """Exception type and line, or the last 4 KiB of the worker's standard error."""
    network_attempts: _Count
    carried_from: str
    text: str
    """Empty unless the outcome is ``ok``."""
    flags: NotRequired[str]
    """Not in journals of schema 1."""


class Sample(TypedDict):
    """One look at one worker's process tree."""

    at_s: float
    """Since the sampler started."""
    row: str
    rss_bytes: _Bytes
    cpu_s: float
    processes: _Count
    late_s: float
    """How long after its deadline it was taken."""


def text_hash(text: str | bytes) -> str:
    """Return the name under which a text, or its UTF-8, is stored; empty for the empty text."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest() if data else ""


class Journal:
    """A journal open for appending. One writer at a time."""

    def __init__(self, path: Path) -> None:
        self._folder = path.parent
        with writing_to(self._folder):
            _cut_torn_line(path)
            self._file = path.open("ab")
        self._unsynced = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, record: Mapping[str, Any]) -> None:
        """Hand one record to the operating system: from then on it survives our own death.

        Raises ``BenchError`` when the disk is full or gone; what was written before is kept.
        """
        with writing_to(self._folder):
            self._file.write(msgspec.json.encode(record) + b"\n")
            self._file.flush()
        self._unsynced = True

    def sync(self) -> None:
        """Have everything appended so far survive a power cut as well."""
        if self._unsynced:
            self._unsynced = False
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Sync and close."""
        with writing_to(self._folder), self._file:
            if not self._file.closed:
                self.sync()


def read(
    path: Path, kind: type[Record], on_damage: Callable[[], None] = lambda: None
) -> Iterator[tuple[int, Record]]:
    """Yield the whole records of a journal, each with the byte at which it begins.

    None if there is no such file; ``on_damage`` is called for each line that is left out. Raises
    ``BenchError`` when the disk refuses.
    """
    if not path.exists():
        return
    decoder = msgspec.json.Decoder(kind)
    offset = 0
    with reading_from(path.parent), path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                try:
                    yield offset, decoder.decode(line)
                except (ValueError, RecursionError):
                    on_damage()
            offset += len(line)


def _cut_torn_line(path: Path) -> None:
    if not path.exists() or not path.stat().st_size:
        return
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        if file.read() == b"\n":
            return
    os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
