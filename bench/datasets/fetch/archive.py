"""Unpacking an archive that a stranger made: plain files only, below one new folder, within limits.

Refused as a whole: a member with an absolute path, ``..``, a drive letter, a backslash or a control
character in its name; a link, a device, a pipe or anything else that is no plain file or folder; an
encrypted member; two members that are one file on a file system that ignores case or Unicode form;
more members or bytes than the limits, or a ratio of unpacked to packed that only a bomb has.

Declared sizes are not believed: bytes are counted as they come. Modes, owners and times are not
taken over, and files are created exclusively, so that nothing is ever written over or through.
"""

from __future__ import annotations

import tarfile
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bench.datasets.fetch import tar_members, zip_members
from bench.datasets.fetch.members import (
    CHUNK,
    DAMAGED,
    ArchiveError,
    Counter,
    Limits,
    Member,
    Readable,
    read,
)
from bench.datasets.readers.base import GoldError

_LONGEST_NAME = 255
_DEEPEST = 32


@dataclass(frozen=True)
class Selection:
    """Which members are unpacked, and where to below the folder."""

    strip: int = 0
    """Leading folders to drop."""
    only: tuple[str, ...] = ()
    """Beginnings of paths, after ``strip``, to keep; empty for all."""

    def place(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """Return a member's path below the folder; empty when it is left out."""
        kept = parts[self.strip :]
        wanted = not self.only or "/".join([*kept, ""]).startswith(self.only)
        return kept if wanted else ()


ALL = Selection()
DEFAULT = Limits()


def kind(path: Path) -> str:
    """Return how a file is packed, by its content: an entry of ``card.UNPACK``; empty for none.

    Raises ``GoldError`` when it cannot be read.
    """
    try:
        return _kind(path)
    except DAMAGED as error:
        raise GoldError(f"{path} cannot be read ({error})") from error


def _kind(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(6)
    if head.startswith(b"PK") and zipfile.is_zipfile(path):
        return "zip"
    for name, (magic, opener) in tar_members.OPENERS.items():
        if head.startswith(magic):
            with opener(path) as unpacked:
                return name if tar_members.is_tar(unpacked.read(tarfile.BLOCKSIZE)) else ""
    return ""


def unpack(
    path: Path, into: Path, packed: str, *, select: Selection = ALL, limits: Limits = DEFAULT
) -> int:
    """Unpack an archive (``packed`` as in ``card.UNPACK``) below a folder; return bytes written.

    Raises ``ArchiveError`` naming the member. What was written until then stays
    behind: give a temporary folder, and throw it away.
    """
    counter = Counter(path.stat().st_size, limits)
    taken = _Taken(into)
    written = 0
    try:
        for count, member in enumerate(_members(path, packed, counter), 1):
            if count > limits.members:
                raise ArchiveError(f"it has more than {limits.members} members")
            parts = select.place(_parts(member.name))
            if not parts:
                continue
            if member.trouble:
                raise ArchiveError(f"{member.name!r} {member.trouble}")
            target = taken.claim(parts, member)
            if not member.folder:
                written += _write(member.open(), target, counter)
    except ArchiveError as error:
        raise ArchiveError(f"the archive is not unpacked: {error}") from error
    if not written:
        wanted = f" below {', '.join(select.only)}" if select.only else ""
        raise ArchiveError(f"the archive holds no file{wanted}")
    return written


def _members(path: Path, packed: str, counter: Counter) -> Iterator[Member]:
    if packed == "zip":
        return zip_members.members(path)
    return tar_members.members(path, packed, counter)


class _Taken:
    """Paths in use below a folder, as a file system sees them that ignores case and Unicode form."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seen: dict[str, tuple[str, bool]] = {}

    def claim(self, parts: tuple[str, ...], member: Member) -> Path:
        """Make the folders of a member and return its path. Raises ``ArchiveError`` if taken."""
        for depth in range(1, len(parts) + 1):
            file = depth == len(parts) and not member.folder
            key = "/".join(_folded(part) for part in parts[:depth])
            mine = ("/".join(parts[:depth]), not file)
            before = self._seen.get(key)
            if before is not None and (file or before != mine):
                raise ArchiveError(f"{member.name!r} takes the place of {before[0]!r}")
            self._seen[key] = mine
        path = self._root.joinpath(*parts)
        (path if member.folder else path.parent).mkdir(parents=True, exist_ok=True)
        return path


def _folded(part: str) -> str:
    # Windows drops dots and spaces at the end of a name.
    return unicodedata.normalize("NFKC", part.rstrip(". ")).casefold()


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


def _write(source: Readable, target: Path, counter: Counter) -> int:
    written = 0
    try:
        file = target.open("xb")
    except FileExistsError:
        raise ArchiveError(f"{target.name!r} is there already") from None
    with file:
        while chunk := read(source, CHUNK):
            counter.add(len(chunk))
            file.write(chunk)
            written += len(chunk)
    return written
