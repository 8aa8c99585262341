"""Rows held against rows: on all pages and on each slice, with the pages that changed.

A page whose numbers are the same on both sides cannot speak for a difference, and a comparison in
which no page changed needs no test: it is left out before p-values are corrected. (Which pages
changed does not depend on the direction of the changes, so the permutation test stays exact.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bench.metrics.base import Metric
from bench.scoring.compare import sides
from bench.scoring.compare.sides import Side
from bench.scoring.scores import Scores
from bench.stats import paired, slices
from bench.stats.bootstrap import Bootstrap
from bench.stats.figure import Figure
from bench.stats.paired import Difference

Flags = npt.NDArray[np.bool_]

ALL = "all pages"


@dataclass(frozen=True)
class Region:
    """Some of the pages, by name: all of them, or a slice such as ``language de``."""

    name: str
    pages: Flags


@dataclass(frozen=True)
class Held:
    """A row on some pages, before and after."""

    where: str
    pages: int
    before: float | None
    """The main figure; None where no page counts."""
    after: float | None
    changed: int
    """Pages whose scores differ."""
    difference: Difference
    """After less before: a loss is negative."""

    @property
    def same(self) -> bool:
        """Whether nothing at all changed."""
        return self.changed == 0

    @property
    def whole(self) -> bool:
        """Whether this is about all pages."""
        return self.where == ALL


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


def regions(pages: int, labels: Mapping[str, Sequence[str | None]]) -> list[Region]:
    """Return all pages, then each slice of each dimension; the same pages twice count once."""
    found = [Region(ALL, np.ones(pages, bool))]
    seen = {found[0].pages.tobytes()}
    for dimension, own in labels.items():
        for name, mask in slices.masks(own).items():
            if mask.tobytes() not in seen:
                seen.add(mask.tobytes())
                found.append(Region(f"{dimension} {name}", mask))
    return found


def hold(
    metric: Metric,
    pages: Sequence[str],
    before: Sequence[Side],
    after: Sequence[Side],
    where: Sequence[Region],
    bootstrap: Bootstrap = Bootstrap(),
    *,
    permutations: int | None = None,
) -> list[list[Held]]:
    """Return, for each pair of rows, how it stands in each region; p-values are not corrected.

    ``permutations`` defaults to what so many comparisons need if all are corrected for together.
    """
    scores = sides.joined(metric, pages, [*before, *after])
    figure, changed = scores.main, differing(scores)
    tries = permutations or paired.enough_permutations(max(1, len(before) * len(where)))
    return _transposed(
        [_in_region(figure, changed, each, tries, bootstrap) for each in where],
        len(before),
    )


def figures(
    metric: Metric, pages: Sequence[str], side: Side, where: Sequence[Region]
) -> dict[str, float]:
    """Return a row's main figure in each region in which a page counts."""
    figure = sides.joined(metric, pages, [side]).main
    parts = {each.name: figure.on(each.pages) for each in where}
    return {name: float(part.values()[0]) for name, part in parts.items() if part.counted[0]}


def differing(scores: Scores) -> Flags:
    """Return where the second half of the rows differs from the first: shape (pairs, pages)."""
    half = len(scores.rows) // 2
    found = scores.outcomes[:half] != scores.outcomes[half:]
    for values in scores.columns.values():
        one, other = values[:half], values[half:]
        found = found | ~((np.abs(one - other) <= paired.TIE) | (np.isnan(one) & np.isnan(other)))
    return np.asarray(found, bool)


def page_changes(scores: Scores) -> list[list[PageChange]]:
    """Return, for each pair of rows, the pages that differ, the greatest loss first."""
    half = len(scores.rows) // 2
    values, changed = scores.main.scores, differing(scores)
    found = []
    for row in range(half):
        own = [
            PageChange(
                scores.pages[at],
                _known(values[row, at]),
                _known(values[half + row, at]),
                str(scores.outcomes[row, at]),
                str(scores.outcomes[half + row, at]),
            )
            for at in np.flatnonzero(changed[row])
        ]
        found.append(sorted(own, key=lambda each: (each.change, each.page)))
    return found


def _in_region(
    figure: Figure, changed: Flags, region: Region, permutations: int, bootstrap: Bootstrap
) -> list[Held]:
    part, moved = figure.on(region.pages), changed[:, region.pages].sum(axis=1)
    half = part.rows // 2
    values, counted = part.values(), part.counted
    own = [int(row) for row in np.flatnonzero(moved)]
    tested = paired.differences(
        part,
        [(half + row, row) for row in own],
        bootstrap,
        permutations=permutations,
    )
    known = dict(zip(own, tested, strict=True))
    return [
        Held(
            region.name,
            int(region.pages.sum()),
            float(values[row]) if counted[row] else None,
            float(values[half + row]) if counted[half + row] else None,
            int(moved[row]),
            known.get(row) or _nothing(int(min(counted[row], counted[half + row]))),
        )
        for row in range(half)
    ]


def _nothing(pages: int) -> Difference:
    """Return the difference of two rows that are the same on every page."""
    return Difference(
        pages=pages, value=0.0, std=0.0, lo=0.0, hi=0.0, p=1.0, p_holm=1.0, effect=0.0,
        wins=0, ties=pages, losses=0,
    )  # fmt: skip


def corrected(found: Sequence[Held]) -> list[Held]:
    """Return comparisons with Holm's correction over those of them in which anything changed."""
    moved = [each for each in found if not each.same]
    tested = iter(paired.corrected([each.difference for each in moved]))
    return [each if each.same else replace(each, difference=next(tested)) for each in found]


def _transposed(by_region: Sequence[Sequence[Held]], rows: int) -> list[list[Held]]:
    return [[each[row] for each in by_region] for row in range(rows)]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
