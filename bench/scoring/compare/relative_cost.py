"""CPU time over that of a control, page by page, so that it holds from machine to machine.

The control reads the same pages in the same minutes on the same processor, in turns with the row;
what slows one slows the other. What is compared is the ratio of ratios on each page, and its
median over pages: a few odd pages do not move it.
"""

from dataclasses import dataclass

import numpy as np

from bench.scoring.compare.row_scores import RowScores
from bench.stats.figure import Floats, median_with_interval

ENOUGH_PAGES = 6
"""With fewer, a median of ratios is one page's."""
LEAST_S = 2e-5
"""Below this CPU time of a page, clock and hand-over are most of what is measured."""


@dataclass(frozen=True)
class CostChange:
    """A row's cost, before and after."""

    pages: int
    """Pages on which both were measured."""
    before: float
    """Median CPU time over the control's."""
    after: float
    growth: float
    """Median over pages of after / before, less 1."""
    lo: float
    hi: float
    """Its 95 % interval over pages, by order statistics; cores that are shared add to it."""
    again: float | None = None
    """The same by a second measurement; None where there was none."""

    def over(self, tolerance: float) -> bool:
        """Whether the first measurement is beyond the tolerance."""
        return self.growth > tolerance

    def confirmed(self, tolerance: float) -> bool:
        """Whether both measurements are."""
        return self.over(tolerance) and self.again is not None and self.again > tolerance


def relative(row: RowScores, control: RowScores) -> Floats:
    """Return a row's CPU time over the control's for each page; NaN where either is too short."""
    enough = (row.cpu_s >= LEAST_S) & (control.cpu_s >= LEAST_S)
    answered = ~row.failed & ~control.failed
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(enough & answered, row.cpu_s / control.cpu_s, np.nan)


def change(before: Floats, after: Floats) -> CostChange | None:
    """Return how relative costs changed; None where too few pages have both."""
    both = np.isfinite(before) & np.isfinite(after) & (before > 0)
    if int(both.sum()) < ENOUGH_PAGES:
        return None
    growth, lo, hi = median_with_interval(after[both] / before[both])
    return CostChange(
        int(both.sum()),
        float(np.median(before[both])),
        float(np.median(after[both])),
        growth - 1.0,
        lo - 1.0,
        hi - 1.0,
    )
