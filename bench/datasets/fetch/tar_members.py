"""The members of a tar file, packed or not, in one pass from front to back."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, cast

from bench.datasets.fetch.members import (
    CHUNK,
    DAMAGED,
    ArchiveError,
    Counter,
    Member,
    Readable,
    read,
)

# What one header may take (long names, pax records): the library reads it into memory whole.
_HEADER_BYTES = 64 * 1024


def _plain(path: Path) -> BinaryIO:
    return path.open("rb")


OPENERS: Mapping[str, tuple[bytes, Callable[[Path], AbstractContextManager[Readable]]]] = {
    "tar.gz": (b"\x1f\x8b", gzip.GzipFile),
    "tar.bz2": (b"BZh", bz2.BZ2File),
    "tar.xz": (b"\xfd7zXZ\x00", lzma.LZMAFile),
    "tar": (b"", _plain),
}
"""How each kind begins, and what unpacks it."""


def is_tar(block: bytes) -> bool:
    """Whether these 512 bytes are the header of a tar's member."""
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.TarError:
        return False
    return True


class _Stream:
    """The unpacked bytes of a tar, read forward only; what is skipped is counted as well."""

    def __init__(self, file: Readable, counter: Counter) -> None:
        self._file = file
        self._counter = counter
        self._at = 0
        self.allowance = 0
        self.last = b""

    def tell(self) -> int:
        return self._at

    def seek(self, at: int, whence: int = 0) -> int:
        if whence or at < self._at:
            raise ArchiveError("it cannot be read from front to back")
        while self._at < at and (skipped := self.take(min(CHUNK, at - self._at))):
            self._counter.add(len(skipped))
        return self._at

    def read(self, size: int) -> bytes:
        if not 0 <= size <= self.allowance:
            raise ArchiveError("it has a header that is too long")
        data = self.take(size)
        self.allowance -= len(data)
        self._counter.add(len(data))
        self.last = data
        return data

    def finish(self) -> None:
        """Read what is left, so that the packer's checksum is looked at."""
        while rest := self.take(CHUNK):
            self._counter.add(len(rest))

    def take(self, size: int) -> bytes:
        """Read on, not counted: the content of a member is, where it is written."""
        data = read(self._file, size)
        self._at += len(data)
        return data


class _Body:
    """The content of the member that a stream stands at."""

    def __init__(self, stream: _Stream, size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes. Raises ``ArchiveError`` where the archive ends too early."""
        size = min(size, self._left)
        data = self._stream.take(size) if size > 0 else b""
        if size > 0 and not data:
            raise ArchiveError("it ends in the middle of a member")
        self._left -= len(data)
        return data


def members(path: Path, packed: str, counter: Counter) -> Iterator[Member]:
    """Yield the members; each must be read before the next is asked for, or is skipped.

    Raises ``ArchiveError`` for a damaged header, and where the archive ends without its end mark.
    """
    with OPENERS[packed][1](path) as file:
        stream = _Stream(file, counter)
        archive: tarfile.TarFile | None = None
        while True:
            stream.allowance = _HEADER_BYTES
            try:
                if archive is None:
                    archive = tarfile.TarFile(fileobj=cast("IO[bytes]", stream))
                info = archive.next()
            except ArchiveError:
                raise
            except DAMAGED as error:
                raise ArchiveError(f"it is damaged ({error})") from error
            if info is None:
                # The library takes a damaged header, or none, for the end.
                if not stream.last or stream.last.strip(b"\0"):
                    raise ArchiveError("it is damaged (no end mark)")
                stream.finish()
                return
            # The library would keep them all.
            archive.members.clear()  # type: ignore[attr-defined]
            yield Member(
                info.name, info.isdir(), _tar_trouble(info), partial(_Body, stream, info.size)
            )


def _tar_trouble(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return "is a link"
    if info.isdev():
        return "is a device or a pipe"
    if info.issparse() or not (info.isreg() or info.isdir()):
        return "is no plain file"
    return ""
