"""``urls.sqlite``: every address that a collection has met, and what became of it.

It is frontier and duplicate filter in one. Addresses are fetched depth by depth: the next depth
begins when the one before has ended, so that which addresses are met, how deep, and which are over
a limit does not depend on the order in which servers answer, nor on interruptions.
"""

import hashlib
import json
import os
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from bench.collect import addresses
from bench.collect.settings import Settings
from bench.model import BenchError
from bench.util.database import Database

NAME = "urls.sqlite"
_SCHEMA = 2
_TABLES = """
CREATE TABLE urls (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, parent_id INTEGER, depth INTEGER NOT NULL,
    hops INTEGER NOT NULL, kind TEXT NOT NULL, rule INTEGER, host TEXT NOT NULL,
    template TEXT, series TEXT, folder TEXT, turn INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL, reason TEXT, status INTEGER, mime TEXT, charset TEXT, bytes INTEGER,
    sha256 TEXT, digest TEXT, needs_javascript INTEGER, fetched_at TEXT, stored_end INTEGER,
    written INTEGER
);
CREATE INDEX of_queue ON urls (state, depth, host, turn, id);
CREATE INDEX of_content ON urls (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX of_series ON urls (series) WHERE series != '';
CREATE INDEX of_folders ON urls (folder);
CREATE TABLE collection (settings TEXT NOT NULL, stored INTEGER NOT NULL, writing TEXT);
"""


class State(StrEnum):
    """What became of an address."""

    QUEUED = "queued"
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


class Reason(StrEnum):
    """Why an address is no page of the collection."""

    ADDRESS = "address"
    """It may not be fetched: no http, too long, folders without end."""
    OFF_SITE = "off-site"
    DEPTH = "depth"
    ROBOTS = "robots"
    """robots.txt forbids it, or could not be had."""
    CRAWL_DELAY = "crawl-delay"
    """robots.txt asks for more time between two requests than we wait."""
    PRIVATE = "private-address"
    TYPE = "type"
    REDIRECT = "redirect"
    """It leads to another address, which has its own row."""
    DUPLICATE = "duplicate"
    """Another address has the same content."""
    PATTERN = "pattern-limit"
    FOLDER = "folder-limit"
    LIST = "list"
    """It lists pages and is not one itself: a sitemap, an index."""
    DRY_RUN = "dry-run"
    STATUS = "status"
    REDIRECTS = "redirects"
    """Too many in a row."""
    NETWORK = "network"
    TIMEOUT = "timeout"
    TOO_LARGE = "too-large"
    RETRY_AFTER = "retry-after"
    """The server asks for more patience than we have."""
    INTERNAL = "internal"
    """A fault of ours; collect.log has it."""


@dataclass(frozen=True)
class Url:
    """An address that is to be fetched."""

    id: int
    url: str
    host: str
    depth: int
    hops: int
    """Redirects that led to it."""
    kind: str
    """``page``, ``index`` (its links are followed, it is no page itself) or ``sitemap``."""
    rule: int | None = None
    """The rule of a specification that it is read by."""


@dataclass(frozen=True)
class Link:
    """An address that was met."""

    url: str
    depth: int
    state: State = State.QUEUED
    reason: Reason | None = None
    parent_id: int | None = None
    hops: int = 0
    kind: str = "page"
    rule: int | None = None


@dataclass(frozen=True)
class Counts:
    """How many addresses there are of each kind."""

    states: Mapping[str, int]
    reasons: Mapping[str, Mapping[str, int]]
    """By state, then reason."""
    bytes: int
    """Of the contents that are kept, decoded."""
    needs_javascript: int


@contextmanager
def or_end() -> Iterator[None]:
    """End the process where the disk does not take what is written: Scrapy would wait for ever.

    Nothing is lost: what is whole is kept, and the rest is fetched by the next run.
    """
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        sys.stderr.flush()
        os._exit(1)


class UrlTable(Database):
    """The table, opened; one process writes."""

    def __init__(self, out: Path, *, make: bool = False) -> None:
        """Open the table of a collection, or ``make`` it. Raises ``BenchError`` for any other file."""
        path = out / NAME
        if not make and not path.is_file():
            raise BenchError(f"{out} holds no collection ({NAME} is not there)")
        try:
            super().__init__(path, _TABLES, _SCHEMA, make=make)
        except sqlite3.Error as error:
            raise BenchError(f"{path} cannot be used ({error}); choose another --out") from error

    # -- the collection -----------------------------------------------------------------------

    @property
    def settings(self) -> Settings | None:
        """What it was last gone on with, None where it is new."""
        import msgspec  # not to print help

        row = self._db.execute("SELECT settings FROM collection").fetchone()
        return msgspec.json.decode(row[0], type=Settings) if row else None

    @settings.setter
    def settings(self, settings: Settings) -> None:
        import msgspec

        text = msgspec.json.encode(settings).decode()
        if self.settings is None:
            self._db.execute("INSERT INTO collection VALUES (?, 0, NULL)", [text])
        else:
            self._db.execute("UPDATE collection SET settings = ?", [text])

    @property
    def stored(self) -> int:
        """Bytes of the file of pages that are accounted for here."""
        return int(self._db.execute("SELECT stored FROM collection").fetchone()[0])

    def lose_beyond(self, size: int) -> None:
        """Queue again what was written beyond the size that a file of pages has (power was lost)."""
        self._db.execute(
            "UPDATE urls SET state = 'queued', reason = NULL, sha256 = NULL, stored_end = NULL"
            " WHERE stored_end > ?",
            [size],
        )
        last = "SELECT coalesce(max(stored_end), 0) FROM urls"
        self._db.execute(f"UPDATE collection SET stored = ({last})")  # noqa: S608

    # -- addresses ----------------------------------------------------------------------------

    def add(self, links: Iterable[Link]) -> None:
        """Take in addresses that are not known, or known as deeper than they are.

        An index that another one leads to again is queued again.
        """
        self._db.executemany(
            "INSERT INTO urls (url, parent_id, depth, hops, kind, rule, host, template, series,"
            " folder, state, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (url) DO UPDATE SET depth = excluded.depth, hops = excluded.hops,"
            " parent_id = excluded.parent_id, state = 'queued', reason = NULL"
            " WHERE excluded.state = 'queued' AND excluded.depth < depth"
            " AND (state = 'queued' OR reason = 'depth')"
            " OR (excluded.kind, kind, excluded.depth, depth) = ('index', 'index', 1, 1)",
            map(_row_of, links),
        )

    def requeue(self, url: str) -> None:
        """Queue an address that was fetched before, whose page may have changed."""
        self._db.execute(
            "UPDATE urls SET state = 'queued', reason = NULL, written = NULL WHERE url = ?", [url]
        )

    def settle(self, url: Url, state: State, reason: Reason | None = None, /, **facts: Any) -> None:
        """Say what became of an address; ``facts`` are columns."""
        columns = {"state": state, "reason": reason, **facts}
        values = ", ".join(f"{name} = ?" for name in columns)
        self._db.execute(
            f"UPDATE urls SET {values} WHERE id = ?",  # noqa: S608 - names of ours
            [*columns.values(), url.id],
        )
        if "stored_end" in facts:
            self._db.execute("UPDATE collection SET stored = ?", [facts["stored_end"]])

    def begin_depth(self, *, per_series: int, per_folder: int, seed: int | None) -> int | None:
        """Return the least depth that has addresses in the queue, with limits applied; None at the end.

        With a seed the queue is ordered as a sample is drawn: each template's first, then each
        one's second, chosen by a hash of seed and address.
        """
        (depth,) = self._db.execute("SELECT min(depth) FROM urls WHERE state = 'queued'").fetchone()
        if depth is None:
            return None
        with self.transaction():
            for shape, most, reason in (
                ("series", per_series, Reason.PATTERN),
                ("folder", per_folder, Reason.FOLDER),
            ):
                self._db.execute(
                    f"UPDATE urls SET state = 'skipped', reason = ? WHERE state = 'queued'"  # noqa: S608
                    f" AND depth = ? AND id IN (SELECT id FROM (SELECT id, row_number() OVER"
                    f" (PARTITION BY {shape} ORDER BY depth, url) AS place FROM urls"
                    f" WHERE {shape} != '' AND state != 'skipped') WHERE place > ?)",
                    [reason, depth, most],
                )
            if seed is not None:
                self._draw(depth, seed)
        return int(depth)

    def _draw(self, depth: int, seed: int) -> None:
        drawn = dict(
            self._db.execute(
                "SELECT template, count(*) FROM urls WHERE state = 'done' GROUP BY template"
            )
        )
        rows = self._db.execute(
            "SELECT id, url, template FROM urls WHERE state = 'queued' AND depth = ?", [depth]
        ).fetchall()
        by_chance = sorted(
            (hashlib.sha256(f"{seed} {url}".encode()).digest(), url_id, shape)
            for url_id, url, shape in rows
        )
        rounds = []
        for chance, url_id, shape in by_chance:
            drawn[shape] = drawn.get(shape, 0) + 1
            rounds.append((drawn[shape], chance, url_id))
        self._db.executemany(
            "UPDATE urls SET turn = ? WHERE id = ?",
            [(turn, url_id) for turn, (_, _, url_id) in enumerate(sorted(rounds))],
        )

    def hosts(self, depth: int) -> list[str]:
        """Return the hosts with addresses in the queue at a depth, in the order of their first."""
        rows = self._db.execute(
            "SELECT host FROM urls WHERE state = 'queued' AND depth = ?"
            " GROUP BY host ORDER BY min(turn), min(id)",
            [depth],
        )
        return [name for (name,) in rows]

    def queue(self, depth: int, host: str, after: tuple[int, int]) -> list[tuple[int, Url]]:
        """Return the next addresses of a host, each with its turn, behind a (turn, id)."""
        rows = self._db.execute(
            "SELECT turn, id, url, host, depth, hops, kind, rule FROM urls WHERE state = 'queued'"
            " AND depth = ? AND host = ? AND (turn, id) > (?, ?) ORDER BY turn, id LIMIT 64",
            [depth, host, *after],
        )
        return [(turn, Url(*facts)) for turn, *facts in rows]

    def same_content(self, sha256: str) -> tuple[str, str, str] | None:
        """Return address, payload digest and time of the page with this content, if there is one."""
        row: tuple[str, str, str] | None = self._db.execute(
            # What is queued with a content is fetched again.
            "SELECT url, digest, fetched_at FROM urls WHERE sha256 = ?"
            " AND state IN ('done', 'queued')",
            [sha256],
        ).fetchone()
        return row

    def sites(self) -> set[str]:
        """Return the hosts of the roots, and of where they lead."""
        rows = self._db.execute(
            "SELECT DISTINCT host FROM urls WHERE depth <= 0 AND coalesce(reason, '') != ?",
            [Reason.OFF_SITE],
        )
        return {name for (name,) in rows}

    # -- what is asked of it ------------------------------------------------------------------

    def unwritten(self) -> list[tuple[str, int]]:
        """Return address and rule of the pages of a specification that have no document yet.

        Those of one index come together, in its order.
        """
        return self._db.execute(
            "SELECT url, rule FROM urls WHERE state = 'done' AND rule IS NOT NULL"
            " AND written IS NULL ORDER BY parent_id, id"
        ).fetchall()

    @contextmanager
    def writing(self, name: str, content: bytes, urls: list[str]) -> Iterator[None]:
        """Note that pages have their documents, if the block gives a file the content it is to have.

        What it is to have is noted before, so that ``end_writing`` can tell after a kill.
        """
        file = {"name": name, "bytes": len(content), "sha256": _sha256(content), "urls": urls}
        with self.transaction():
            self._db.execute("UPDATE collection SET writing = ?", [json.dumps(file)])
        yield
        self._note_written(urls)

    def end_writing(self, folder: Path) -> None:
        """Note what a run that was killed had written to a file in this folder."""
        notes = self._db.execute("SELECT writing FROM collection WHERE writing IS NOT NULL")
        for (note,) in notes.fetchall():
            file = json.loads(note)
            path = folder / file["name"]
            content = path.read_bytes()[: file["bytes"]] if path.is_file() else b""
            if _sha256(content) == file["sha256"]:
                self._note_written(file["urls"])

    def _note_written(self, urls: list[str]) -> None:
        with self.transaction():
            self._db.executemany("UPDATE urls SET written = 1 WHERE url = ?", zip(urls))
            self._db.execute("UPDATE collection SET writing = NULL")

    def states(self) -> dict[str, int]:
        """Count the addresses of each state, in a tenth of the time that all counts take."""
        return dict(
            self._db.execute("SELECT state, count(*) FROM urls GROUP BY state ORDER BY 2 DESC")
        )

    def counts(self) -> Counts:
        """Count the addresses."""
        reasons: dict[str, dict[str, int]] = {}
        for state, reason, count in self._db.execute(
            "SELECT state, reason, count(*) FROM urls WHERE reason IS NOT NULL"
            " GROUP BY state, reason ORDER BY 3 DESC"
        ):
            reasons.setdefault(state, {})[reason] = count
        size, scripted = self._db.execute(
            "SELECT coalesce(sum(bytes), 0), coalesce(sum(needs_javascript), 0) FROM urls"
            " WHERE state = 'done'"
        ).fetchone()
        return Counts(self.states(), reasons, size, scripted)

    def templates(self) -> list[tuple[str, int, int]]:
        """Return each template with its pages, and with all addresses that might have been drawn."""
        return self._db.execute(
            "SELECT template, sum(state = 'done'), sum(state IN ('done', 'queued')) FROM urls"
            " WHERE kind = 'page' GROUP BY template HAVING sum(state IN ('done', 'queued'))"
            " ORDER BY 2 DESC, template"
        ).fetchall()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _row_of(link: Link) -> tuple[Any, ...]:
    shapes: tuple[str | None, ...] = (None, None, None)
    if link.state is State.QUEUED:
        of = (addresses.template, addresses.series, addresses.folder)
        shapes = tuple(shape(link.url) for shape in of)
    return (
        link.url, link.parent_id, link.depth, link.hops, link.kind, link.rule, addresses.host(link.url),
        *shapes, link.state, link.reason,
    )  # fmt: skip
