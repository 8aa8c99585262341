"""What changed between rows: on all pages, on each slice of them, and page by page.

A page whose numbers are the same on both sides cannot speak for a difference, and a comparison in
which no page changed needs no test: it is left out before p-values are corrected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.metrics.base import Metric
from bench.model import FAILED, Outcome
from bench.scoring.compare import row_scores
from bench.scoring.compare.row_scores import RowScores
from bench.scoring.compare.verdicts import Verdict
from bench.scoring.scores import Scores
from bench.stats import paired, slices
from bench.stats.estimate import Difference
from bench.stats.figure import Figure, Flags, Ints

ALL = "all pages"


@dataclass(frozen=True)
class Region:
    """Some of the pages, by name: all of them, or a slice such as ``language de``."""

    name: str
    pages: Flags


@dataclass(frozen=True)
class RegionChange:
    """A row's main figure in a region, before and after."""

    where: str
    """The region's name."""
    pages: int
    before: float | None
    """None where no page counts."""
    after: float | None
    changed: int
    """Pages whose scores differ."""
    difference: Difference
    """After less before: a loss is negative."""
    verdict: Verdict = Verdict.UNCLEAR
    p: float | None = None
    """Corrected for all comparisons; None where no test was made."""

    @property
    def same(self) -> bool:
        """Whether nothing at all changed."""
        return self.changed == 0


@dataclass(frozen=True)
class PageChange:
    """A page on which a row gives something else than before."""

    page: str
    before: float | None
    """Its score by the main figure; None where it has none."""
    after: float | None
    outcome_before: str
    outcome_after: str

    @property
    def change(self) -> float:
        """After less before; no score counts 0."""
        return (self.after or 0.0) - (self.before or 0.0)

    @property
    def outcomes(self) -> str:
        """How both ended: ``ok``, ``ok → error``."""
        return " → ".join(dict.fromkeys((self.outcome_before, self.outcome_after)))

    @property
    def failing(self) -> bool:
        """Whether it has no answer and had one."""
        return self.outcome_after in FAILED and self.outcome_before not in FAILED

    @property
    def fixed(self) -> bool:
        """Whether it has an answer and had none."""
        return self.outcome_before in FAILED and self.outcome_after not in FAILED

    @property
    def emptied(self) -> bool:
        """Whether its text is empty and was not, unless that is what gold says of the page."""
        outcomes = (self.outcome_before, self.outcome_after)
        return outcomes == (Outcome.OK, Outcome.EMPTY) and self.change <= 0


@dataclass(frozen=True)
class RowChange:
    """One row compared with another."""

    before: RowScores
    after: RowScores
    whole: RegionChange
    slices: tuple[RegionChange, ...]
    changes: tuple[PageChange, ...]
    """Pages that differ."""

    @property
    def failing(self) -> list[PageChange]:
        """Pages that have no answer and had one."""
        return [change for change in self.changes if change.failing]

    @property
    def fixed(self) -> list[PageChange]:
        """Pages that have an answer and had none."""
        return [change for change in self.changes if change.fixed]


def regions(pages: int, labels: Mapping[str, Sequence[str | None]]) -> list[Region]:
    """Return all pages, then each slice of each dimension; the same pages twice count once."""
    by_pages = {np.ones(pages, bool).tobytes(): Region(ALL, np.ones(pages, bool))}
    for dimension, slice_labels in labels.items():
        for name, mask in slices.masks(slice_labels).items():
            by_pages.setdefault(mask.tobytes(), Region(f"{dimension} {name}", mask))
    return list(by_pages.values())


def by_region(
    metric: Metric,
    pages: Sequence[str],
    before: Sequence[RowScores],
    after: Sequence[RowScores],
    where: Sequence[Region],
    sites: Ints | None = None,
) -> list[list[RegionChange]]:
    """Return, for each pair of rows, its change in each region; p-values are not corrected."""
    scores = row_scores.joined(metric, pages, [*before, *after], sites)
    figure, changed = scores.main, differing(scores)
    columns = [_in_region(figure, changed, region) for region in where]
    return [[column[row] for column in columns] for row in range(len(before))]


def figures(
    metric: Metric, pages: Sequence[str], row: RowScores, where: Sequence[Region]
) -> dict[str, float]:
    """Return a row's main figure in each region in which a page counts."""
    figure = row_scores.joined(metric, pages, [row]).main
    parts = {region.name: figure.on(region.pages) for region in where}
    return {name: float(part.values()[0]) for name, part in parts.items() if part.counted[0]}


def differing(scores: Scores) -> Flags:
    """Return where the second half of the rows differs from the first: shape (pairs, pages)."""
    half = len(scores.rows) // 2
    differ = scores.outcomes[:half] != scores.outcomes[half:]
    for values in scores.columns.values():
        one, other = values[:half], values[half:]
        differ = differ | ~((np.abs(one - other) <= paired.TIE) | (np.isnan(one) & np.isnan(other)))
    return np.asarray(differ, bool)


def by_page(scores: Scores) -> list[list[PageChange]]:
    """Return, for each pair of rows, the pages that differ, the greatest loss first."""
    half = len(scores.rows) // 2
    changed = differing(scores)
    values = scores.main.by_page
    pairs = [
        [
            PageChange(
                scores.pages[at],
                _score(values[row, at]),
                _score(values[half + row, at]),
                str(scores.outcomes[row, at]),
                str(scores.outcomes[half + row, at]),
            )
            for at in np.flatnonzero(changed[row])
        ]
        for row in range(half)
    ]
    return [
        sorted(row_changes, key=lambda change: (change.change, change.page))
        for row_changes in pairs
    ]


def _score(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def corrected(changes: Sequence[RegionChange]) -> list[RegionChange]:
    """Return changes with their verdicts: Holm's correction over those in which a page changed."""
    tested = iter(paired.corrected([change.difference for change in changes if not change.same]))
    judged = []
    for change in changes:
        difference = change.difference if change.same else next(tested)
        verdict = _verdict(change, difference)
        p = None if change.same else difference.p_holm
        judged.append(replace(change, difference=difference, verdict=verdict, p=p))
    return judged


def _verdict(change: RegionChange, difference: Difference) -> Verdict:
    if change.before is None or change.after is None or difference.value is None:
        return Verdict.NOT_COMPARABLE
    if change.same:
        return Verdict.SAME
    if not difference.significant():
        return Verdict.UNCLEAR
    return Verdict.BETTER if difference.value > 0 else Verdict.WORSE


def _in_region(figure: Figure, changed: Flags, region: Region) -> list[RegionChange]:
    part, moved = figure.on(region.pages), changed[:, region.pages].sum(axis=1)
    half = part.rows // 2
    values, counted = part.values(), part.counted
    changed_rows = [int(row) for row in np.flatnonzero(moved)]
    pairs = [(half + row, row) for row in changed_rows]
    tested = paired.differences(part, pairs)
    by_row = dict(zip(changed_rows, tested, strict=True))
    return [
        RegionChange(
            region.name,
            int(region.pages.sum()),
            float(values[row]) if counted[row] else None,
            float(values[half + row]) if counted[half + row] else None,
            int(moved[row]),
            by_row.get(row) or _nothing(int(min(counted[row], counted[half + row]))),
        )
        for row in range(half)
    ]


def _nothing(pages: int) -> Difference:
    """Return the difference of two rows that are the same on every page."""
    return Difference(
        pages=pages, value=0.0, se=0.0, lo=0.0, hi=0.0, p=1.0, p_holm=1.0, effect=0.0,
        wins=0, ties=pages, losses=0,
    )  # fmt: skip
