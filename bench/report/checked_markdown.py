"""The outcome of a check for a pull request: a table of rows, regressions, pages won and lost."""

from __future__ import annotations

from collections.abc import Sequence

from bench.report import checked as terminal
from bench.report.markdown import escape
from bench.scoring.compare.check import Checked
from bench.scoring.compare.held import PageChange
from bench.scoring.compare.marks import Mark
from bench.scoring.compare.rules import RowChecked
from bench.util.display import percent

PAGES = 10


def summary(checked: Checked, *, pages: int = PAGES) -> str:
    """Return the whole outcome as a section of Markdown."""
    shown = [row for row in checked.rows if row.mark is not Mark.SAME]
    parts = [
        f"## bench check: {escape(terminal.verdict(checked))}",
        escape(terminal.heading(checked)),
    ]
    if shown:
        parts.append(_table(shown))
    for row in shown:
        parts.extend(_details(row, pages))
    missing = [f"- {escape(each)}: {escape(why)}" for each, why in checked.missing.items()]
    if missing:
        parts.append("\n".join(["Not compared:", "", *missing]))
    notes = terminal.notes(checked)
    hidden = len(checked.rows) - len(shown)
    if hidden:
        notes = [f"{hidden} rows have the same scores on every page", *notes]
    parts.append("\n".join(f"- {escape(each)}" for each in notes))
    return "\n\n".join(parts) + "\n"


def cannot(reason: str) -> str:
    """Return the section that says why nothing could be compared."""
    return f"## bench check: CANNOT COMPARE\n\n{escape(reason)}\n"


def _table(rows: Sequence[RowChecked]) -> str:
    lines = [
        "| | row | before | after | difference | 95 % | won/tied/lost | cost |",
        "|:--|:--|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        held, difference = row.whole.held, row.whole.held.difference
        interval = (
            "–"
            if difference.lo is None or difference.hi is None
            else f"{difference.lo * 100:+.2f} to {difference.hi * 100:+.2f}"
        )
        cells = (
            row.mark.value,
            escape(row.label),
            percent(held.before, 2),
            percent(held.after, 2),
            "–" if difference.value is None else f"{difference.value * 100:+.2f}",
            interval,
            f"{difference.wins}/{difference.ties}/{difference.losses}",
            "–" if row.cost is None else f"{row.cost.growth:+.0%}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _details(row: RowChecked, pages: int) -> list[str]:
    parts = [f"### {escape(row.label)}"]
    found = [f"- **{each.kind.value}**: {escape(each.text)}" for each in row.regressions]
    if found:
        parts.append("\n".join(found))
    lost = [each for each in row.changes if each.change < 0]
    won = [each for each in reversed(row.changes) if each.change > 0]
    other = len(row.changes) - len(lost) - len(won)
    for title, own in (("worse", lost), ("better", won)):
        if own:
            parts.append(_pages(title, own, pages))
    if other:
        parts.append(f"{other} pages changed and score the same.")
    return parts


def _pages(title: str, changes: Sequence[PageChange], most: int) -> str:
    lines = [f"<details><summary>{len(changes)} pages {title}</summary>", ""]
    lines += ["| page | before | after | |", "|:--|--:|--:|:--|"]
    for each in changes[:most]:
        outcome = (
            ""
            if each.outcome_before == each.outcome_after
            else f"{each.outcome_before} → {each.outcome_after}"
        )
        cells = (escape(each.page), percent(each.before), percent(each.after), escape(outcome))
        lines.append(f"| {' | '.join(cells)} |")
    if len(changes) > most:
        lines += ["", f"and {len(changes) - most} more"]
    return "\n".join([*lines, "", "</details>"])
