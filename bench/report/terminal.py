"""The leaderboard on a terminal: as many columns as fit, the least needed left out first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bench.metrics.base import Metric
from bench.report import sentences
from bench.scoring.leaderboard import Leaderboard, Line
from bench.util.display import mib, milliseconds, number, percent, plain, seconds


class _Column(NamedTuple):
    title: str
    value: Callable[[Line], str]
    needed: int
    """The higher, the sooner it is left out on a narrow terminal; 0 is never left out."""
    left: bool = False


def _figure(name: str) -> Callable[[Line], str]:
    return lambda line: percent(line.figures[name].value)


def _under(metric: Metric) -> Callable[[Line], str]:
    return lambda line: percent(line.metrics[metric.name][metric.main].value)


def _spread(line: Line) -> str:
    """How far repeats lie apart; nothing where there was one."""
    spread = line.cost.spread_percent if line.cost else None
    return "" if spread is None else number(spread)


def _margin(name: str) -> Callable[[Line], str]:
    def margin(line: Line) -> str:
        half = line.figures[name].margin
        return "" if half is None else f"±{percent(half)}"

    return margin


_OUTCOMES = "not ok"
_NEEDED = {"precision": 3, "recall": 3, "page_f1": 4, "accuracy": 6, "exact": 8}
_COSTS = [
    _Column("ms/\npage", lambda line: milliseconds(line.cost.ms_per_page) if line.cost else "", 2),
    _Column(
        "ms\np95", lambda line: milliseconds(line.cost.ms_per_page_p95) if line.cost else "", 8
    ),
    _Column("spread\n%", _spread, 4),
    _Column("time\ns", lambda line: seconds(line.cost.wall_s) if line.cost else "", 5),
    _Column("CPU\n%", lambda line: number(line.cost.cpu_percent) if line.cost else "", 5),
    _Column("RAM\n%", lambda line: number(line.cost.ram_percent, 1) if line.cost else "", 5),
    _Column("MiB", lambda line: mib(line.cost.rss_peak_bytes) if line.cost else "", 7),
    _Column(_OUTCOMES, lambda line: sentences.outcomes(dict(line.outcomes)), 2, left=True),
]
_GAP = 1
_OUTCOMES_WIDTH = 9
"""Room for one kind of outcome; rows with more fold."""


def _columns(board: Leaderboard) -> list[_Column]:
    """Return what there is to show of this board, in the order of columns."""
    main = board.metric.main
    return [
        _Column("#", lambda line: str(line.rank or ""), 0),
        _Column("extractor", lambda line: plain(line.label), 0, left=True),
        _Column(sentences.short_title(main), _figure(main), 0),
        _Column("±", _margin(main), 1),
        _Column("alike", lambda line: line.letters, 4, left=True),
        *(
            _Column(f"{each.name}\n{sentences.short_title(each.main)}", _under(each), 1)
            for each in board.others
        ),
        *(
            _Column(sentences.short_title(name), _figure(name), _NEEDED[name])
            for name in board.metric.figures
            if name != main
        ),
        *_COSTS,
    ]


def leaderboard(board: Leaderboard, width: int) -> RenderableType:
    """Return what ``rich`` prints on a terminal of this width."""
    shown = _fitting(board, width)
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    for title, column in shown.items():
        # The last column may fold, every other is as wide as what it holds.
        last = title == list(shown)[-1]
        side: Literal["left", "right"] = "left" if column.left else "right"
        table.add_column(_on_two_lines(title), justify=side, no_wrap=not last)
    for line in board.lines:
        style = "dim" if line.rank is None else "bold" if line.place == 1 else ""
        table.add_row(*(Text(column.value(line)) for column in shown.values()), style=style)
    parts: list[RenderableType] = [
        Text(sentences.heading(board), style="bold"),
        Padding(table, (1, 0)),
    ]
    if board.missing:
        parts.append(_missing(board))
    parts.append(Text(sentences.method(board), style="dim"))
    parts.extend(Text(f"• {note}") for note in sentences.notes(board))
    return Group(*parts)


def _on_two_lines(title: str) -> str:
    """Return a heading that stands on the lower of two lines, or on both."""
    return title if "\n" in title else f"\n{title}"


def _fitting(board: Leaderboard, width: int) -> dict[str, _Column]:
    """Return the columns that have something to show, as many as the width holds."""
    columns = _columns(board)
    widths = {
        column.title: max(
            map(cell_len, [*column.title.split("\n"), *map(column.value, board.lines)])
        )
        for column in columns
        if any(column.value(line) for line in board.lines)
    }
    shown = {column.title: column for column in columns if column.title in widths}
    if _OUTCOMES in widths:
        widths[_OUTCOMES] = min(widths[_OUTCOMES], _OUTCOMES_WIDTH)
    for column in sorted(shown.values(), key=lambda column: -column.needed):
        room = sum(widths[title] + _GAP for title in shown)
        if room <= width or not column.needed:
            break
        del shown[column.title]
    return shown


def _missing(board: Leaderboard) -> RenderableType:
    lines = Text("Not run:", style="bold")
    for label, reason in sentences.not_run(board):
        lines.append(f"\n  {label}", style="yellow")
        lines.append(f"  {reason}", style="")
    return Padding(lines, (0, 0, 1, 0))


def show(board: Leaderboard, console: Console) -> None:
    """Print the leaderboard."""
    console.print(leaderboard(board, console.width))
