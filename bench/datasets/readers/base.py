"""What every reader can do, and the one way to open a page file."""

from __future__ import annotations

import gzip
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.model import BenchError, GoldPage
from bench.worker.decode import codec

LICENCE = "LICENSE"
_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}


class GoldError(BenchError):
    """Something is wrong with a data set's files."""


class Reader(ABC):
    """A data set in a folder. Opening it lists the pages; a page is read when asked for."""

    def __init__(self, root: Path) -> None:
        """List the pages. Raises ``GoldError`` when the folder is not in this layout."""
        self.root = root
        self._ids: list[str] = []
        self._problems: list[str] = []

    @property
    def ids(self) -> Sequence[str]:
        """Ids of the pages that have gold, sorted."""
        return self._ids

    @property
    def problems(self) -> Sequence[str]:
        """What is left out, one line each: gold without a page, a page without gold."""
        return self._problems

    def _pair(
        self, pages: Iterable[str], gold: Iterable[str], *, page_at: str, gold_at: str
    ) -> None:
        """Keep the ids that have both; ``page_at`` and ``gold_at`` say where ``{}`` should be.

        Raises ``GoldError`` when none has.
        """
        pages, gold = set(pages), set(gold)
        misnamed = {i for i in pages | gold if not is_text(i)}
        pages, gold = pages - misnamed, gold - misnamed
        self._ids = sorted(pages & gold)
        self._problems += [
            *(f"file name is not UTF-8: {i!a}; rename it" for i in sorted(misnamed)),
            *(f"gold without a page: {i} (no {page_at.format(i)})" for i in sorted(gold - pages)),
            *(f"page without gold: {i} (no {gold_at.format(i)})" for i in sorted(pages - gold)),
        ]
        if not self._ids:
            pair = f"{page_at.format('ID')} and {gold_at.format('ID')}"
            raise GoldError(f"{self.root} holds no pair of {pair}")

    @abstractmethod
    def read(self, page_id: str) -> GoldPage:
        """Return one page. Raises ``GoldError`` naming the file that cannot be read."""

    @abstractmethod
    def files(self) -> Sequence[Path]:
        """The files that make up the data set, relative to the root."""


def page_ids(folder: Path) -> set[str]:
    """Return the ids of the pages in a folder: ``ID.html`` or ``ID.html.gz``."""
    names = (path.name for path in folder.glob("*.html*"))
    plain = (name.removesuffix(".gz") for name in names if name.endswith((".html", ".html.gz")))
    return {name.removesuffix(".html") for name in plain}


def page_file(folder: Path, stem: str) -> Path | None:
    """Return ``STEM.html`` or ``STEM.html.gz`` in a folder, None if there is neither."""
    for suffix in (".html", ".html.gz"):
        path = folder / (stem + suffix)
        if path.is_file():
            return path
    return None


def page_path(folder: Path, stem: str) -> Path:
    """Return ``STEM.html`` or ``STEM.html.gz`` in a folder. Raises ``GoldError`` for neither."""
    path = page_file(folder, stem)
    if path is None:
        raise GoldError(f"{folder} has no page {stem}")
    return path


def inner(root: Path, marker: str, *folders: str) -> Path:
    """Return the first of the root and these folders below it that has ``marker``, else the root.

    A data set is often somewhere inside the repository that it is published in.
    """
    for place in (root, *(root / folder for folder in folders)):
        if (place / marker).exists():
            return place
    return root


def is_text(name: str) -> bool:
    """Whether a file's name is text (Python marks bytes that are not with lone surrogates)."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def is_bare(name: str) -> bool:
    """Whether a name that stands in a data set's file is one file's, and leads nowhere else."""
    return name not in ("", ".", "..") and not set(name) & set("/\\\0")


def is_utf8(data: bytes) -> bool:
    """Whether bytes are valid UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def text(facts: dict[str, Any], name: str) -> str | None:
    """Return a text out of a JSON object, None for null or nothing. Raises ``TypeError``."""
    value = facts.get(name)
    if not isinstance(value, str | None):
        raise TypeError(f"{name} is no text")
    return value


def texts(facts: dict[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of texts out of a JSON object, empty for null. Raises ``TypeError``."""
    found = facts.get(name) or []
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise TypeError(f"{name} is no list of texts")
    return tuple(found)


def read_bytes(path: Path) -> bytes:
    """Return a file's content, unpacked when its name ends in ``.gz``.

    Raises ``GoldError`` for a corrupt or missing file.
    """
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: Exception) -> GoldError:
    """Return what to raise for a file that is missing or damaged."""
    return GoldError(
        f"{path} cannot be read ({error}); put a whole copy of the data set in its place"
    )


def read_text(path: Path) -> str:
    """Return a text file in UTF-8 (a byte order mark is dropped).

    Raises ``GoldError`` for bytes that are not UTF-8.
    """
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GoldError(f"{path} is not UTF-8 ({error}); save it as UTF-8") from error


def read_old_text(path: Path, label: str | None = None) -> str:
    """Return a text file from before UTF-8 was a matter of course.

    Order: a byte order mark, UTF-8 if valid, the charset that ``label`` means, windows-1252. Bytes
    that do not fit become U+FFFD. Raises ``GoldError`` for a file that cannot be read.
    """
    data = read_bytes(path)
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            return data.decode(name, "replace")
    if is_utf8(data):
        return data.decode("utf-8")
    return data.decode((codec(label) if label else None) or "cp1252", "replace")
