"""Which row to take: who is not significantly below the best, the cheapest, what would decide."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Protocol

from bench.stats.estimate import MIN_PAGES, Standing


class Reason(StrEnum):
    """Why so many more pages, or none."""

    FEW_PAGES = "few pages"
    """Too few labelled pages to compare rows at all."""
    ALONE = "alone"
    """One row was ranked."""
    BEST = "best"
    """One row is significantly better than all others."""
    CLOSE = "close"
    """The rows are surely closer than what matters (``estimate.MARGIN``)."""
    UNDECIDED = "undecided"
    """The pages at hand show no significant difference between the rows."""


class Rated(Protocol):
    """What is looked at of a row."""

    @property
    def label(self) -> str:
        """What users type."""

    @property
    def standing(self) -> Standing | None:
        """Where it stands; None for what does not compete."""

    @property
    def cpu_ms(self) -> float | None:
        """Mean CPU time of an answered page."""

    @property
    def unreliable(self) -> bool:
        """Whether so many pages failed that its cost is not that of doing the work."""


@dataclass(frozen=True)
class Recommendation:
    """Which rows are as good as the best, the cheapest of them, and what would show a difference."""

    tied: tuple[str, ...]
    """Labels of the rows that are not distinguishable from the best, which comes first."""
    cheapest: str | None
    """The one of them that takes the least CPU time for a page; None where none was measured."""
    rival: str | None
    """The row that is to be told from the first: the cheapest, or the next best."""
    pages_needed: int | None
    """Labelled pages beside those at hand that find this difference four times in five."""
    interval: tuple[int, int] | None
    """Its 95 % interval."""
    reason: Reason

    def to_json(self) -> dict[str, Any]:
        """Return the documented form, for machines."""
        return asdict(self)


def of(rows: Sequence[Rated], labelled: int) -> Recommendation | None:
    """Return what follows from rows, best first, on so many labelled pages; None without rivals."""
    ranked = [row for row in rows if row.standing]
    tied = [row for row in ranked if row.standing and row.standing.best]
    if not tied:
        return None
    labels = tuple(row.label for row in tied)
    costs = {row.label: row.cpu_ms for row in tied if row.cpu_ms is not None and not row.unreliable}
    cheapest = min(costs, key=lambda label: costs[label], default=None)
    if labelled < MIN_PAGES:
        return Recommendation(labels, cheapest, None, None, None, Reason.FEW_PAGES)
    if len(tied) == 1:
        reason = Reason.ALONE if len(ranked) == 1 else Reason.BEST
        return Recommendation(labels, cheapest, None, None, None, reason)
    rival = next((row for row in tied[1:] if row.label == cheapest), tied[1])
    size = rival.standing.separated_by if rival.standing else None
    if size is None:
        return Recommendation(labels, cheapest, rival.label, None, None, Reason.CLOSE)
    more, lo, hi = (max(0, pages - labelled) for pages in (size.pages, size.lo, size.hi))
    return Recommendation(labels, cheapest, rival.label, more, (lo, hi), Reason.UNDECIDED)
