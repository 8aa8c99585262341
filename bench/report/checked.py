"""The outcome of a check on a terminal: what failed first, row by row, with the pages to blame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from bench.report import sentences
from bench.scoring.compare.check import CANNOT_COMPARE, PASSED, Checked
from bench.scoring.compare.held import PageChange
from bench.scoring.compare.marks import Mark
from bench.scoring.compare.rules import RowChecked, detectable
from bench.util.display import percent, plain

PAGES = 5
"""Pages shown for each regression, unless more are asked for."""
_STYLES = {Mark.WORSE: "red", Mark.FAILING: "red", Mark.BETTER: "green", Mark.FIXED: "green"}


def show(checked: Checked, console: Console, *, pages: int = PAGES, all_rows: bool = False) -> None:
    """Print the outcome of a check."""
    for line, style in lines(checked, pages=pages, all_rows=all_rows):
        console.print(Text(line, style=style), soft_wrap=False)


def lines(
    checked: Checked, *, pages: int = PAGES, all_rows: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield each line with its style."""
    yield heading(checked), "bold"
    yield "", ""
    shown = [row for row in checked.rows if all_rows or row.mark is not Mark.SAME]
    for row in shown:
        yield _row(row), _STYLES.get(row.mark, "")
        for each in row.regressions:
            yield f"    {each.kind.value}: {plain(each.text)}", "red"
            yield from ((f"      {line}", "") for line in page_lines(each.pages, pages))
        below = {w: own for w, own in row.below_floor.items() if w not in _told(row)}
        if below and row.mark is not Mark.SAME:
            yield f"    lower, but not told apart: {_floors(below)}", "yellow"
    for label, reason in checked.missing.items():
        yield f"{Mark.NOT_COMPARABLE.sign} {plain(label)}: not compared: {plain(reason)}", "yellow"
    if shown or checked.missing:
        yield "", ""
    for note in notes(checked, hidden=len(checked.rows) - len(shown)):
        yield note, "dim"
    yield verdict(checked), "bold green" if checked.status == PASSED else "bold red"


def heading(checked: Checked) -> str:
    """Name what was held against what."""
    return (
        f"{plain(checked.gold)}, {checked.pages} pages, "
        f"{sentences.title(checked.metric.main)} ({checked.metric.name}), held against the baseline"
    )


def verdict(checked: Checked) -> str:
    """Return the outcome as one line."""
    if checked.regressions:
        rows = len({each.row for each in checked.regressions})
        return (
            f"FAILED: {_counted(len(checked.regressions), 'regression')} in {rows} of "
            f"{_counted(len(checked.rows), 'row')}"
        )
    if checked.status == CANNOT_COMPARE:
        return f"CANNOT COMPARE: {_counted(len(checked.missing), 'row')} could not be compared"
    return f"PASSED: no regression in {_counted(len(checked.rows), 'row')}"


def notes(checked: Checked, *, hidden: int = 0) -> list[str]:
    """Return how it was judged and what is not shown, one line each."""
    found = []
    if hidden:
        found.append(
            f"{_counted(hidden, 'row')} with the same scores on every page not shown; "
            "--all-rows shows them"
        )
    if checked.not_checked:
        found.append(
            f"{_counted(len(checked.not_checked), 'row')} of the baseline not asked for: "
            f"{', '.join(map(plain, checked.not_checked[:PAGES]))}"
            f"{', …' if len(checked.not_checked) > PAGES else ''}"
        )
    found.extend(plain(each) for each in checked.notes)
    rules = checked.rules
    found.append(
        f"A loss counts beyond {percent(rules.epsilon)} points if told apart at 5 % (paired "
        f"permutation test; Holm over {_counted(checked.comparisons, 'comparison')} that could tell); "
        f"on slices too small for that, beyond {percent(rules.small_epsilon)} points with "
        "more pages worse than better."
    )
    grown = [row.cost.growth for row in checked.rows if row.cost is not None]
    if grown:
        found.append(
            f"CPU time over the control's changed by {min(grown):+.0%} to {max(grown):+.0%}; beyond "
            f"{rules.cost_tolerance:+.0%}, measured twice, it counts."
        )
    sizes = [size for row in checked.rows if (size := detectable(row)) is not None]
    if sizes:
        found.append(
            f"Changes as uneven as these are found four times in five from "
            f"{percent(max(sizes), 2)} points on."
        )
    return found


def page_lines(changes: Sequence[PageChange], most: int) -> list[str]:
    """Return pages with both scores, as many as are wanted, and how many are not shown."""
    shown = [
        f"{plain(each.page)}  {_score(each.before, each.outcome_before)} → "
        f"{_score(each.after, each.outcome_after)}"
        for each in changes[:most]
    ]
    more = len(changes) - len(shown)
    return [*shown, f"and {_counted(more, 'page')} more; --pages N shows them"] if more else shown


def _row(row: RowChecked) -> str:
    held, difference = row.whole.held, row.whole.held.difference
    interval = (
        "" if difference.lo is None else f" [{_signed(difference.lo)}, {_signed(difference.hi)}]"
    )
    cost = "" if row.cost is None else f"  cost {row.cost.growth:+.0%}{_unconfirmed(row)}"
    return (
        f"{row.mark.sign} {plain(row.label)}{_versions(row)}: {row.mark.value}  "
        f"{percent(held.before, 2)} → {percent(held.after, 2)}  "
        f"{_signed(difference.value)}{interval}  "
        f"{difference.wins}/{difference.ties}/{difference.losses} won/tied/lost{cost}"
    )


def _told(row: RowChecked) -> set[str]:
    return {each.where for each in row.regressions}


def _floors(below: Mapping[str, tuple[float, float]]) -> str:
    """Return figures that are lower than was ever accepted, as many as pages are shown."""
    shown = [
        f"{plain(where)} {percent(floor)} to {percent(value)}"
        for where, (floor, value) in list(below.items())[:PAGES]
    ]
    return ", ".join([*shown, *([f"{len(below) - PAGES} more"] if len(below) > PAGES else [])])


def _unconfirmed(row: RowChecked) -> str:
    return "" if row.cost is None or row.cost.again is None else f", again {row.cost.again:+.0%}"


def _versions(row: RowChecked) -> str:
    before, after = plain(row.version_before or ""), plain(row.version_after or "")
    return f" {after}".rstrip() if before == after else f" {before or '?'} → {after or '?'}"


def _score(value: float | None, outcome: str) -> str:
    return percent(value) if outcome == "ok" else f"{percent(value)} ({plain(outcome)})"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value * 100:+.2f}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
