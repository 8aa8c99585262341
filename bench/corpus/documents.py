"""What a corpus is built from: the pages of a data set, or documents of any type in a folder or WARC."""

import mimetypes
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from bench.corpus import components
from bench.datasets import catalogue
from bench.datasets.card import Card
from bench.datasets.catalogue import DataSet
from bench.datasets.readers.base import FILE_BYTES, GoldError, Reader, is_text
from bench.datasets.readers.folder import FACTS, FolderReader
from bench.datasets.readers.warc import WarcReader
from bench.model import BenchError

_COLLECTION = "urls.sqlite"
_NO_DOCUMENTS = (FACTS, _COLLECTION, "corpus.sqlite", "corpus.txt", "LICENSE", "card.toml")
_GOLD = "text/plain"
TYPE, TOO_LARGE = "type", "too-large"
"""Why something is left out unread."""
_ORIGIN = """SELECT parent.url, own.depth, own.status, own.fetched_at
    FROM urls AS own LEFT JOIN urls AS parent ON parent.id = own.parent_id WHERE own.url = ?"""


class Origin(NamedTuple):
    """How `bench collect` came by a page."""

    parent: str | None = None
    """The address where it was met first."""
    depth: int | None = None
    status: int | None = None
    fetched_at: str | None = None


@dataclass(frozen=True)
class Documents:
    """Documents in their order, with the type of each."""

    data_set: DataSet
    mimes: Mapping[str, str] = field(default_factory=dict)
    """By id; HTML where it is not there."""
    others: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """What is left out unread, by address or name: its type, and why (``type``, ``too-large``)."""
    collection: Path | None = None
    """``urls.sqlite`` of `bench collect`, where they come from it."""

    def mime(self, page_id: str) -> str:
        """Return the content type of a document."""
        return self.mimes.get(page_id, components.HTML[0])

    def only(self, ids: Collection[str]) -> DataSet:
        """Return some of the documents as a data set."""
        reader = self.data_set.reader
        left = reader.without(set(reader.ids).difference(ids))
        return DataSet(replace(self.data_set.card, fingerprint=""), left)

    def origin(self, url: str) -> Origin:
        """Return where an address comes from, as far as that is known."""
        try:
            row = self._collected and self._collected.execute(_ORIGIN, [url]).fetchone()
        except sqlite3.Error as error:
            raise BenchError(f"{self.collection} cannot be read ({error})") from error
        return Origin(*row) if row else Origin()

    @cached_property
    def _collected(self) -> sqlite3.Connection | None:
        if self.collection is None:
            return None
        return sqlite3.connect(f"{self.collection.absolute().as_uri()}?mode=ro", uri=True)


def open_documents(word: str) -> Documents:
    """Open a folder of documents, a WARC file or a folder of them, or a data set by its name.

    A folder that has pages and gold of the same names is taken as a data set would be: gold is no
    document. Raises ``GoldError`` for a folder without documents, and what ``catalogue.open_gold``
    raises.
    """
    root = _path(word)
    if not root.exists():
        return Documents(catalogue.open_gold(word))
    reader = _WarcDocuments(root) if _is_warc(root) else _FolderDocuments(root)
    if not reader.ids:
        raise GoldError(f"{root} holds no document of a type that has a component")
    card = Card(name=root.resolve().name, title=root.name, description="", layout="folder")
    beside = reader.root / _COLLECTION
    return Documents(
        DataSet(card, reader), reader.mimes, reader.others, beside if beside.is_file() else None
    )


def open_html(word: str) -> DataSet:
    """Open the HTML pages of the same alone, with their gold where they have any."""
    root = _path(word)
    if not root.exists():
        return catalogue.open_gold(word)
    return catalogue.open_gold(f"{catalogue.WARC if _is_warc(root) else catalogue.FOLDER}{root}")


def _path(word: str) -> Path:
    return Path(word.removeprefix(catalogue.FOLDER).removeprefix(catalogue.WARC)).expanduser()


def _is_warc(root: Path) -> bool:
    return root.is_file() or any(True for _ in root.glob("*.warc*"))


class _WarcDocuments(WarcReader):
    """What came with status 200 and is of a type that has a component, in its order there."""

    types = ()

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        known = components.types()
        self.mimes = {i: mime for i, (_, mime) in self.stated.items() if mime in known}
        self.ids = list(self.mimes)
        self.others = {url: (mime, TYPE) for url, mime in self.stated.values() if mime not in known}


class _FolderDocuments(FolderReader):
    """The files of a folder, those first, and in their order, that ``pages.jsonl`` tells of."""

    def __init__(self, root: Path) -> None:
        Reader.__init__(self, root)
        self._beside.append(root / FACTS)
        self.has_gold = False
        facts = self._read_facts(root / FACTS)
        folder = root / "pages" if (root / "pages").is_dir() else root
        files = {path.name: path for path in sorted(folder.iterdir()) if _is_document(path)}
        order = {page_id: place for place, page_id in enumerate(facts)}
        names = sorted(files, key=lambda name: order.get(_stem(name), len(order)))
        of_pages = {_stem(name) for name in names if _mime(name) in components.HTML}
        self.mimes: dict[str, str] = {}
        self.others: dict[str, tuple[str, str]] = {}
        for name in names:
            mime = _mime(name)
            if mime not in components.types():
                self.others[name] = (mime, TYPE)
            elif files[name].stat().st_size > FILE_BYTES:
                self.others[name] = (mime, TOO_LARGE)
            # Text beside a page of its name is the page's gold.
            elif mime != _GOLD or _stem(name) not in of_pages:
                self.mimes[name] = mime
        self.ids = list(self.mimes)
        self._names = {name: (str(files[name].relative_to(root)),) for name in self.ids}
        self._facts = {name: facts.get(_stem(name), {}) for name in self.ids}


def _is_document(path: Path) -> bool:
    named = is_text(path.name) and not path.name.startswith((".", *_NO_DOCUMENTS))
    return named and path.is_file()


def _stem(name: str) -> str:
    return name.removesuffix(".gz").rpartition(".")[0] or name


def _mime(name: str) -> str:
    """Return the type that a file's name tells."""
    plain = name.removesuffix(".gz").lower()
    guessed = mimetypes.guess_type(plain)[0] or "application/octet-stream"
    return components.by_suffix().get(Path(plain).suffix, guessed)
