"""Why a row became worse: its regressions, those that say the same again folded into one cause."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench.scoring.compare.regressions import Kind, Regression


@dataclass(frozen=True)
class Cause:
    """One reason why a check fails."""

    regression: Regression
    folded: tuple[Regression, ...] = ()
    """Slices that lost the same pages, the one that accounts for most of them first."""


def of_row(regressions: Sequence[Regression]) -> list[Cause]:
    """Return the causes of one row's regressions.

    A loss on all pages accounts for every slice. Without one, the slices are those that cover the
    pages which lost (greedily; of two that cover as many, the one with fewer others), and each
    other slice is folded into the first that shares a page with it. Pages that lost much are a cause
    where none of these blames them.
    """
    slices = [regression for regression in regressions if regression.kind is Kind.SLICE]
    causes = []
    for regression in regressions:
        if regression.kind is Kind.QUALITY:
            causes.append(Cause(regression, _best_first(regression, slices)))
            slices = []
    chosen: list[Regression] = []
    uncovered = {page.page for lost_slice in slices for page in lost_slice.pages}
    while uncovered:
        best = max(
            slices,
            key=lambda lost_slice: (len(_pages(lost_slice) & uncovered), -_size(lost_slice)),
        )
        chosen.append(best)
        uncovered -= _pages(best)
    folded: dict[str, list[Regression]] = {cover.where: [] for cover in chosen}
    for lost_slice in slices:
        if lost_slice.where not in folded:
            owner = next(cover for cover in chosen if _pages(cover) & _pages(lost_slice))
            folded[owner.where].append(lost_slice)
    causes += [Cause(cover, _best_first(cover, folded[cover.where])) for cover in chosen]
    blamed = {page.page for cause in causes for page in cause.regression.pages}
    others = (
        other
        for other in regressions
        if other.kind not in (Kind.QUALITY, Kind.SLICE)
        and not (other.kind is Kind.PAGE and _pages(other) <= blamed)
    )
    return [*causes, *map(Cause, others)]


def _pages(regression: Regression) -> set[str]:
    return {page.page for page in regression.pages}


def _size(regression: Regression) -> int:
    return 0 if regression.change is None else regression.change.pages


def _best_first(cause: Regression, slices: Sequence[Regression]) -> tuple[Regression, ...]:
    """Return slices, the one first whose pages are the most like those that lost (Dice 1945)."""
    lost = _pages(cause)

    def likeness(lost_slice: Regression) -> float:
        return 2 * len(_pages(lost_slice) & lost) / (len(lost) + _size(lost_slice))

    return tuple(sorted(slices, key=likeness, reverse=True))
