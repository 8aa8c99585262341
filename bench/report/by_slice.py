"""A leaderboard slice by slice, on a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bench.report import sentences
from bench.report.markdown import escape
from bench.scoring.sliced import Sliced, SlicedLine
from bench.util.display import percent, plain

_NAME = 12
"""Letters of a slice's name at the head of a column."""
_GAP = 1


def terminal(cut: Sliced, width: int) -> RenderableType:
    """Return what ``rich`` prints: the largest slices that fit, and a word on those that do not."""
    shown = _fitting(cut, width)
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    heads = ["\n#", "\nextractor", "\nall", "\nmacro"]
    heads += [f"{_short(name)}\n{cut.pages[name]}" for name in shown]
    for at, head in enumerate(heads):
        table.add_column(head, justify="left" if at == 1 else "right", no_wrap=True)
    best = _best(cut, shown)
    for each in cut.lines:
        style = "dim" if each.line.rank is None else ""
        cells = [Text(value) for value in _cells(each, shown)]
        for at, name in enumerate(shown, 4):
            if each.line.rank is not None and cells[at].plain == best[name]:
                cells[at].stylize("bold")
        table.add_row(*cells, style=style)
    notes = [_method(cut)]
    if len(shown) < len(cut.pages):
        left_out = [name for name in cut.pages if name not in shown]
        named = ", ".join(f"{plain(name)} ({cut.pages[name]} pages)" for name in left_out)
        notes.append(f"For want of room without {named}; --json and --markdown have all.")
    return Group(
        Text(f"{sentences.heading(cut.board)}, by {plain(cut.dimension)}", style="bold"),
        Padding(table, (1, 0)),
        *(Text(note, style="dim") for note in notes),
    )


def markdown(cut: Sliced) -> str:
    """Return a section with heading, table and method."""
    names = list(cut.pages)
    head = ["#", "extractor", "all", "macro"]
    head += [f"{escape(name)} ({cut.pages[name]})" for name in names]
    align = ["--:", ":--", *["--:"] * (len(head) - 2)]
    rows = [[escape(cell) for cell in _cells(each, names)] for each in cut.lines]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in (head, align, *rows))
    title = escape(f"{sentences.heading(cut.board)}, by {cut.dimension}")
    return f"## {title}\n\n{table}\n\n{escape(_method(cut))}\n"


def _cells(each: SlicedLine, names: Sequence[str]) -> list[str]:
    return [
        str(each.line.rank or "–"),
        plain(each.line.label),
        percent(each.micro.value),
        percent(each.macro.value),
        *(percent(each.estimates[name].value) for name in names),
    ]


def _best(cut: Sliced, names: Sequence[str]) -> dict[str, str]:
    ranked = [each for each in cut.lines if each.line.rank is not None]
    return {
        name: percent(max((each.estimates[name].value or 0.0 for each in ranked), default=0.0))
        for name in names
    }


def _method(cut: Sliced) -> str:
    metric = cut.board.metric
    return (
        f"{sentences.title(metric.main)} of {metric.name}, in per cent; under each name its pages. "
        "All: each page weighs the same (micro); macro: each slice does."
    )


def _short(name: str) -> str:
    name = plain(name)
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def _fitting(cut: Sliced, width: int) -> list[str]:
    """Return the slices that fit, the smallest left out first, in their own order."""
    labels = max((cell_len(plain(each.line.label)) for each in cut.lines), default=0)
    room = width - (4 + labels + 2 * 6 + 4 * _GAP)
    shown = sorted(cut.pages, key=lambda name: -cut.pages[name])
    while shown and sum(max(5, cell_len(_short(n))) + _GAP for n in shown) > room:
        shown.pop()
    return [name for name in cut.pages if name in shown]
