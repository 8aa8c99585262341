"""The members of a zip file."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, cast

from bench.datasets.fetch.members import DAMAGED, MIB, ArchiveError, Member, Readable

# As much of the directory as there may be: the library reads it into memory whole.
_DIRECTORY_BYTES = 16 * MIB


class _Capped:
    """A file of which no more than so much is read at once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell, self.close = file.seek, file.tell, file.close

    def seekable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size > _DIRECTORY_BYTES:
            raise ArchiveError("its directory is too large")
        data = self._file.read(size if size >= 0 else _DIRECTORY_BYTES + 1)
        if len(data) > _DIRECTORY_BYTES:
            raise ArchiveError("its directory is too large")
        return data


def members(path: Path) -> Iterator[Member]:
    """Yield the members. Raises ``ArchiveError`` for a damaged directory."""
    with path.open("rb") as file, _opened_zip(file) as archive:
        for info in archive.infolist():
            yield Member(
                # The library cuts the other spelling at a NUL.
                name=info.orig_filename,
                folder=info.filename.endswith("/"),
                trouble=_zip_trouble(info),
                open=partial(_opened_member, archive, info),
            )


def _opened_zip(file: BinaryIO) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(cast("IO[bytes]", _Capped(file)))
    except ArchiveError:
        raise
    except DAMAGED as error:
        raise ArchiveError(f"it is damaged ({error})") from error


def _zip_trouble(info: zipfile.ZipInfo) -> str:
    kind_bits = stat.S_IFMT(info.external_attr >> 16)
    if stat.S_ISLNK(kind_bits):
        return "is a link"
    if kind_bits not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a device or a pipe"
    if info.flag_bits & 0x1:
        return "is encrypted"
    return ""


def _opened_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Readable:
    try:
        return archive.open(info)
    except DAMAGED as error:
        raise ArchiveError(f"it is damaged ({error})") from error
