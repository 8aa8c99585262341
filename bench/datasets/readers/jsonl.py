"""Lines of JSON that are too many to hold: where each begins is listed once, then read by offset.

The list is remembered in the user's data directory for as long as the file does not change. A
``.gz`` file cannot be entered in the middle, so it is gone through once a process, the state of the
decompressor is kept every few MiB, and a line is read from the nearest one before it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.datasets.readers.base import GoldError, is_text, unreadable
from bench.util import paths

_FORMAT = 1
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

    def __init__(self, path: Path, key: str, check: Check) -> None:
        """List the lines; ``check`` says in words what makes a line unfit, None if nothing does.

        Raises ``GoldError`` naming the file (and line) for what is no JSON object with an id, and
        for a value that makes ``check`` raise ``TypeError``.
        """
        self.path = path
        self._key = key
        self._states: list[_State] = []
        self._places: dict[str, tuple[int, int]] = {}
        self._problems: list[str] = []
        try:
            memory = self._memory()
            if not self._recall(memory):
                self._list(check)
                self._remember(memory)
        except (OSError, EOFError, zlib.error) as error:
            raise unreadable(path, error) from error

    @property
    def places(self) -> Mapping[str, tuple[int, int]]:
        """Ids of the fit lines, with offset and length in bytes (unpacked)."""
        return self._places

    @property
    def problems(self) -> list[str]:
        """The lines that are left out, and why."""
        return self._problems

    def read(self, page_id: str) -> Record:
        """Return one line's object. Raises ``GoldError`` naming the file that has changed."""
        offset, length = self._places[page_id]
        try:
            record = dict(json.loads(self._bytes(offset, length)))
            if record.get(self._key) != page_id:
                raise ValueError("it has changed meanwhile")
        except (OSError, EOFError, zlib.error, ValueError, TypeError) as error:
            raise unreadable(self.path, error) from error
        return record

    def _list(self, check: Check) -> None:
        for number, (offset, line) in enumerate(self._lines(), 1):
            if line.strip():
                self._add(number, offset, line, check)

    def _memory(self) -> Path:
        """Return where the list of this file's lines is remembered, wherever the file is moved."""
        stat = self.path.stat()
        file = (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)
        digest = hashlib.sha256(f"{_FORMAT} {self._key} {self.path.name} {file}".encode())
        return paths.home() / "cache" / "lines" / f"{digest.hexdigest()}.json"

    def _recall(self, memory: Path) -> bool:
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
            kept = json.loads(memory.read_text(encoding="utf-8"))
            places = {str(i): (int(at), int(length)) for i, (at, length) in kept["places"].items()}
            self._problems = list(map(str, kept["problems"]))
            self._places = places
            return True
        return False

    def _remember(self, memory: Path) -> None:
        with contextlib.suppress(OSError):
            memory.parent.mkdir(parents=True, exist_ok=True)
            kept = {"places": self._places, "problems": self._problems}
            memory.write_text(json.dumps(kept), encoding="utf-8")

    def _add(self, number: int, offset: int, line: bytes, check: Check) -> None:
        try:
            record = dict(json.loads(line))
            page_id = record[self._key]
            if not isinstance(page_id, str) or not page_id or not is_text(page_id):
                raise TypeError(f"{self._key} is no text")
            unfit = check(record)
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise GoldError(
                f'{self.path}, line {number}: no JSON object with a "{self._key}" ({error}); '
                "put a whole copy of the data set in its place"
            ) from error
        if page_id in self._places:
            unfit = "its id occurs before"
        if unfit:
            self._problems.append(f"{page_id} in {self.path.name}, line {number}: {unfit}")
        else:
            self._places[page_id] = (offset, len(line))

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        offset = 0
        rest: list[bytes] = []
        for chunk in self._chunks():
            *whole, last = chunk.split(b"\n")
            for part in whole:
                line = b"".join([*rest, part])
                yield offset, line
                offset += len(line) + 1
                rest = []
            rest.append(last)
        yield offset, b"".join(rest)

    def _bytes(self, offset: int, length: int) -> bytes:
        if self.path.suffix != ".gz":
            with self.path.open("rb") as file:
                file.seek(offset)
                return file.read(length)
        if not self._states:
            for _ in self._chunks():
                pass
        near = self._states[bisect_right(self._states, offset, key=lambda s: s.unpacked) - 1]
        found = bytearray()
        skip = offset - near.unpacked
        for chunk in self._inflated(near):
            found += chunk[skip : skip + length - len(found)]
            skip = max(0, skip - len(chunk))
            if len(found) == length:
                break
        return bytes(found)

    def _chunks(self) -> Iterator[bytes]:
        if self.path.suffix == ".gz":
            self._states = [_State(0, 0, zlib.decompressobj(_GZIP))]
            yield from self._inflated(self._states[0], keep=True)
            return
        with self.path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                yield chunk

    def _inflated(self, state: _State, *, keep: bool = False) -> Iterator[bytes]:
        """Yield what comes after a state, ``keep``-ing states on the way; members may follow."""
        inflate, unpacked, packed = state.inflate.copy(), state.unpacked, state.packed
        with self.path.open("rb") as file:
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
