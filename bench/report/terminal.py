"""The leaderboard on a terminal: within 100 columns, narrower ones lose the least needed first."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bench.report import sentences
from bench.report.text import mib, milliseconds, number, percent, plain, seconds
from bench.scoring.leaderboard import Leaderboard, Line


class _Column(NamedTuple):
    title: str
    value: Callable[[Line], str]
    needs: int
    """Shown from this terminal width on."""
    left: bool = False


def _figure(name: str) -> Callable[[Line], str]:
    return lambda line: percent(line.figures[name].value)


def _margin(line: Line) -> str:
    f1 = line.figures["f1"]
    return f"±{(f1.hi - f1.lo) / 2 * 100:.1f}"


_QUALITY = [
    _Column("#", lambda line: str(line.rank or ""), 0),
    _Column("extractor", lambda line: plain(line.label), 0, left=True),
    _Column("F1", _figure("f1"), 0),
    _Column("±", _margin, 0),
    _Column("prec", _figure("precision"), 0),
    _Column("rec", _figure("recall"), 0),
    _Column("acc", _figure("accuracy"), 80),
    _Column("exact", _figure("exact"), 110),
    _Column("pageF1", _figure("page_f1"), 60),
]
_COST = [
    _Column("ms/page", lambda line: milliseconds(line.cost.ms_per_page) if line.cost else "", 60),
    _Column("time s", lambda line: seconds(line.cost.wall_s) if line.cost else "", 90),
    _Column("CPU %", lambda line: number(line.cost.cpu_percent) if line.cost else "", 80),
    _Column("RAM %", lambda line: number(line.cost.ram_percent, 1) if line.cost else "", 80),
    _Column("MiB", lambda line: mib(line.cost.rss_peak_bytes) if line.cost else "", 110),
]
_OUTCOMES = _Column("not ok", lambda line: sentences.outcomes(dict(line.outcomes)), 70, left=True)


def leaderboard(board: Leaderboard, width: int) -> RenderableType:
    """Return what ``rich`` prints."""
    with_cost = any(line.cost for line in board.lines)
    columns = [*_QUALITY, *(_COST if with_cost else []), _OUTCOMES]
    columns = [column for column in columns if column.needs <= width]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), collapse_padding=True)
    for column in columns:
        table.add_column(
            column.title,
            justify="left" if column.left else "right",
            no_wrap=column is not _OUTCOMES,
            overflow="ellipsis" if column.left else "fold",
        )
    for line in board.lines:
        style = "dim" if line.rank is None else "bold" if line.rank == 1 else ""
        table.add_row(*(Text(column.value(line)) for column in columns), style=style)
    parts: list[RenderableType] = [Text(sentences.heading(board), style="bold"), table]
    if board.missing:
        parts.append(_missing(board))
    parts.append(Text(sentences.method(board), style="dim"))
    parts.extend(Text(f"• {note}") for note in sentences.notes(board))
    return Group(*parts)


def _missing(board: Leaderboard) -> RenderableType:
    lines = Text("Not run:", style="bold")
    for each in board.missing:
        lines.append(f"\n  {each.label}", style="yellow")
        lines.append(f"  {plain(each.reason)[:200]}; to mend: {plain(each.remedy)[:200]}", style="")
    return Padding(lines, (0, 0, 1, 0))


def show(board: Leaderboard, console: Console) -> None:
    """Print the leaderboard."""
    console.print(leaderboard(board, console.width))
