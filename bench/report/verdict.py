"""The answer of a leaderboard in a few sentences, computed from its figures."""

from __future__ import annotations

from collections.abc import Sequence

from bench.report import sentences
from bench.scoring.leaderboard import Leaderboard, Line
from bench.stats.slices import Slice
from bench.util.display import plain
from bench.util.numbers import counted, duration, percent, percent_range

_NAMED = 4


def core_hours(line: Line) -> float | None:
    """Return what a million pages take; None where no CPU time was measured."""
    return line.cost.core_hours if line.cost else None


def best(board: Leaderboard) -> list[Line]:
    """Return the ranked rows that are not distinguishable from the best, which leads."""
    return [line for line in board.lines if line.standing and line.standing.best]


def of(board: Leaderboard, price: float, slices: Sequence[tuple[Slice, Line]] = ()) -> list[str]:
    """Return the verdict, one sentence each; nothing for a board on which nothing competes.

    ``slices`` are parts of the pages, each with the row that is best there.
    """
    group = best(board)
    if not group:
        return []
    return [_who(board, group), *_cheapest(group, price), *_by_type(group[0], board, slices)]


def _who(board: Leaderboard, group: Sequence[Line]) -> str:
    figure, title = group[0].figures[board.metric.main], sentences.title(board.metric.main)
    pages = counted(int(board.gold["pages"]), "page")
    interval = percent_range(figure.lo, figure.hi)
    sure = f"{percent(figure.value)}, "
    sure += f"95 % interval {interval}, {pages}" if figure.lo is not None else f"only {pages}"
    leader, others = plain(group[0].label), [plain(line.label) for line in group[1:]]
    ranked = sum(line.standing is not None for line in board.lines)
    if ranked == 1:
        return f"{leader} ran alone ({title} {sure})."
    if not others:
        return f"{leader} is significantly better than each of the other {ranked - 1} ({title} {sure})."
    return (
        f"{leader} has the highest {title} ({sure}); "
        f"{_listed(others)} {'is' if len(others) == 1 else 'are'} not significantly different."
    )


def _cheapest(group: Sequence[Line], price: float) -> list[str]:
    costs = [(hours, line) for line in group if (hours := core_hours(line)) is not None]
    if len(costs) < 2:
        return []
    hours, line = min(costs, key=lambda each: each[0])
    return [
        f"The cheapest of these is {plain(line.label)}: {duration(sentences.cpu_ms(line))} ms of "
        f"CPU time per page, {duration(hours * price)} per million pages at {price:g} per core-hour."
    ]


def _by_type(leader: Line, board: Leaderboard, slices: Sequence[tuple[Slice, Line]]) -> list[str]:
    types_by_label: dict[str, list[str]] = {}
    for slice_, line in slices:
        if line.label != leader.label:
            types_by_label.setdefault(line.label, []).append(f"{slice_.name} ({slice_.pages})")
    if not types_by_label:
        return []
    parts = [f"{label} on {_listed(types)}" for label, types in types_by_label.items()]
    return [
        f"By page type others have the highest {sentences.title(board.metric.main)}, on the number of "
        f"pages in brackets: {plain('; '.join(parts))}."
    ]


def _listed(names: Sequence[str]) -> str:
    shown, rest = list(names[:_NAMED]), len(names) - _NAMED
    if rest > 0:
        shown.append(f"{rest} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]
