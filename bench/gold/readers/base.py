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

    @property
    @abstractmethod
    def ids(self) -> Sequence[str]:
        """Ids of the pages that have gold, sorted."""

    @abstractmethod
    def read(self, page_id: str) -> GoldPage:
        """Return one page. Raises ``GoldError`` naming the file that cannot be read."""

    @abstractmethod
    def files(self) -> Sequence[Path]:
        """The files that make up the data set, relative to the root."""

    @property
    def problems(self) -> Sequence[str]:
        """Pairs that do not match: gold without a page, a page without gold. One line each."""
        return ()


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
