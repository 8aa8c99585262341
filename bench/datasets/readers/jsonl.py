"""Lines of JSON that are too many to hold: where each begins is listed once, then read by offset.

The list is remembered in the user's data directory for as long as the file does not change. A
``.gz`` file cannot be entered in the middle, so it is gone through once a process, the state of the
decompressor is kept every few MiB, and a line is read from the nearest one before it.
"""

import hashlib
import json
import os
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from bench.datasets.readers.base import (
    DAMAGE,
    FILE_BYTES,
    MIB,
    GoldError,
    is_text,
    open_file,
    unreadable,
    well_formed,
)
from bench.util.remembered import remembered

LINE_BYTES = 4 * FILE_BYTES
"""A line must not be longer: it holds a page with its gold, escaped."""
_FORMAT = 2
"""Of what is remembered; it rises when a reader's idea of a fit line changes."""
_CHUNK_BYTES = 1 << 18
_BETWEEN_STATES_BYTES = 8 << 20
_GZIP = 31
"""``wbits`` of zlib for a gzip header and checksum."""

Record = dict[str, Any]
Check = Callable[[Record], str | None]


@dataclass(frozen=True)
class _State:
    """Where a decompressor stood: offsets of the next byte out and of the next byte in."""

    unpacked: int
    packed: int
    inflate: Any


class JsonLines:
    """A file of JSON objects, one a line, each with an id under ``key``."""

    def __init__(self, path: Path, root: Path, key: str, check: Check) -> None:
        """List the lines of a file of the data set in ``root``.

        ``check`` says in words what makes a line unfit, None if nothing does. Raises ``GoldError``
        naming the file (and line) for what is no JSON object with an id, and for a value that makes
        ``check`` raise ``TypeError``.
        """
        self.path = path
        self._within = root.resolve()
        self._key = key
        self._states: list[_State] = []
        self.places: Mapping[str, tuple[int, int]]
        """Ids of the fit lines, with offset and length in bytes (unpacked)."""
        self.problems: list[str]
        """The lines that are left out, and why."""
        with self._opened() as file:
            stat = os.fstat(file.fileno())
        # Wherever the file is moved to.
        identity = (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)
        memory = hashlib.sha256(f"{_FORMAT} {key} {path.name} {identity}".encode()).hexdigest()
        self.places, self.problems = remembered(
            "lines",
            memory,
            lambda: self._list(check),
            dump=lambda lines: {"places": lines[0], "problems": lines[1]},
            load=_load,
        )

    def read(self, page_id: str) -> Record:
        """Return one line's object. Raises ``GoldError`` naming the file that has changed."""
        offset, length = self.places[page_id]
        try:
            record = dict(json.loads(self._bytes(offset, length)))
            if record.get(self._key) != page_id:
                raise ValueError("it has changed meanwhile")
        except (*DAMAGE, ValueError, TypeError, RecursionError) as error:
            raise unreadable(self.path, error) from error
        return record

    def _list(self, check: Check) -> tuple[dict[str, tuple[int, int]], list[str]]:
        places: dict[str, tuple[int, int]] = {}
        problems = []
        for number, (offset, line) in enumerate(self._lines(), 1):
            if not line.strip():
                continue
            with well_formed(
                f'{self.path}, line {number}: no JSON object with a "{self._key}"; '
                "put a whole copy of the data set in its place"
            ):
                record = dict(json.loads(line))
                page_id = record[self._key]
                if not isinstance(page_id, str) or not page_id or not is_text(page_id):
                    raise TypeError(f"{self._key} is no text")
                unfit = "its id occurs before" if page_id in places else check(record)
            if unfit:
                problems.append(f"{page_id} in {self.path.name}, line {number}: {unfit}")
            else:
                places[page_id] = (offset, len(line))
        return places, problems

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield each line with its offset. Raises ``GoldError`` for a damaged file."""
        offset, line = 0, bytearray()
        try:
            for chunk in self._chunks():
                *ends, last = chunk.split(b"\n")
                for end in ends:
                    line += end
                    yield offset, bytes(line)
                    offset += len(line) + 1
                    line.clear()
                line += last
                if len(line) > LINE_BYTES:
                    raise GoldError(
                        f"{self.path} has a line of over {LINE_BYTES // MIB} MiB; leave it out"
                    )
        except DAMAGE as error:
            raise unreadable(self.path, error) from error
        yield offset, bytes(line)

    def _opened(self) -> BinaryIO:
        return open_file(self.path, self._within)

    def _bytes(self, offset: int, length: int) -> bytes:
        if self.path.suffix != ".gz":
            with self._opened() as file:
                file.seek(offset)
                return file.read(length)
        if not self._states:
            for _ in self._chunks():
                pass
        near = self._states[bisect_right(self._states, offset, key=lambda s: s.unpacked) - 1]
        line = bytearray()
        skip = offset - near.unpacked
        for chunk in self._inflated(near):
            line += chunk[skip : skip + length - len(line)]
            skip = max(0, skip - len(chunk))
            if len(line) == length:
                break
        return bytes(line)

    def _chunks(self) -> Iterator[bytes]:
        if self.path.suffix == ".gz":
            self._states = [_State(0, 0, zlib.decompressobj(_GZIP))]
            yield from self._inflated(self._states[0], keep=True)
            return
        with self._opened() as file:
            while chunk := file.read(_CHUNK_BYTES):
                yield chunk

    def _inflated(self, state: _State, *, keep: bool = False) -> Iterator[bytes]:
        """Yield what comes after a state, ``keep``-ing states on the way; members may follow."""
        inflate, unpacked, packed = state.inflate.copy(), state.unpacked, state.packed
        with self._opened() as file:
            file.seek(packed)
            data = b""
            while data or (data := file.read(_CHUNK_BYTES)):
                if inflate.eof:
                    data = data.lstrip(b"\0")
                    if not data:
                        continue
                    inflate = zlib.decompressobj(_GZIP)
                chunk = inflate.decompress(data, _CHUNK_BYTES)
                data = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
                unpacked += len(chunk)
                yield chunk
                packed = file.tell() - len(data)
                due = unpacked - self._states[-1].unpacked >= _BETWEEN_STATES_BYTES
                if keep and due and not inflate.eof:
                    self._states.append(_State(unpacked, packed, inflate.copy()))
            yield inflate.flush()
            if not inflate.eof:
                raise EOFError("it ends too early")


def _load(kept: dict[str, Any]) -> tuple[dict[str, tuple[int, int]], list[str]]:
    places = {str(i): (int(at), int(length)) for i, (at, length) in kept["places"].items()}
    return places, list(map(str, kept["problems"]))
