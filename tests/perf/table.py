"""One line per measurement, with what was promised beside what was found."""

from __future__ import annotations

from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Measurement:
    """A figure that was promised and found."""

    what: str
    found: str
    promised: str
    kept: bool


def show(measurements: list[Measurement]) -> None:
    """Print the measurements."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("what", "found", "promised", ""):
        table.add_column(title, overflow="fold")
    for each in measurements:
        mark = "[green]kept" if each.kept else "[red]broken"
        table.add_row(each.what, each.found, each.promised, mark)
    Console(width=100 if not Console().is_terminal else None).print(table)
