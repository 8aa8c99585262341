"""The outcome of a check: what failed first, row by row, with the pages to blame."""

from collections.abc import Callable, Iterator, Sequence

from bench.report import sentences
from bench.report.document import (
    MARKDOWN,
    TERMINAL,
    Block,
    Column,
    Details,
    Heading,
    Items,
    Only,
    Paragraph,
    Terms,
    table,
)
from bench.scoring.compare.changes import PageChange
from bench.scoring.compare.check import CANNOT_COMPARE, PASSED, Checked
from bench.scoring.compare.regressions import RowChecked
from bench.scoring.compare.verdicts import Verdict
from bench.util.display import plain
from bench.util.numbers import counted, percent, points, points_interval

PAGES = 5
"""Pages shown for each regression on a terminal, unless more are asked for."""
_PAGES_WRITTEN = 10
NARROW = ("rule", "head")
"""How its Markdown is written."""
_STYLES = {
    Verdict.WORSE: "red",
    Verdict.FAILING: "red",
    Verdict.BETTER: "green",
    Verdict.FIXED: "green",
}


def document(checked: Checked, *, pages: int = PAGES, all_rows: bool = False) -> Iterator[Block]:
    """Yield the outcome: lines for a terminal, tables and details for a pull request."""
    changed = [row for row in checked.rows if row.verdict is not Verdict.SAME]
    shown = checked.rows if all_rows else changed
    verdict = _verdict(checked)
    yield Only(MARKDOWN, [Heading(f"bench check: {verdict}")])
    gold, metric = plain(checked.current.gold), checked.current.metric
    yield Paragraph(
        f"{gold}, {len(checked.current.pages)} pages, {sentences.title(metric.main)} "
        f"({metric.name}), held against the baseline",
        "bold",
    )
    yield Only(TERMINAL, _lines(checked, shown, pages))
    yield Only(MARKDOWN, _tables(checked, changed))
    notes = _notes(checked)
    same = len(checked.rows) - len(changed)
    hidden = [f"{same} rows have the same scores on every page"] if same else []
    yield Only(MARKDOWN, [Items([*hidden, *notes])])
    if same and not all_rows:
        rest = f"{counted(same, 'row')} with the same scores on every page not shown"
        notes = [f"{rest}; --all-rows shows them", *notes]
    style = "bold green" if checked.status == PASSED else "bold red"
    yield Only(TERMINAL, [Items(notes, bullet="", style="dim"), Paragraph(verdict, style)])


def refusal(reason: str) -> list[Block]:
    """Return what is written where nothing could be compared."""
    return [Heading("bench check: CANNOT COMPARE"), Paragraph(reason)]


def page_lines(changes: Sequence[PageChange], most: int) -> list[str]:
    """Return pages with both scores, as many as are wanted, and how many are not shown."""
    lines = [
        f"{plain(each.page)}  {_score(each.before, each.outcome_before)} → "
        f"{_score(each.after, each.outcome_after)}"
        for each in changes[:most]
    ]
    more = len(changes) - len(lines)
    return [*lines, f"and {counted(more, 'page')} more; --pages N shows them"] if more else lines


def _verdict(checked: Checked) -> str:
    """Return the outcome as one line."""
    rows_checked = counted(len(checked.rows), "row")
    if checked.regressions:
        failed = len({each.row for each in checked.regressions})
        regressions = counted(len(checked.regressions), "regression")
        return f"FAILED: {regressions} in {failed} of {rows_checked}"
    if checked.status == CANNOT_COMPARE:
        return f"CANNOT COMPARE: {counted(len(checked.missing), 'row')} could not be compared"
    return f"PASSED: no regression in {rows_checked}"


def _lines(checked: Checked, shown: Sequence[RowChecked], pages: int) -> Iterator[Block]:
    """Yield each row with its regressions and their pages, for a terminal."""
    yield Paragraph("")
    for row in shown:
        yield Paragraph(_row(row), _STYLES.get(row.verdict, ""))
        for each in row.regressions:
            yield Paragraph(f"{each.kind.value}: {plain(each.text)}", "red", indent=4)
            for line in page_lines(each.pages, pages):
                yield Paragraph(line, indent=6)
        blamed = {each.where for each in row.regressions}
        below = [
            f"{plain(where)} {percent(floor)} to {percent(value)}"
            for where, (floor, value) in row.below_floor.items()
            if where not in blamed
        ]
        if below and row.verdict is not Verdict.SAME:
            more = [f"{len(below) - PAGES} more"] if len(below) > PAGES else []
            told = ", ".join([*below[:PAGES], *more])
            yield Paragraph(f"lower, but not told apart: {told}", "yellow", indent=4)
    for label, reason in checked.missing.items():
        sign = Verdict.NOT_COMPARABLE.sign
        yield Paragraph(f"{sign} {plain(label)}: not compared: {plain(reason)}", "yellow")
    if shown or checked.missing:
        yield Paragraph("")


def _row(row: RowChecked) -> str:
    held, difference = row.whole, row.whole.difference
    interval = points_interval(difference.lo, difference.hi, 2)
    before, after = plain(row.before.version or ""), plain(row.after.version or "")
    version = after if before == after else f"{before or '?'} → {after or '?'}"
    cost = "" if row.cost is None else f"  cost {row.cost.growth:+.0%}"
    if row.cost is not None and row.cost.again is not None:
        cost += f", again {row.cost.again:+.0%}"
    return (
        f"{row.verdict.sign} {f'{plain(row.label)} {version}'.rstrip()}: {row.verdict.value}  "
        f"{percent(held.before, 2)} → {percent(held.after, 2)}  {points(difference.value, 2)}"
        f"{'' if difference.lo is None else f' {interval}'}  {_wins(row)} won/tied/lost{cost}"
    )


def _wins(row: RowChecked) -> str:
    difference = row.whole.difference
    return f"{difference.wins}/{difference.ties}/{difference.losses}"


def _score(value: float | None, outcome: str) -> str:
    return percent(value) if outcome == "ok" else f"{percent(value)} ({plain(outcome)})"


def _tables(checked: Checked, changed: Sequence[RowChecked]) -> Iterator[Block]:
    """Yield the rows as a table, then each with its regressions and its pages won and lost."""
    if changed:
        yield table(_OF_ROW, changed)
    for row in changed:
        yield Heading(plain(row.label), 3)
        if row.regressions:
            yield Terms("", [(each.kind.value, each.text) for each in row.regressions], strong=True)
        lost = [each for each in row.changes if each.change < 0]
        won = [each for each in reversed(row.changes) if each.change > 0]
        for title, own in (("worse", lost), ("better", won)):
            if own:
                yield Details(f"{len(own)} pages {title}", list(_pages(own)))
        other = len(row.changes) - len(lost) - len(won)
        if other:
            yield Paragraph(f"{other} pages changed and score the same.")
    if checked.missing:
        yield Terms("Not compared:", list(checked.missing.items()))


def _pages(changes: Sequence[PageChange]) -> Iterator[Block]:
    yield table(_OF_PAGE, changes[:_PAGES_WRITTEN])
    if len(changes) > _PAGES_WRITTEN:
        yield Paragraph(f"and {len(changes) - _PAGES_WRITTEN} more")


def _interval(row: RowChecked) -> str:
    lo, hi = row.whole.difference.lo, row.whole.difference.hi
    return "–" if lo is None or hi is None else f"{points(lo, 2)} to {points(hi, 2)}"


def _outcomes(change: PageChange) -> str:
    before, after = change.outcome_before, change.outcome_after
    return "" if before == after else f"{before} → {after}"


_OF_ROW: Sequence[tuple[Column, Callable[[RowChecked], str]]] = (
    (Column("", "left"), lambda row: row.verdict.value),
    (Column("row", "left"), lambda row: row.label),
    (Column("before"), lambda row: percent(row.whole.before, 2)),
    (Column("after"), lambda row: percent(row.whole.after, 2)),
    (Column("difference"), lambda row: points(row.whole.difference.value, 2)),
    (Column("95 %"), _interval),
    (Column("won/tied/lost"), _wins),
    (Column("cost"), lambda row: "–" if row.cost is None else f"{row.cost.growth:+.0%}"),
)
_OF_PAGE: Sequence[tuple[Column, Callable[[PageChange], str]]] = (
    (Column("page", "left"), lambda change: change.page),
    (Column("before"), lambda change: percent(change.before)),
    (Column("after"), lambda change: percent(change.after)),
    (Column("", "left"), _outcomes),
)


def _notes(checked: Checked) -> list[str]:
    """Return how it was judged, one line each."""
    notes = []
    if checked.not_checked:
        rows_left = counted(len(checked.not_checked), "row")
        named = ", ".join(map(plain, checked.not_checked[:PAGES]))
        more = ", …" if len(checked.not_checked) > PAGES else ""
        notes.append(f"{rows_left} of the baseline not asked for: {named}{more}")
    notes.extend(map(plain, checked.notes))
    rules = checked.rules
    notes.append(
        f"A loss counts beyond {percent(rules.epsilon)} points if told apart at 5 % (paired "
        f"permutation test; Holm over {counted(checked.comparisons, 'comparison')} that could tell); "
        f"on slices too small for that, beyond {percent(rules.small_epsilon)} points with "
        "more pages worse than better."
    )
    grown = [row.cost.growth for row in checked.rows if row.cost is not None]
    if grown:
        notes.append(
            f"CPU time over the control's changed by {min(grown):+.0%} to {max(grown):+.0%}; beyond "
            f"{rules.cost_tolerance:+.0%}, measured twice, it counts."
        )
    sizes = [size for row in checked.rows if (size := row.detectable) is not None]
    if sizes:
        notes.append(
            f"Changes as uneven as these are found four times in five from "
            f"{percent(max(sizes), 2)} points on."
        )
    return notes
