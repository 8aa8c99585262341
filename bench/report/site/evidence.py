"""What a report is made of: a finished run, its scores, its leaderboard, its pages."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from bench.adapters.released import Released
from bench.runs.store.manifest import Manifest, RowFacts
from bench.runs.store.runs import RunFolder
from bench.scoring import page_slices
from bench.scoring.leaderboard import RANKED, Leaderboard, Line
from bench.scoring.page_slices import Dimensions
from bench.scoring.scale import Scale
from bench.scoring.scores import Scores
from bench.scoring.stored_run import Pages
from bench.stats import slices
from bench.stats.figure import Floats
from bench.stats.slices import Slice
from bench.util.display import plain, short_ids

if TYPE_CHECKING:
    import pandas as pd

_CUT_BY = {"page_type": "page type", "language": "language", "length": "words of gold"}


def file_name(name: str) -> str:
    """Return a name for a file: what is plain ASCII of it, and a hash that tells it from others."""
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower())[:40].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{readable}-{digest[:8]}" if readable else digest[:16]


def page_name(page_id: str) -> str:
    """Return the name of a page's files; nothing of a stranger's id is in it."""
    return hashlib.sha256(page_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class PageName(NamedTuple):
    """How a page is called."""

    title: str
    """What its HTML says it is; where that is nothing, its address or id."""
    where: str
    """Host and path of its address."""
    short: str
    """The beginning of its id, as ``bench show`` takes it."""
    file: str
    """The name of its files, without a suffix."""

    @property
    def words(self) -> str:
        """What a filter looks in."""
        return f"{self.title} {self.where} {self.short}".lower()


@dataclass(frozen=True)
class Row:
    """One row of a run, as the site shows it."""

    key: str
    at: int
    """Its place in the arrays of scores."""
    line: Line
    stored: RowFacts
    """Its entry in the manifest."""
    file: str
    """The name of its page, without a suffix."""

    @property
    def label(self) -> str:
        """What users type."""
        return plain(self.line.label)

    @property
    def competes(self) -> bool:
        """Whether it is ranked: no control, no ensemble, no rules for certain sites."""
        return self.line.kind == RANKED

    @property
    def licence(self) -> str:
        """The program's licence as its adapter states it."""
        return plain(self.stored.facts.licence or "not stated")

    @property
    def language(self) -> str:
        """The language that it is available in."""
        return plain(self.line.language or "any")

    @property
    def released(self) -> Released | None:
        """The last release of what it wraps, as known when it ran; None where none is known."""
        return self.stored.released if self.competes else None


@dataclass(frozen=True)
class Cut:
    """A run's pages cut in one dimension."""

    dimension: str
    title: str
    slices: Mapping[str, Sequence[Slice]]
    """By metric: its main figure in each slice, rows as in the scores."""


@dataclass(frozen=True)
class Evidence:
    """One finished run with everything that is known of it; the first scores rank."""

    run: RunFolder
    scores: Sequence[Scores]
    board: Leaderboard
    keys: Mapping[str, str]
    """The key of each row by its label."""
    pages: Pages
    scale: Scale
    with_texts: bool = True
    """Whether the site shows the texts of pages."""
    titles: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Title and address of each page, by id, known once page views are written."""

    @cached_property
    def _short_ids(self) -> Mapping[str, str]:
        return short_ids(self.pages.ids)

    def page(self, page_id: str) -> PageName:
        """Return how a page is called."""
        title, where = self.titles.get(page_id, ("", ""))
        short = plain(self._short_ids[page_id]) or "(no id)"
        return PageName(title or where or short, where if title else "", short, page_name(page_id))

    def view(self, page: PageName, *, up: str = "", row: Row | None = None) -> str:
        """Return the address of a page's view, at a row in it; empty where none are written."""
        at = f"#{row.file}" if row else ""
        return f"{up}pages/{page.file}.html{at}" if self.with_texts else ""

    @cached_property
    def manifest(self) -> Manifest:
        """What the run was."""
        return self.run.manifest

    @property
    def folder(self) -> str:
        """The name of its folder in the site."""
        return file_name(self.run.id)

    @property
    def data_set(self) -> str:
        """The data set's name."""
        return plain(str(self.board.gold["name"]))

    @cached_property
    def rows(self) -> Sequence[Row]:
        """Every row in the leaderboard's order."""
        facts = self.manifest.rows_by_key
        places = {key: at for at, key in enumerate(self.scores[0].rows)}
        return [
            Row(key, places[key], line, facts[key], file_name(line.label))
            for line in self.board.lines
            for key in [self.keys[line.label]]
        ]

    @cached_property
    def competitors(self) -> Sequence[Row]:
        """Every row that is ranked."""
        return [row for row in self.rows if row.competes]

    def page_scores(self, rows: Sequence[Row]) -> Floats:
        """Return which of some rows does better on a page, shape (rows, pages)."""
        return self.scores[0].main.by_page[[row.at for row in rows]]

    @cached_property
    def dimensions(self) -> Dimensions:
        """In what the pages differ."""
        return page_slices.Dimensions(self.pages.data_set)

    @cached_property
    def cuts(self) -> Sequence[Cut]:
        """Every cut that leaves more than one slice."""
        labels = {name: self.dimensions[name] for name in _CUT_BY if name in self.dimensions}
        return [
            Cut(
                name,
                _CUT_BY[name],
                {scores.metric.name: slices.of(scores.main, own) for scores in self.scores},
            )
            for name, own in labels.items()
            if len(set(own)) > 1
        ]

    @cached_property
    def cells(self) -> pd.DataFrame:
        """The first repeat of every cell."""
        return self.run.cells("row", "page", "outcome", "diagnostics", repeat=0)
