"""What every reader can do, and the one way to open a data set's files."""

import contextlib
import copy
import gzip
import hashlib
import json
import os
import stat
import zlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Self

from bench.model import BenchError, Gold, GoldPage
from bench.worker.decode import codec, is_utf8

MIB = 2**20
FILE_BYTES = 64 * MIB
"""A page, or any other file that is read whole, must not be longer once it is unpacked."""
_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
_WRONG_FACTS = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
PAGE = (".html", ".html.gz")
"""How the name of a page's file ends."""
DAMAGE = (OSError, EOFError, zlib.error)
"""What reading a damaged file raises."""


class GoldError(BenchError):
    """Something is wrong with a data set's files."""


# -- files ------------------------------------------------------------------------------------


def open_file(path: Path, root: Path) -> BinaryIO:
    """Open a file of the data set in ``root``, resolved; a link may lead to another of its files.

    Raises ``GoldError`` for what is no regular file (a pipe would never end), for a link that leads
    out of the folder, and for what cannot be opened.
    """
    try:
        place = path.resolve(strict=True)
        if not place.is_relative_to(root):
            raise GoldError(
                f"{path} leads out of the data set, to {place}; put the file in its place"
            )
        # Without O_NONBLOCK, opening a pipe waits for somebody who writes.
        file = os.fdopen(os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")
    except (OSError, RuntimeError) as error:
        raise unreadable(path, error) from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise GoldError(f"{path} is no regular file; put the file itself in its place")
    return file


def state_of(file: BinaryIO, *about: object) -> str:
    """Return a hash over what the file system says of a file, wherever it is moved to, and the rest."""
    stat = os.fstat(file.fileno())
    state = (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, *about)
    return hashlib.sha256(repr(state).encode()).hexdigest()


def unreadable(path: Path, error: Exception) -> GoldError:
    """Return what to raise for a file that is missing or damaged."""
    return GoldError(
        f"{path} cannot be read ({error}); put a whole copy of the data set in its place"
    )


@contextlib.contextmanager
def well_formed(what: str) -> Iterator[None]:
    """Turn whatever wrong facts raise into a ``GoldError``; ``what`` says where, and what it is not."""
    try:
        yield
    except _WRONG_FACTS as error:
        raise GoldError(f"{what} ({type(error).__name__}: {error})") from error


def files_by_id(folder: Path, *endings: str) -> dict[str, Path]:
    """Return the files of a folder with one of these endings, by what stands before it.

    Of several files with one id the first by name counts.
    """
    ending_of = {
        path: next(filter(path.name.endswith, endings), "")
        for path in sorted(folder.glob("*"), reverse=True)
    }
    return {path.name.removesuffix(end): path for path, end in ending_of.items() if end}


def packed_or_not(path: Path) -> Path | None:
    """Return the path, or the one with ``.gz`` behind it, where there is a file; None for neither."""
    return next((p for p in (path, path.with_name(f"{path.name}.gz")) if p.exists()), None)


def inner(root: Path, marker: str, *folders: str) -> Path:
    """Return the first of the root and these folders below it that has ``marker``, else the root.

    A data set is often somewhere inside the repository that it is published in.
    """
    places = (root, *(root / folder for folder in folders))
    return next((place for place in places if (place / marker).exists()), root)


# -- values -----------------------------------------------------------------------------------


def is_text(name: str) -> bool:
    """Whether a file's name is text (Python marks bytes that are not with lone surrogates)."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def is_bare(name: str) -> bool:
    """Whether a name that stands in a data set's file is one file's, and leads nowhere else."""
    return name not in ("", ".", "..") and not set(name) & set("/\\\0")


def text(facts: dict[str, Any], name: str) -> str | None:
    """Return a text out of a JSON object, None for null or nothing. Raises ``TypeError``."""
    value = facts.get(name)
    if not isinstance(value, str | None):
        raise TypeError(f"{name} is no text")
    return value


def texts(facts: dict[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of texts out of a JSON object, empty for null. Raises ``TypeError``."""
    values = facts.get(name) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{name} is no list of texts")
    return tuple(values)


def in_random_order(ids: Iterable[str], seed: int) -> list[str]:
    """Return ids in an order by chance: every beginning is a fair sample of all.

    It depends on seed and ids alone; what is added later finds its place among them.
    """
    return sorted(ids, key=lambda page_id: hashlib.sha256(f"{seed} {page_id}".encode()).digest())


# -- readers ----------------------------------------------------------------------------------


class Reader(ABC):
    """A data set in a folder. Opening it lists the pages; a page is read when asked for."""

    layout_of: ClassVar[str] = "this data set"
    """Whose layout it is, for messages."""
    has_gold = True
    """Whether any page has gold; without, extractors can be run and not scored."""

    def __init__(self, root: Path) -> None:
        """List the pages. Raises ``GoldError`` when the folder is not in this layout."""
        self.root = root
        self._within = root.resolve()
        self.ids: Sequence[str] = []
        """Ids of the pages that have gold, sorted."""
        self.problems: list[str] = []
        """What is left out, one line each: gold without a page, a page without gold."""
        self.whole: Reader | None = None
        """The reader of all pages, where this one has only some of them."""
        self._beside = [root / "LICENSE"]
        """Files that go with the pages, where they are there."""
        self._names: Mapping[str, tuple[str, ...]] = {}
        """Each page's own file below the root, then its gold's where that has one; none where all
        are in one. As text: of many pages, paths would take ten times as much memory."""

    @abstractmethod
    def read(self, page_id: str) -> GoldPage:
        """Return one page. Raises ``GoldError`` naming the file that cannot be read."""

    def gold(self, page_id: str) -> Gold:
        """Return a page's gold, and read no page for it where the two lie apart."""
        return self.read(page_id).gold

    def only(self, ids: Collection[str]) -> Self:
        """Return a reader of some of the pages, which never reads the others."""
        kept = copy.copy(self)
        kept.ids = sorted(ids)
        return kept

    def without(self, left_out: Collection[str]) -> Self:
        """Return a reader of the pages but for some."""
        kept = self.only([page_id for page_id in self.ids if page_id not in left_out])
        kept.whole = self
        return kept

    def files(self) -> Sequence[Path]:
        """Return the files that make up the data set, relative to the root."""
        return [path.relative_to(self.root) for path in self.paths()]

    def paths(self) -> Iterator[Path]:
        """Yield the same files, below the root as it was given."""
        yield from filter(Path.is_file, self._beside)
        for page_id in self.ids:
            yield from self._files(page_id)

    def _files(self, page_id: str) -> Sequence[Path]:
        return [self.root / name for name in self._names.get(page_id, ())]

    def changed_last(self) -> Path:
        """Return which of the files was changed last."""
        return max(self.paths(), key=lambda path: path.stat().st_ctime_ns, default=self.root)

    def _pair(
        self,
        pages: Mapping[str, Path | str],
        gold: Mapping[str, Path | str | None],
        *,
        page_at: str,
        gold_at: str,
    ) -> None:
        """Keep the ids that have both; ``page_at`` and ``gold_at`` say where ``{}`` should be.

        Both are files by id, as text where seen from the root, None for gold that has none of its
        own. Raises ``GoldError`` when no id has both.
        """
        misnamed = {i for i in (*pages, *gold) if not is_text(i)}
        with_page, with_gold = pages.keys() - misnamed, gold.keys() - misnamed
        self.ids = sorted(with_page & with_gold)
        within = f"{self.root}/"
        self._names = {
            i: tuple(
                file if isinstance(file, str) else str(file).removeprefix(within)
                for file in (pages[i], gold[i])
                if file
            )
            for i in self.ids
        }
        self.problems += [
            *(f"file name is not UTF-8: {i!a}; rename it" for i in sorted(misnamed)),
            *(
                f"gold without a page: {i} (no {page_at.format(i)})"
                for i in sorted(with_gold - with_page)
            ),
            *(
                f"page without gold: {i} (no {gold_at.format(i)})"
                for i in sorted(with_page - with_gold)
            ),
        ]
        if not self.ids:
            pair = f"{page_at.format('ID')} and {gold_at.format('ID')}"
            raise GoldError(f"{self.root} holds no pair of {pair}")

    def _lacks(self, what: str) -> GoldError:
        """Return what to raise for a folder that is not in this layout."""
        return GoldError(f"{self.root} is not in {self.layout_of}'s layout: it has no {what}")

    def _bytes(self, path: Path) -> bytes:
        """Return a file's content, unpacked when its name ends in ``.gz``.

        Raises ``GoldError`` for a file that is missing, damaged, no file, or too long.
        """
        try:
            with open_file(path, self._within) as file:
                source = gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file
                data = source.read(FILE_BYTES + 1)
        except DAMAGE as error:
            raise unreadable(path, error) from error
        if len(data) > FILE_BYTES:
            raise GoldError(f"{path} is longer than {FILE_BYTES // MIB} MiB; leave it out")
        return data

    def _text(self, path: Path) -> str:
        """Return a text file in UTF-8 (a byte order mark is dropped).

        Raises ``GoldError`` for bytes that are not UTF-8.
        """
        try:
            return self._bytes(path).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise GoldError(f"{path} is not UTF-8 ({error}); save it as UTF-8") from error

    def _json(self, path: Path) -> dict[str, Any]:
        """Return the object in a JSON file. Raises as ``well_formed`` takes it."""
        return dict(json.loads(self._text(path)))

    def _old_text(self, path: Path, label: str | None = None) -> str:
        """Return a text file from before UTF-8 was a matter of course.

        Order: a byte order mark, UTF-8 if valid, the charset that ``label`` means, windows-1252.
        Bytes that do not fit become U+FFFD. Raises ``GoldError`` for a file that cannot be read.
        """
        data = self._bytes(path)
        for mark, name in _MARKS.items():
            if data.startswith(mark):
                return data.decode(name, "replace")
        if is_utf8(data):
            return data.decode("utf-8")
        return data.decode((codec(label) if label else None) or "cp1252", "replace")
