"""A survey of a run: what can be said of its rows and pages without gold.

docs/your-own-pages.md says what the figures mean, and how well each agrees with true quality. The
pages are read host by host, a few at a time, and numbers alone are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bench.datasets import no_content
from bench.datasets.lint import duplicates
from bench.datasets.lint.duplicates import Trace
from bench.datasets.lint.page_checks import PageView
from bench.metrics.texts import tokens
from bench.model import FAILED, BenchError, GoldPage, Outcome
from bench.runs.store.manifest import RowFacts
from bench.scoring import cost, page_survey
from bench.scoring.leaderboard import Missing
from bench.scoring.page_survey import PageSurvey
from bench.scoring.stored_run import PageAnswers, Pages
from bench.stats.figure import Floats
from bench.util import pool
from bench.util.progress import SILENT, Progress

if TYPE_CHECKING:
    import pandas as pd

MEANS = ("consensus", "invented", "invented_words", "boilerplate", "repeated", "yield", "lost")
"""Figures of a row that are means over pages."""
MOST_DISPUTED = 10
_PAGES_AT_ONCE = 32
_WORTH_IT = 2_000
"""Cells from which on starting processes costs less than it saves."""


@dataclass(frozen=True)
class RowSurvey:
    """One row. Figures are means over the pages on which there is something to say; None of none."""

    label: str
    version: str | None
    kind: str
    family: str | None
    """The family that it speaks for; None for a row that is compared and no opinion."""
    outcomes: Mapping[str, int]
    empty: float
    """Share of pages with the empty text as answer."""
    words: tuple[float, float, float] | None
    """First quartile, median and third quartile over answered pages."""
    means: Mapping[str, float | None]
    """By the names in ``MEANS``."""
    cpu_ms: float | None
    """Mean CPU time of a page."""
    core_hours: float | None
    """Of a million pages."""

    def to_json(self) -> dict[str, Any]:
        """Return the form for machines."""
        low, median, high = self.words or (None, None, None)
        return {
            "label": self.label,
            "version": self.version,
            "kind": self.kind,
            "family": self.family,
            "outcomes": dict(self.outcomes),
            "empty": self.empty,
            "words": median,
            "words_q1": low,
            "words_q3": high,
            **self.means,
            "cpu_ms": self.cpu_ms,
            "core_hours_per_million": self.core_hours,
        }


@dataclass(frozen=True)
class Disputed:
    """A page, how far families agree on it, and how many words each row returned."""

    page: str
    agreement: float
    words: Mapping[str, int | None]
    """By label; None for a failed cell."""


class Alike(NamedTuple):
    """Pages that are nearly the same, and the least share of n-grams that any two have in common."""

    pages: tuple[str, ...]
    share: float


@dataclass(frozen=True)
class Survey:
    """A run's rows in its order, and pages to look at."""

    gold: Mapping[str, Any]
    """What the manifest says of the data set."""
    run: str
    rows: Sequence[RowSurvey]
    missing: Sequence[Missing]
    disputed: Sequence[Disputed]
    """Pages with content, the ``MOST_DISPUTED`` with the least agreement, that first."""
    alike: Sequence[Alike]
    no_content: Mapping[str, Sequence[str]]
    """Pages that look as if they had no content, by what they look like."""
    timings_ranked: bool
    """Whether CPU times compare: one worker at a time, all on identical machines."""
    machines: int
    """On how many it ran."""
    ids: Sequence[str]
    values: Mapping[str, Floats]
    """``words``, ``empty`` (1 for the empty text) and ``MEANS`` page by page, shape (rows, pages).

    NaN where there is nothing to say.
    """

    @property
    def families(self) -> int:
        """How many opinions there are."""
        return len({row.family for row in self.rows} - {None})

    def to_json(self) -> dict[str, Any]:
        """Return the form for machines, without the single cells."""
        return {
            "gold": dict(self.gold),
            "run": self.run,
            "families": self.families,
            "rows": [row.to_json() for row in self.rows],
            "unavailable": [asdict(row) for row in self.missing],
            "disputed": [asdict(page) for page in self.disputed],
            "near_duplicates": [alike._asdict() for alike in self.alike],
            "no_content": {kind: list(pages) for kind, pages in self.no_content.items()},
        }

    def frame(self) -> pd.DataFrame:
        """Return the rows as a table, outcomes as ``cells_ok`` and so on."""
        import pandas as pd

        lines = [row.to_json() for row in self.rows]
        for line in lines:
            line.update({f"cells_{name}": n for name, n in line.pop("outcomes").items()})
        return pd.DataFrame(lines)


def of_run(pages: Pages, progress: Progress = SILENT) -> Survey:
    """Return the survey of a finished run. Raises ``BenchError`` where no row has any cell."""
    manifest = pages.run.manifest
    rows = [manifest.rows_by_key[key] for key in pages.rows]
    if not rows:
        reasons = "; ".join(f"{row.label}: {row.problem}" for row in manifest.rows)
        raise BenchError(f"no extractor could be run ({reasons})")
    values, words, traces, kinds = _gathered(pages, [_family(row) for row in rows], progress)
    cells = pages.run.cells(*cost.OF)
    by_row = dict(iter(cells.groupby("row", sort=False)))
    surveyed = [
        _row(facts, by_row[facts.key], words[at], {n: own[at] for n, own in values.items()},
             manifest.machine.memory_bytes)
        for at, facts in enumerate(rows)
    ]  # fmt: skip
    labels = [row.label for row in rows]
    no_content = {
        kind: [page for page, own in zip(pages.ids, kinds, strict=True) if own == kind]
        for kind in sorted({kind for kind in kinds if kind})
    }
    return Survey(
        gold=manifest.gold.public(),
        run=pages.run.id,
        rows=surveyed,
        missing=[
            Missing(row.label, row.problem, row.remedy)
            for row in manifest.rows
            if row.key not in pages.rows
        ],
        disputed=_disputed(pages.ids, surveyed, values["consensus"], words, labels, kinds),
        alike=[Alike(*group) for group in duplicates.groups(traces)],
        no_content=no_content,
        timings_ranked=manifest.timings_compare,
        machines=len(manifest.machines),
        ids=pages.ids,
        values={"words": words, "empty": (words == 0).astype(np.float64), **values},
    )


def _family(row: RowFacts) -> str | None:
    return (row.facts.family or row.facts.name) if row.facts.counts_as == "extractor" else None


def _row(
    facts: RowFacts,
    cells: pd.DataFrame,
    words: Floats,
    values: Mapping[str, Floats],
    memory_bytes: int,
) -> RowSurvey:
    counts = cells.loc[cells["repeat"] == 0, "outcome"].value_counts()
    answered = words[~np.isnan(words)]
    spent = cost.of_row(cells, facts, memory_bytes)
    quartiles = np.quantile(answered, [0.25, 0.5, 0.75]).tolist() if answered.size else None
    return RowSurvey(
        label=facts.label,
        version=facts.version,
        kind=facts.facts.counts_as,
        family=_family(facts),
        outcomes={outcome.value: int(counts.get(outcome.value, 0)) for outcome in Outcome},
        empty=float(counts.get(Outcome.EMPTY.value, 0)) / len(words),
        words=quartiles and tuple(quartiles),
        means={name: _mean(own) for name, own in values.items()},
        cpu_ms=spent.cpu_ms,
        core_hours=spent.core_hours,
    )


def _mean(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else None


def _disputed(
    ids: Sequence[str],
    rows: Sequence[RowSurvey],
    consensus: Floats,
    words: Floats,
    labels: Sequence[str],
    kinds: Sequence[str | None],
) -> list[Disputed]:
    """Return the pages with content on which families differ, the least agreement first."""
    opinions = np.array([row.family is not None for row in rows])
    agreed = np.where(np.isnan(words), np.nan, consensus)[opinions]
    known = (~np.isnan(agreed)).sum(axis=0)
    agreement = np.nansum(agreed, axis=0) / np.maximum(known, 1)
    pages = [at for at in range(len(ids)) if known[at] and not kinds[at] and agreement[at] < 1]
    return [
        Disputed(
            ids[at],
            float(agreement[at]),
            {
                label: None if np.isnan(own) else int(own)
                for label, own in zip(labels, words[:, at], strict=True)
            },
        )
        for at in sorted(pages, key=lambda at: (agreement[at], ids[at]))[:MOST_DISPUTED]
    ]


# -- page by page ---------------------------------------------------------------------------------


class _OfPage(NamedTuple):
    """What is kept of a page."""

    page: str
    figures: PageSurvey
    boilerplate: Floats
    """Shape (rows,)."""
    trace: Trace
    kind: str | None


def _gathered(
    pages: Pages, families: Sequence[str | None], progress: Progress
) -> tuple[dict[str, Floats], Floats, list[Trace], list[str | None]]:
    """Return the figures ``MEANS`` and the words of each cell, and what there is to say of pages."""
    ids = pages.ids
    places = {page_id: at for at, page_id in enumerate(ids)}
    shape = (len(families), len(ids))
    values = {name: np.full(shape, np.nan) for name in MEANS}
    words = np.full(shape, np.nan)
    traces: list[Trace] = []
    kinds: list[str | None] = [None] * len(ids)
    progress.start("surveying", len(ids))
    stated = pages.data_set.stated
    languages = {page_id: page.scored_language for page_id, page in stated.items()}
    parts = list(_by_host(ids, {page_id: page.site for page_id, page in stated.items()}))
    few = len(families) * len(ids) < _WORTH_IT
    with pool.begun(_survey, (pages, families, languages), parts, alone=few) as surveyed:
        for part in surveyed:
            for own in part:
                at = places[own.page]
                words[:, at] = own.figures.words
                values["boilerplate"][:, at] = own.boilerplate
                for name, field in _FIELDS.items():
                    values[name][:, at] = getattr(own.figures, field)
                traces.append(own.trace)
                kinds[at] = own.kind
            progress.advance(len(part))
    return values, words, sorted(traces, key=lambda trace: trace.page_id), kinds


_FIELDS = {name: {"yield": "alone"}.get(name, name) for name in MEANS if name != "boilerplate"}


def _by_host(ids: Sequence[str], sites: Mapping[str, str | None]) -> Iterator[list[list[str]]]:
    """Yield the pages of each host, several small hosts at a time; without an address each alone."""
    hosts: list[list[str]] = []
    by_site = sorted((sites[page_id] or f"page {page_id}", page_id) for page_id in ids)
    for _, pairs in groupby(by_site, key=lambda pair: pair[0]):
        hosts.append([page_id for _, page_id in pairs])
        if sum(map(len, hosts)) >= _PAGES_AT_ONCE:
            yield hosts
            hosts = []
    if hosts:
        yield hosts


def _survey(
    given: tuple[Pages, Sequence[str | None], Mapping[str, str | None]],
    hosts: Sequence[Sequence[str]],
) -> list[_OfPage]:
    pages, families, languages = given
    read = pages.read([page_id for ids in hosts for page_id in ids])
    return [page for ids in hosts for page in _of_host(islice(read, len(ids)), families, languages)]


def _of_host(
    pages: Iterable[PageAnswers],
    families: Sequence[str | None],
    languages: Mapping[str, str | None],
) -> Iterator[_OfPage]:
    surveyed: list[_OfPage] = []
    lines: list[list[npt.NDArray[np.uint64]]] = []
    for page, gold, _, answers in pages:
        view = PageView(GoldPage(page, gold))
        texts = [None if outcome in FAILED else text for outcome, text, *_ in answers]
        unit = tokens.unit_for(languages[page.id])
        figures = page_survey.of_page(view.words, texts, families, unit)
        unknown = np.full(len(families), np.nan)
        trace, kind = duplicates.trace(view), no_content.kind(view)
        surveyed.append(_OfPage(page.id, figures, unknown, trace, kind))
        lines.append([page_survey.hashed_lines(text or "") for text in texts])
    alike = duplicates.groups([own.trace for own in surveyed])
    first = {page_id: ids[0] for ids, _ in alike for page_id in ids}
    same = [first.get(own.page, own.trace.html) for own in surveyed]
    by_row = [page_survey.recurring(row, same) for row in zip(*lines, strict=True)]
    for own, shares in zip(surveyed, np.array(by_row).T, strict=True):
        yield own._replace(boilerplate=shares)
