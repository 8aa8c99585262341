"""``corpus.sqlite`` and ``corpus.txt``: what a corpus holds, and what became of every document.

One process writes. Each document is one transaction, in which its place in ``corpus.txt`` is noted:
what a killed build had begun to write there is cut off when it goes on. A document's words wait in
``uncounted``, within that transaction, and are added to ``words`` with those of others, in another.
"""

import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from bench.corpus import words
from bench.model import BenchError, UsageError
from bench.runs.store.manifest import now
from bench.util import locks
from bench.util.database import Database

DATABASE, TEXT = "corpus.sqlite", "corpus.txt"
DONE, SKIPPED, FAILED = "done", "skipped", "failed"
"""States of a document: its text is in the corpus; it is left out; it could not be read."""
_SCHEMA = 1
_TABLES = """
CREATE TABLE urls (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, parent_id INTEGER, depth INTEGER,
    state TEXT NOT NULL, reason TEXT, status INTEGER, mime TEXT, charset TEXT, bytes INTEGER,
    sha256 TEXT, component TEXT, words INTEGER, fetched_at TEXT, language TEXT, page TEXT,
    text_end INTEGER
);
CREATE TABLE words (word TEXT PRIMARY KEY, frequency INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE uncounted (url_id INTEGER PRIMARY KEY, frequencies BLOB NOT NULL);
CREATE TABLE phrases (
    id INTEGER PRIMARY KEY, url_id INTEGER NOT NULL, position INTEGER NOT NULL, text TEXT NOT NULL
);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, root TEXT NOT NULL, depth INTEGER, started TEXT NOT NULL, finished TEXT,
    settings TEXT NOT NULL
);
"""
_COUNT_WORDS = """INSERT INTO words VALUES (?, ?)
    ON CONFLICT (word) DO UPDATE SET frequency = frequency + excluded.frequency"""
_CACHE_KIB, _CHECKPOINT_PAGES = 16384, 10000
_COUNTED_AT_ONCE = 2000
"""Documents whose words are added to ``words`` together: each has hundreds, mostly the same."""


@dataclass(frozen=True)
class Entry:
    """A row of ``urls``."""

    url: str
    page: str
    """Its id among the pages that the corpus is built from."""
    state: str
    reason: str | None = None
    parent_id: int | None = None
    depth: int | None = None
    status: int | None = None
    mime: str | None = None
    charset: str | None = None
    bytes: int | None = None
    sha256: str | None = None
    component: str | None = None
    fetched_at: str | None = None
    language: str | None = None


class Store(Database):
    """A corpus on disk, opened: to read it, or, inside ``writing``, to add to it."""

    def __init__(self, folder: Path, *, make: bool = False) -> None:
        """Open a corpus, or ``make`` one. Raises ``UsageError`` for another file or version."""
        self.folder = folder
        path = folder / DATABASE
        if not make and not path.is_file():
            raise UsageError(f"{folder} holds no corpus ({DATABASE} is not there)")
        with self._reaching():
            folder.mkdir(parents=True, exist_ok=True)
            super().__init__(path, _TABLES, _SCHEMA, make=make)
            self._db.create_function("unaccented", 1, words.unaccented, deterministic=True)

    # -- writing ------------------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Write in the block. Raises ``BenchError`` where the disk refuses, or the text is cut short."""
        path = self.folder / TEXT
        with self._reaching():
            self._db.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
            self._db.execute(f"PRAGMA wal_autocheckpoint={_CHECKPOINT_PAGES}")
            ((end,),) = self._query("SELECT coalesce(max(text_end), 0) FROM urls")
            with path.open("ab") as self._text:
                if self._text.tell() < end:
                    raise BenchError(
                        f"{path} is shorter than its database says; remove both and give the same "
                        "command again: no page is extracted again"
                    )
                self._text.truncate(end)
                ((self._uncounted,),) = self._query("SELECT count(*) FROM uncounted")
                try:
                    yield
                finally:
                    self._count()

    def begin(self, root: str, settings: Mapping[str, Any], *, anew: bool) -> None:
        """Note that a build begins, where the last one ended and there is something to do ``anew``.

        Raises ``UsageError`` for other settings than the corpus was begun with.
        """
        text = json.dumps(settings, sort_keys=True)
        last_run = self._query("SELECT settings, finished FROM runs ORDER BY id DESC LIMIT 1")
        if last_run and last_run[0][0] != text:
            raise UsageError(
                f"{self.folder} was built with other settings ({last_run[0][0]}); give these another "
                "--out"
            )
        if not last_run or (anew and last_run[0][1]):
            values = {"root": root, "started": now(), "settings": text}
            with self.transaction():
                self._insert("runs", values)

    def finish(self) -> None:
        """Note that every document is there, once all words are counted."""
        self._count()
        with self.transaction():
            self._db.execute(
                "UPDATE runs SET finished = ?, depth = (SELECT max(depth) FROM urls)"
                " WHERE finished IS NULL",
                [now()],
            )

    def _count(self) -> None:
        """Add the words that wait to those that are counted."""
        total: Counter[str] = Counter()
        for (frequencies,) in self._query("SELECT frequencies FROM uncounted"):
            total.update(msgspec.json.decode(frequencies, type=dict[str, int]))
        with self.transaction():
            self._db.executemany(_COUNT_WORDS, sorted(total.items()))
            self._db.execute("DELETE FROM uncounted")
        self._uncounted = 0

    @contextlib.contextmanager
    def document(self) -> Iterator[None]:
        """Write what is added in the block, or nothing."""
        with self.transaction():
            yield
        if self._uncounted >= _COUNTED_AT_ONCE:
            self._count()

    def add(self, entry: Entry, text: str | None = None, parent: str | None = None) -> int:
        """Add a row, and a text with its words and phrases; return the row's id.

        ``parent`` is the address of its parent. An address that is there already is distinguished by
        the page's id.
        """
        row = dict(vars(entry))
        if self._query("SELECT 1 FROM urls WHERE url = ?", entry.url):
            row["url"] = f"{entry.url}#{entry.page}"
        if parent is not None and (
            known := self._query("SELECT id FROM urls WHERE url = ?", parent)
        ):
            row["parent_id"] = known[0][0]
        if text is None:
            return self._insert("urls", row)
        text = words.normal(text).strip()
        frequencies = words.frequencies(text)
        self._text.write(f"{text}\n\n".encode())
        self._text.flush()
        row |= {"words": frequencies.total(), "text_end": self._text.tell()}
        number = self._insert("urls", row)
        self._insert(
            "uncounted", {"url_id": number, "frequencies": msgspec.json.encode(frequencies)}
        )
        self._db.executemany(
            "INSERT INTO phrases (url_id, position, text) VALUES (?, ?, ?)",
            ((number, place, phrase) for place, phrase in enumerate(words.phrases(text))),
        )
        self._uncounted += 1
        return number

    def _insert(self, table: str, row: Mapping[str, Any]) -> int:
        places = ", ".join("?" * len(row))
        done = self._db.execute(
            f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})",  # noqa: S608 - our names
            list(row.values()),
        )
        return int(done.lastrowid or 0)

    # -- reading ------------------------------------------------------------------------------

    @property
    def pages(self) -> set[str]:
        """Ids of the pages that are there, whatever became of them."""
        return {page for (page,) in self._query("SELECT page FROM urls")}

    def words(self, containing: str = "", min_share: float = 0.0) -> list[tuple[str, int]]:
        """Return words with their frequencies, the most frequent first.

        ``containing`` is looked for whatever marks letters have; ``min_share`` is the share of all
        words that a word must have, below which words of the web are mostly noise.
        """
        return self._query(
            "SELECT word, frequency FROM words WHERE frequency >= ? * (SELECT sum(frequency) FROM"
            " words) AND (? = '' OR instr(unaccented(word), ?)) ORDER BY frequency DESC, word",
            min_share,
            containing,
            words.unaccented(containing),
        )

    def phrases(self, containing: str, top: int) -> list[tuple[str, int]]:
        """Return phrases that occur most often, with how often they do."""
        return self._query(
            "SELECT text, count(*) AS times FROM phrases WHERE ? = '' OR instr(unaccented(text), ?)"
            " GROUP BY text ORDER BY times DESC, text LIMIT ?",
            containing,
            words.unaccented(containing),
            top,
        )

    def stats(self) -> dict[str, Any]:
        """Return how many texts, words, distinct words, phrases, and bytes of text there are.

        Under ``documents``: how many there are by state, reason, type, component and language.
        """
        ((texts, count, size, distinct, phrases),) = self._query(
            "SELECT count(text_end), coalesce(sum(words), 0), coalesce(max(text_end), 0),"
            " (SELECT count(*) FROM words), (SELECT count(*) FROM phrases) FROM urls"
        )
        return {
            "texts": texts,
            "words": count,
            "distinct_words": distinct,
            "phrases": phrases,
            "bytes": size,
            "documents": {
                name: self._documents_by(name)
                for name in ("state", "reason", "mime", "component", "language")
            },
        }

    def _documents_by(self, column: str) -> dict[str, int]:
        """Return how many documents have each value of a column; of a reason its kind."""
        kind = f"substr({column}, 1, instr({column} || ':', ':') - 1)"
        return dict(
            self._query(
                f"SELECT {kind}, count(*) FROM urls WHERE {column} IS NOT NULL"  # noqa: S608
                " GROUP BY 1 ORDER BY 2 DESC, 1"
            )
        )

    def ends(self) -> list[int]:
        """Return where each text ends in ``corpus.txt``, in bytes."""
        return [
            end for (end,) in self._query("SELECT text_end FROM urls WHERE text_end ORDER BY id")
        ]

    def _query(self, words: str, *values: Any) -> list[Any]:
        with self._reaching():
            return self._db.execute(words, values).fetchall()

    @contextlib.contextmanager
    def _reaching(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise BenchError(
                f"{self.folder} cannot be used ({error}); free space or check the disk, then give the "
                "same command again, or build in another folder"
            ) from error


def alone(folder: Path) -> contextlib.AbstractContextManager[None]:
    """Keep other processes from building a corpus. Raises ``BenchError`` where one does."""
    busy = f"{folder} is being built by another process; wait for it, or choose another --out"
    return locks.alone(folder / ".lock", busy)
