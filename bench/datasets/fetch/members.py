"""What zip and tar have in common: members, the count of bytes, and what a damaged one raises."""

from __future__ import annotations

import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bench.datasets.readers.base import GoldError

MIB = 2**20
CHUNK = 64 * 1024
DAMAGED = (
    OSError, EOFError, ValueError, LookupError, RuntimeError, OverflowError, AttributeError,
    TypeError, MemoryError, struct.error, zlib.error, lzma.LZMAError, tarfile.TarError,
    zipfile.BadZipFile,
)  # fmt: skip
"""What the libraries raise for damaged or made-up archives."""


class ArchiveError(GoldError):
    """The archive is damaged, or not one that is unpacked."""


@dataclass(frozen=True)
class Limits:
    """How much an archive may hold."""

    members: int = 100_000
    total_bytes: int = 8 * 2**30
    """Of all that is unpacked."""
    ratio: float = 200.0
    """Unpacked to packed bytes. Pages pack about 5:1, JSON lines of them up to 20:1."""
    ratio_from_bytes: int = 32 * MIB
    """The ratio is looked at from this many unpacked bytes on: a small bomb does no harm."""


class Readable(Protocol):
    """What members are read from."""

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes."""


@dataclass(frozen=True)
class Member:
    """One member of an archive, before anything is believed of it."""

    name: str
    folder: bool
    trouble: str
    """Why it is not unpacked: "is a link"; empty for a plain file or folder."""
    open: Callable[[], Readable]


class Counter:
    """Bytes that came out of the archive, against the limits."""

    def __init__(self, packed: int, limits: Limits) -> None:
        self._packed = max(packed, 1)
        self._limits = limits
        self._count = 0

    def add(self, count: int) -> None:
        """Count bytes. Raises ``ArchiveError`` past a limit."""
        self._count += count
        if self._count > self._limits.total_bytes:
            raise ArchiveError(f"it unpacks to more than {self._limits.total_bytes // MIB} MiB")
        ratio = self._count / self._packed
        if self._count > self._limits.ratio_from_bytes and ratio > self._limits.ratio:
            raise ArchiveError(
                f"it unpacks to over {self._limits.ratio:.0f} times its size, as only a bomb does"
            )


def read(source: Readable, size: int) -> bytes:
    """Read up to so many bytes. Raises ``ArchiveError`` where the content is damaged."""
    try:
        return source.read(size)
    except ArchiveError:
        raise
    except DAMAGED as error:
        raise ArchiveError(f"it is damaged ({error or type(error).__name__})") from error
