"""The answer of a leaderboard in a few sentences: its recommendation, worded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bench.report import sentences
from bench.scoring.leaderboard import Leaderboard, Line
from bench.scoring.recommend import Reason, Recommendation
from bench.stats.estimate import MARGIN, MIN_PAGES
from bench.util.display import grouped, plain
from bench.util.numbers import counted, duration, percent, percent_range

if TYPE_CHECKING:
    from bench.stats.slices import Slice

_NAMED = 4


def of(
    board: Leaderboard, price: float | None = None, slices: Sequence[tuple[Slice, Line]] = ()
) -> list[str]:
    """Return the verdict, one sentence each; nothing for a board on which nothing competes.

    ``price`` is that of a core-hour; ``slices`` are parts of the pages, each with the row that is
    best there.
    """
    advice = board.recommendation
    if advice is None:
        return []
    first = next(line for line in board.lines if line.label == advice.tied[0])
    return [
        *_too_few(board, advice),
        _who(board, advice, first),
        *_cheapest(board, advice, price),
        *_more_pages(advice),
        *_by_type(first, board, slices),
    ]


def in_short(board: Leaderboard) -> list[str]:
    """Return what of the verdict a table with ranks does not show."""
    advice = board.recommendation
    if advice is None:
        return []
    return [*_too_few(board, advice), *_cheapest(board, advice), *_more_pages(advice)]


def _too_few(board: Leaderboard, advice: Recommendation) -> Iterator[str]:
    if advice.reason is Reason.FEW_PAGES:
        more = MIN_PAGES - board.labelled
        yield f"Too few labelled pages to compare rows: at least {more} more are needed."


def _who(board: Leaderboard, advice: Recommendation, first: Line) -> str:
    figure, title = first.figures[board.metric.main], sentences.title(board.metric.main)
    pages = counted(figure.pages, "page")
    interval = percent_range(figure.lo, figure.hi)
    sure = f"{percent(figure.value)}, "
    sure += f"95 % interval {interval}, {pages}" if figure.lo is not None else f"only {pages}"
    leader, *others = map(plain, advice.tied)
    ranked = sum(line.standing is not None for line in board.lines)
    if ranked == 1:
        return f"{leader} ran alone ({title} {sure})."
    if not others:
        return f"{leader} is significantly better than each of the other {ranked - 1} ({title} {sure})."
    return (
        f"{leader} has the highest {title} ({sure}); "
        f"{_listed(others)} {'is' if len(others) == 1 else 'are'} not significantly different."
    )


def _cheapest(
    board: Leaderboard, advice: Recommendation, price: float | None = None
) -> Iterator[str]:
    if len(advice.tied) < 2 or advice.cheapest is None:
        return
    line = next(line for line in board.lines if line.label == advice.cheapest)
    cost = f"{duration(line.cpu_ms)} ms of CPU time per page"
    if price is not None and line.core_hours is not None:
        hourly = f"at {price:g} per core-hour"
        cost += f", {duration(line.core_hours * price)} per million pages {hourly}"
    yield f"The cheapest of the best is {plain(line.label)}: {cost}."


def _more_pages(advice: Recommendation) -> Iterator[str]:
    if advice.rival is None:
        return
    first, rival = plain(advice.tied[0]), plain(advice.rival)
    if advice.pages_needed is None or advice.interval is None:
        yield f"{rival} is within {MARGIN * 100:g} point of {first}; more labelled pages would not help."
        return
    more, lo, hi = (_round(pages) for pages in (advice.pages_needed, *advice.interval))
    yield (
        f"About {more} more labelled pages ({lo} to {hi}) would tell {first} from {rival}, or show "
        f"less than {MARGIN * 100:g} point between them."
    )


def _round(pages: int) -> str:
    """Return a number of pages in two digits, which is more than is known."""
    return f"{int(float(f'{pages:.1e}')):,}"


def _by_type(leader: Line, board: Leaderboard, slices: Sequence[tuple[Slice, Line]]) -> list[str]:
    types_by_label = grouped(
        (line.label, f"{slice_.name} ({slice_.pages})")
        for slice_, line in slices
        if line.label != leader.label
    )
    if not types_by_label:
        return []
    parts = [f"{label} on {_listed(types)}" for label, types in types_by_label.items()]
    return [
        f"By page type others have the highest {sentences.title(board.metric.main)}, on the number of "
        f"pages in brackets: {plain('; '.join(parts))}."
    ]


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _NAMED
    *others, last = [*names[:_NAMED], *([f"{rest} more"] if rest > 0 else [])]
    return f"{', '.join(others)} and {last}" if others else last
