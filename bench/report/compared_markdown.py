"""Rows against rows as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from bench.report import compared
from bench.report.compared import COLUMNS, PAGES
from bench.report.markdown import escape
from bench.scoring.compare.rows import Comparison, Pair, mark
from bench.util.display import percent


def comparison(found: Comparison, *, pages: int = PAGES, all_rows: bool = False) -> str:
    """Return a section with the table, the slices and the pages that changed."""
    shown = compared.chosen(found, all_rows=all_rows)
    title, first, second = compared.heading(found)
    parts = [f"## {escape(title)}", f"- {escape(first)}\n- {escape(second)}"]
    if shown or found.missing:
        parts.append(_rows(shown, found))
    slices = [
        [
            mark(each).value,
            escape(pair.label),
            escape(each.where),
            str(each.pages),
            *(column.value(each) for column in COLUMNS),
        ]
        for pair in shown
        for each in compared.changed_slices(pair)
    ]
    if slices:
        head = ["", "row", "slice", "pages", *(each.title for each in COLUMNS)]
        parts += ["### Slices that changed", _table(head, slices, left=3)]
    for pair in shown:
        if pair.changes and pages:
            parts += [f"### Pages that changed most: {escape(pair.label)}", _pages(pair, pages)]
    notes = compared.notes(found, shown, pages=pages)
    if notes:
        parts.append("\n".join(f"- {escape(each)}" for each in notes))
    parts.append(escape(compared.method(found)))
    return "\n\n".join(parts) + "\n"


def _rows(shown: Sequence[Pair], found: Comparison) -> str:
    head = ["", "row", *(each.title for each in COLUMNS), "CPU"]
    lines = [
        [
            ", ".join(each.value for each in pair.marks),
            escape(pair.label),
            *(each.value(pair.whole) for each in COLUMNS),
            "–" if pair.cpu is None else f"×{pair.cpu:.2f}",
        ]
        for pair in shown
    ]
    lines += [
        ["not comparable", f"{escape(label)} ({escape(reason)})", *["–"] * (len(head) - 2)]
        for label, reason in found.missing.items()
    ]
    return _table(head, lines, left=2)


def _pages(pair: Pair, most: int) -> str:
    lines = [
        [
            escape(each.page),
            percent(each.before),
            percent(each.after),
            compared.points(each.change),
            escape(" → ".join(dict.fromkeys((each.outcome_before, each.outcome_after)))),
        ]
        for each in pair.changes[:most]
    ]
    return _table(["page", "A", "B", "B−A", "outcome"], lines, left=1)


def _table(head: Sequence[str], lines: Sequence[Sequence[str]], *, left: int) -> str:
    align = [":--" if at < left else "--:" for at in range(len(head))]
    cells = [[escape(each) for each in head], align, *lines]
    return "\n".join(f"| {' | '.join(each)} |" for each in cells)
