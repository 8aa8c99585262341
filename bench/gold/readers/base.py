"""What every reader can do, and the one way to open a page file."""

from __future__ import annotations

import gzip
import zlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from bench.model import BenchError, GoldPage


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

    def _pair(self, pages: set[str], gold: set[str], *, page_at: str, gold_at: str) -> None:
        """Keep the ids that have both; ``page_at`` and ``gold_at`` say where ``{}`` should be.

        Raises ``GoldError`` when none has.
        """
        self._ids = sorted(pages & gold)
        self._problems += [
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


def page_file(folder: Path, stem: str) -> Path | None:
    """Return ``STEM.html`` or ``STEM.html.gz`` in a folder, None if there is neither."""
    for suffix in (".html", ".html.gz"):
        path = folder / (stem + suffix)
        if path.is_file():
            return path
    return None


def read_bytes(path: Path) -> bytes:
    """Return a file's content, unpacked when its name ends in ``.gz``.

    Raises ``GoldError`` for a corrupt or missing file.
    """
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise GoldError(
            f"{path} cannot be read ({error}); put a whole copy of the data set in its place"
        ) from error


def read_text(path: Path) -> str:
    """Return a text file in UTF-8 (a byte order mark is dropped).

    Raises ``GoldError`` for bytes that are not UTF-8.
    """
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GoldError(f"{path} is not UTF-8 ({error}); save it as UTF-8") from error
