"""Rankings side by side, on a terminal and as Markdown."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bench.report.markdown import escape
from bench.scoring.stability import Correlation, Stability
from bench.util.display import plain

_FIRST = 3
"""Rows that moved most, named."""


def terminal(found: Stability, width: int) -> RenderableType:
    """Return what ``rich`` prints: places under every metric, then how alike the rankings are."""
    places = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    places.add_column("extractor", no_wrap=True)
    several = len({each.gold for each in found.columns}) > 1
    for column in found.columns:
        name = column.metric.name.replace("-", "-\n", 1)
        head = f"{plain(column.gold)}\n{name}" if several else name
        places.add_column(Text(head), justify="right", vertical="bottom")
    for label in found.labels:
        own = [each.places.get(label) for each in found.columns]
        places.add_row(Text(plain(label)), *("–" if each is None else str(each) for each in own))
    parts: list[RenderableType] = [
        Text("Places, 1 is best", style="bold"),
        Padding(places, (1, 0)),
    ]
    if found.correlations:
        parts.append(Text("How alike the rankings are", style="bold"))
        parts.append(Padding(_matrix(found, several=several), (1, 0)))
    return Group(*parts, *(Text(note, style="dim") for note in _notes(found)))


def _matrix(found: Stability, *, several: bool) -> Table:
    """Return the correlations below the diagonal; columns are numbered as rows are."""
    known = {(each.first, each.second): each for each in found.correlations}
    alike = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    alike.add_column("", justify="right")
    alike.add_column("", no_wrap=True)
    for at in range(1, len(found.columns)):
        alike.add_column(str(at), justify="right")
    for at, row in enumerate(found.columns, 1):
        values = [known[column.name, row.name].value for column in found.columns[: at - 1]]
        shown = ["–" if value is None else f"{value:.2f}" for value in values]
        alike.add_row(str(at), Text(plain(row.name if several else row.metric.name)), *shown)
    return alike


def markdown(found: Stability) -> str:
    """Return a section with both tables."""
    head = ["extractor", *(escape(each.name) for each in found.columns)]
    align = [":--", *["--:"] * len(found.columns)]
    rows = [
        [escape(label), *(str(each.places.get(label, "–")) for each in found.columns)]
        for label in found.labels
    ]
    pairs = [
        [escape(f"{each.first} – {each.second}"), *_numbers(each)] for each in found.correlations
    ]
    return (
        "\n\n".join(
            [
                "## Places, 1 is best",
                _table([head, align, *rows]),
                "## How alike the rankings are",
                _table([["rankings", "Spearman", "95 %", "rows"], [":--", *["--:"] * 3], *pairs]),
                *(escape(note) for note in _notes(found)),
            ]
        )
        + "\n"
    )


def _table(rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def _numbers(each: Correlation) -> tuple[str, str, str]:
    if each.value is None or each.lo is None or each.hi is None:
        return "–", "–", str(each.rows)
    return f"{each.value:.3f}", f"{each.lo:.3f} to {each.hi:.3f}", str(each.rows)


def _notes(found: Stability) -> list[str]:
    notes = [
        "Spearman's rank correlation over the rows that both have; 95 % intervals by bootstrap "
        "over pages (all of them in --markdown and --json)."
    ]
    apart = [each for each in found.correlations if each.value is not None and each.rows > 1]
    if apart:
        least = min(apart, key=lambda each: (each.value, each.first, each.second))
        value, interval, _ = _numbers(least)
        names = f"{least.first} and {least.second}"
        notes.append(f"Least alike: {plain(names)}, {value} ({interval}, {least.rows} rows).")
    moved = [each for each in found.moves() if each[1] != each[2]][:_FIRST]
    if moved:
        named = ", ".join(f"{plain(label)} (place {lo} to {hi})" for label, lo, hi in moved)
        notes.append(f"Moved most: {named}.")
    return notes
