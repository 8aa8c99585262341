"""What verbs print with: the terminal, tables of listings, lines on standard error, JSON."""

import dataclasses
import json
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from bench.util.display import grouped, plain


def console(*, stderr: bool = False) -> Console:
    """Return the terminal: colours only on a terminal and without NO_COLOR, 100 columns elsewhere."""
    terminal = Console(stderr=stderr, highlight=False)
    if not terminal.is_terminal and "COLUMNS" not in terminal._environ:
        terminal.width = 100
    return terminal


def grid(
    columns: Mapping[str, JustifyMethod],
    rows: Iterable[Sequence[object]],
    whole: Collection[str] = (),
) -> Table:
    """Return a table of listings: cells of any kind, under titles with the side that they stand on.

    Columns whose titles are in ``whole`` are never folded.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title, side in columns.items():
        table.add_column(title, justify=side, overflow="fold", no_wrap=title in whole)
    for row in rows:
        table.add_row(*(Text(plain(str(cell))) for cell in row))
    return table


def tell(line: str) -> None:
    """Say one line on standard error, whatever a stranger put into it."""
    click.echo(f"bench: {plain(line)}", err=True)


def folded(lines: Sequence[str]) -> list[str]:
    """Return lines; of those that say the same of several things the first, and their number.

    They say the same if they agree up to the first colon, or after it.
    """
    parts = [line.partition(": ") for line in lines]
    heads, tails = Counter(head for head, *_ in parts), Counter(tail for *_, tail in parts)
    groups = grouped(
        (head if heads[head] >= tails[tail] else tail, line)
        for line, (head, _, tail) in zip(lines, parts, strict=True)
    )
    return [
        alike[0] + (f", and {len(alike) - 1} more like it" if len(alike) > 1 else "")
        for alike in groups.values()
    ]


def short(path: Path) -> str:
    """Return a path as seen from here, if it is below."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def print_json(value: Any) -> None:
    """Print JSON on standard output; what is not JSON's own says what it is with ``to_json``."""
    json.dump(value, sys.stdout, indent=2, allow_nan=False, default=_facts)
    sys.stdout.write("\n")


def _facts(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    return value.to_json() if hasattr(value, "to_json") else dataclasses.asdict(value)
