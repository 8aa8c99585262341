"""Lines of JSON that are too many to hold: where each begins is listed once, then read by offset.

The list is remembered in the user's data directory for as long as the file does not change. A
``.gz`` file cannot be entered in the middle, so it is unpacked once a process to a temporary file.
"""

import gzip
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from bench.datasets.readers.base import (
    DAMAGE,
    FILE_BYTES,
    MIB,
    GoldError,
    is_text,
    open_file,
    state_of,
    unreadable,
    well_formed,
)
from bench.util.remembered import remembered

LINE_BYTES = 4 * FILE_BYTES
"""A line must not be longer: it holds a page with its gold, escaped."""
UNPACKED_BYTES = 8 << 30
"""What is in a ``.gz`` file must not be longer."""
_FORMAT = 2
"""Of what is remembered; it rises when a reader's idea of a fit line changes."""
_CHUNK_BYTES = 1 << 18

Record = dict[str, Any]
Check = Callable[[Record], str | None]
_Lines = tuple[dict[str, tuple[int, int]], list[str]]


class JsonLines:
    """A file of JSON objects, one a line, each with an id under ``key``."""

    def __init__(self, path: Path, root: Path, key: str, check: Check) -> None:
        """List the lines of a file of the data set in ``root``.

        ``check`` says in words what makes a line unfit, None if nothing does. Raises ``GoldError``
        naming the file (and line) for what is no JSON object with an id, and for a value that makes
        ``check`` raise ``TypeError``.
        """
        import msgspec  # not at the top: help needs none of it

        self.path = path
        self._within = root.resolve()
        self._key = key
        self.places: Mapping[str, tuple[int, int]]
        """Ids of the fit lines, with offset and length in bytes (unpacked)."""
        self.problems: list[str]
        """The lines that are left out, and why."""
        with self._opened() as file:
            state = state_of(file, _FORMAT, key, path.name)
        self.places, self.problems = remembered(
            "lines",
            state,
            lambda: self._list(check),
            dump=msgspec.json.encode,
            load=msgspec.json.Decoder(_Lines).decode,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave the temporary file behind: another process has its own."""
        return {name: value for name, value in vars(self).items() if name != "_unpacked"}

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

    def _list(self, check: Check) -> _Lines:
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

    def _chunks(self) -> Iterator[bytes]:
        offset = 0
        while chunk := self._bytes(offset, _CHUNK_BYTES):
            yield chunk
            offset += len(chunk)

    def _bytes(self, offset: int, length: int) -> bytes:
        """Return what the file has there, unpacked; threads may ask side by side."""
        if self.path.suffix == ".gz":
            return os.pread(self._unpacked.fileno(), length, offset)
        with self._opened() as file:
            return os.pread(file.fileno(), length, offset)

    @cached_property
    def _unpacked(self) -> BinaryIO:
        unpacked = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - it lives as long as this
        with self._opened() as packed, gzip.GzipFile(fileobj=packed) as content:
            while chunk := content.read(_CHUNK_BYTES):
                unpacked.write(chunk)
                if unpacked.tell() > UNPACKED_BYTES:
                    raise GoldError(
                        f"{self.path} is longer than {UNPACKED_BYTES // MIB} MiB; leave it out"
                    )
        return unpacked

    def _opened(self) -> BinaryIO:
        return open_file(self.path, self._within)
