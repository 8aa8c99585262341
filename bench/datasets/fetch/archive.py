"""Unpacking an archive that a stranger made: plain files only, below one new folder, within limits.

Refused as a whole: a member with an absolute path, ``..``, a drive letter, a backslash or a control
character in its name; a link, a device, a pipe or anything else that is no plain file or folder; an
encrypted member; two members that are one file on a file system that ignores case or Unicode form;
more members or bytes than the limits, or a ratio of unpacked to packed that only a bomb has.

Declared sizes are not believed: bytes are counted as they come. Modes, owners and times are not
taken over, and files are created exclusively, so that nothing is ever written over or through.

``tarfile`` and ``zipfile`` read what there is; the ``data`` filter of the former (PEP 706) does not
choose: it lets links within the folder pass, makes absolute paths relative, keeps times, and knows
nothing of limits, of names that are one, or of archives that end too early; zip has none.
"""

import bz2
import gzip
import io
import lzma
import stat
import struct
import sys
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import IO, Self, TypeVar, cast

from bench.datasets.readers.base import GoldError

MIB = 2**20
_CHUNK = 64 * 1024
_LONGEST_NAME = 255
_DEEPEST = 32
# What may stand between the contents of a tar (long names, pax records), and in a zip's directory:
# the libraries read these into memory whole.
_HEADER_BYTES = 64 * 1024
_DIRECTORY_BYTES = 16 * MIB
MOST_MEMBERS = 100_000
MOST_BYTES = 8 * 2**30
"""Of all that is unpacked."""
_RATIO = 200.0
"""Unpacked to packed bytes. Pages pack about 5:1, JSON lines of them up to 20:1."""
_RATIO_FROM_BYTES = 32 * MIB
"""The ratio is looked at from this many unpacked bytes on: a small bomb does no harm."""
# What the libraries raise for damaged or made-up archives.
_DAMAGE = (
    OSError, EOFError, ValueError, LookupError, RuntimeError, OverflowError, AttributeError,
    TypeError, MemoryError, struct.error, zlib.error, lzma.LZMAError, tarfile.TarError,
    zipfile.BadZipFile,
)  # fmt: skip
_T = TypeVar("_T")


class ArchiveError(GoldError):
    """The archive is damaged, or not one that is unpacked."""


def kind(path: Path) -> str:
    """Return how a file is packed, by its content: as a card's ``unpack``; empty for none.

    Raises ``GoldError`` when it cannot be read.
    """
    try:
        with path.open("rb") as file:
            head = file.read(6)
        if head.startswith(b"PK") and zipfile.is_zipfile(path):
            return "zip"
        name = next(name for name, (magic, _) in _OPENERS.items() if head.startswith(magic))
        with _OPENERS[name][1](path) as unpacked:
            tarfile.TarInfo.frombuf(unpacked.read(tarfile.BLOCKSIZE), "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return ""
    except _DAMAGE as error:
        raise GoldError(f"{path} cannot be read ({error})") from error
    return name


def unpack(
    path: Path,
    into: Path,
    packed: str,
    *,
    source: str = "",
    strip: int = 0,
    only: tuple[str, ...] = (),
) -> int:
    """Unpack an archive (``packed`` as a card's ``unpack``) below a folder; return bytes written.

    ``strip`` leading folders are dropped, and of what is left the paths kept that begin with one of
    ``only`` (empty for all). Raises ``ArchiveError`` naming the member, and the archive as
    ``source`` or by its path. What was written until then stays behind: give a temporary folder, and
    throw it away.
    """
    budget = _Budget(path.stat().st_size)
    members = _zip_members(path, budget) if packed == "zip" else _tar_members(path, packed, budget)
    places = _Places(into)
    written = 0
    try:
        for count, member in enumerate(_undamaged(members), 1):
            if count > MOST_MEMBERS:
                raise ArchiveError(f"it has more than {MOST_MEMBERS} members")
            parts = _parts(member.name)[strip:]
            if not parts or (only and not "/".join([*parts, ""]).startswith(only)):
                continue
            if member.refusal:
                raise ArchiveError(f"{member.name!r} {member.refusal}")
            target = places.claim(parts, member)
            if not member.is_folder:
                written += _write(member.content, target)
        if not written:
            wanted = f" below {', '.join(only)}" if only else ""
            raise ArchiveError(f"it holds no file{wanted}")
    except ArchiveError as error:
        raise ArchiveError(f"{source or path}: the archive is not unpacked: {error}") from error
    return written


def _parts(name: str) -> tuple[str, ...]:
    """Return a member's path in parts. Raises ``ArchiveError`` for one that is not plain."""
    # Control characters, and the surrogates that stand for bytes in no known encoding.
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        raise ArchiveError(f"{name!r} is no plain name")
    if name.startswith("/"):
        raise ArchiveError(f"{name!r} is an absolute path")
    if "\\" in name or ":" in name:
        raise ArchiveError(f"{name!r} is a path of Windows")
    parts = PurePosixPath(name).parts
    if ".." in parts:
        raise ArchiveError(f"{name!r} leads out of the folder")
    if len(parts) > _DEEPEST or any(len(part.encode()) > _LONGEST_NAME for part in parts):
        raise ArchiveError(f"{name[:80]!r} is too long a name, or too deep")
    if not all(part.rstrip(". ") for part in parts):
        raise ArchiveError(f"{name!r} is no plain name")
    return parts


def _write(content: Iterator[bytes], target: Path) -> int:
    try:
        file = target.open("xb")
    except FileExistsError:
        raise ArchiveError(f"{target.name!r} is there already") from None
    with file:
        return sum(file.write(chunk) for chunk in _undamaged(content))


def _undamaged(items: Iterable[_T]) -> Iterator[_T]:
    """Yield what a library reads. Raises ``ArchiveError`` for whatever it raises."""
    try:
        yield from items
    except ArchiveError:
        raise
    except _DAMAGE as error:
        raise ArchiveError(f"it is damaged ({error or type(error).__name__})") from error


class _Places:
    """Paths in use below a folder, as a file system sees them that ignores case and Unicode form."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._taken: dict[str, tuple[str, bool]] = {}

    def claim(self, parts: tuple[str, ...], member: "_Member") -> Path:
        """Make the folders of a member and return its path. Raises ``ArchiveError`` if taken."""
        for depth in range(1, len(parts) + 1):
            is_file = depth == len(parts) and not member.is_folder
            # Windows drops dots and spaces at the end of a name.
            names = [part.rstrip(". ") for part in parts[:depth]]
            key = unicodedata.normalize("NFKC", "/".join(names)).casefold()
            place = ("/".join(parts[:depth]), is_file)
            taken = self._taken.setdefault(key, place)
            if taken is not place and (is_file or taken != place):
                raise ArchiveError(f"{member.name!r} takes the place of {taken[0]!r}")
        path = self._root.joinpath(*parts)
        (path if member.is_folder else path.parent).mkdir(parents=True, exist_ok=True)
        return path


class _Budget:
    """Counts what comes out of the archive against the limits."""

    def __init__(self, packed_bytes: int) -> None:
        self._packed_bytes = packed_bytes
        self._count = 0
        self.header_bytes = sys.maxsize
        """How much may come before this is set again."""

    def read(self, file: io.BufferedIOBase | IO[bytes], size: int) -> bytes:
        """Read up to so many unpacked bytes. Raises ``ArchiveError`` past a limit."""
        data = file.read(size)
        self._count += len(data)
        self.header_bytes -= len(data)
        if self.header_bytes < 0:
            raise ArchiveError("it has a header that is too long")
        if self._count > MOST_BYTES:
            raise ArchiveError(f"it unpacks to more than {MOST_BYTES // MIB} MiB")
        most = max(_RATIO_FROM_BYTES, _RATIO * self._packed_bytes)
        if self._count > most:
            raise ArchiveError(
                f"it unpacks to over {_RATIO:.0f} times its size, as only a bomb does"
            )
        return data


# -- members ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Member:
    """One member of an archive, before anything is believed of it."""

    name: str
    is_folder: bool
    refusal: str
    """Why it is not unpacked: "is a link"; empty for a plain file or folder."""
    content: Iterator[bytes]
    """To be read before the next member is asked for."""


_OPENERS: Mapping[str, tuple[bytes, Callable[[Path], io.BufferedIOBase]]] = {
    "tar.gz": (b"\x1f\x8b", gzip.GzipFile),
    "tar.bz2": (b"BZh", bz2.BZ2File),
    "tar.xz": (b"\xfd7zXZ\x00", lzma.LZMAFile),
    "tar": (b"", lambda path: path.open("rb")),
}
"""How each kind of tar begins, and what unpacks it."""


class _TarHeader(tarfile.TarInfo):
    """A header that is whole, or the end mark: the library takes a damaged one for the end."""

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile_)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError as error:
            raise ArchiveError(f"it is damaged ({error})") from error


def _tar_members(path: Path, packed: str, budget: _Budget) -> Iterator[_Member]:
    with _OPENERS[packed][1](path) as file:
        # Read forward only, so that nothing more than this is asked of it.
        stream = cast("IO[bytes]", SimpleNamespace(read=partial(budget.read, file)))
        budget.header_bytes = _HEADER_BYTES
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_TarHeader) as archive:
            while info := archive.next():
                budget.header_bytes = sys.maxsize
                # What is sparse says for itself how long it is.
                whole = archive.extractfile(info) if info.isreg() and not info.issparse() else None
                content = iter(partial((whole or io.BytesIO()).read, _CHUNK), b"")
                yield _Member(info.name, info.isdir(), _tar_refusal(info), content)
                for _ in content:
                    pass
                # The library would keep them all.
                archive.members.clear()  # type: ignore[attr-defined]
                budget.header_bytes = _HEADER_BYTES
        budget.header_bytes = sys.maxsize
        # To the end, so that the packer's checksum is looked at.
        while budget.read(file, _CHUNK):
            pass


def _tar_refusal(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return "is a link"
    if info.isdev():
        return "is a device or a pipe"
    if info.issparse() or not (info.isreg() or info.isdir()):
        return "is no plain file"
    return ""


class _CappedReader(io.BufferedReader):
    """A file of which no more than so much is read at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = _DIRECTORY_BYTES + 1 if size is None or size < 0 else size
        data = super().read(min(wanted, _DIRECTORY_BYTES + 1))
        if len(data) > _DIRECTORY_BYTES:
            raise ArchiveError("its directory is too large")
        return data


def _zip_members(path: Path, budget: _Budget) -> Iterator[_Member]:
    with _CappedReader(io.FileIO(path)) as file, zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            content = _zip_content(archive, info, budget)
            # The library cuts the other spelling of the name at a NUL.
            is_folder = info.filename.endswith("/")
            yield _Member(info.orig_filename, is_folder, _zip_refusal(info), content)


def _zip_content(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: _Budget
) -> Iterator[bytes]:
    with archive.open(info) as file:
        yield from iter(partial(budget.read, file, _CHUNK), b"")


def _zip_refusal(info: zipfile.ZipInfo) -> str:
    file_type = stat.S_IFMT(info.external_attr >> 16)
    if stat.S_ISLNK(file_type):
        return "is a link"
    if file_type not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a device or a pipe"
    if info.flag_bits & 0x1:
        return "is encrypted"
    return ""
