"""Every row against every other: all differences, and the groups that they leave.

All pairs share the draws of pages and the swaps, so that the cost is a few matrix products and a
pass over (pairs x resamples); a loop over pairs would repeat nearly all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bench.stats import groups, paired
from bench.stats.bootstrap import Bootstrap
from bench.stats.figure import Figure
from bench.stats.groups import Group
from bench.stats.paired import Difference


@dataclass(frozen=True)
class Standing:
    """How rows stand to each other; rows are numbers, in the order of the figure's arrays."""

    order: tuple[int, ...]
    """Rows, best first."""
    groups: tuple[Group, ...]
    """One for each row, in the order of the arrays."""
    differences: tuple[Difference, ...]
    """One for each pair of rows, first row less second, as ``combinations`` gives them."""

    def difference(self, first: int, second: int) -> Difference:
        """Return the difference of two rows, whichever comes first."""
        a, b = sorted((first, second))
        if a == b or a < 0 or b >= len(self.order):
            raise ValueError(f"no pair of {len(self.order)} rows: {first}, {second}")
        before = a * len(self.order) - a * (a + 1) // 2
        found = self.differences[before + b - a - 1]
        return found if first < second else paired.reversed_(found)


def standing(
    figure: Figure,
    order: Sequence[int] | None = None,
    bootstrap: Bootstrap = Bootstrap(),
) -> Standing:
    """Return all differences, Holm-corrected over all pairs, and the rows' groups.

    ``order`` is best first, for callers with a rule for ties of their own. Leave controls out:
    each row more is a comparison more to be corrected for with every other.
    """
    if order is None:
        order = [int(row) for row in np.argsort(-figure.values(), kind="stable")]
    pairs = list(combinations(range(figure.rows), 2))
    found = paired.differences(figure, pairs, bootstrap)
    apart = np.zeros((figure.rows, figure.rows), bool)
    for (a, b), each in zip(pairs, found, strict=True):
        apart[a, b] = apart[b, a] = each.told_apart()
    placed = groups.of(apart[np.ix_(order, order)])
    own = dict(zip(order, placed, strict=True))
    return Standing(tuple(order), tuple(own[row] for row in range(figure.rows)), tuple(found))
