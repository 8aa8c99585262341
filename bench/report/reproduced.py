"""A published table beside the same systems' figures here: terminal and Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.report.markdown import escape
from bench.scoring.published import Agreement, Published
from bench.util.display import plain

_SHOWN = 3
HEAD = ("", "row", "published F1", "F1 here", "identical", "white space", "differ")


def show(table: Published, found: Sequence[Agreement], console: Console) -> None:
    """Print the comparison."""
    shown = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for at, title in enumerate(HEAD):
        name = title == "row"
        shown.add_column(
            title, justify="left" if at < 2 else "right", no_wrap=not name, overflow="fold"
        )
    for each in found:
        shown.add_row(*map(Text, _cells(table, each)), style="" if each.kept else "red")
    console.print(shown)
    for line in notes(found):
        console.print(Text(f"• {line}"))
    console.print(Text(method(table), style="dim"))


def markdown(table: Published, found: Sequence[Agreement], heading: str) -> str:
    """Return a section with heading, table and notes."""
    lines = [f"| {' | '.join(HEAD)} |", "|:--|:--|--:|--:|--:|--:|--:|"]
    lines += [f"| {' | '.join(map(escape, _cells(table, each)))} |" for each in found]
    parts = [f"## {escape(heading)}", "\n".join(lines)]
    parts += [f"- {escape(line)}" for line in notes(found)]
    return "\n\n".join([*parts, escape(method(table))]) + "\n"


def notes(found: Sequence[Agreement]) -> list[str]:
    """Return what does not agree, one line each."""
    said = []
    for each in found:
        if each.problem:
            said.append(f"{plain(each.row)} could not be run: {plain(each.problem)[:300]}")
        elif each.texts is not None and each.texts.differ:
            ids = each.texts.differ
            more = ", …" if len(ids) > _SHOWN else ""
            said.append(
                f"{plain(each.row)} says something else on {len(ids)} pages: "
                f"{', '.join(map(plain, ids[:_SHOWN]))}{more}"
            )
    if not any(each.texts for each in found):
        said.append("No published texts are here to compare with; --outputs names their folder.")
    return said


def method(table: Published) -> str:
    """Say what was compared with what."""
    more = (
        f" Every environment holds {', '.join(map(plain, table.requires))}."
        if table.requires
        else ""
    )
    return (
        f"Published: {plain(table.source)}, revision {plain(table.revision)[:12]}. F1 is compared to "
        f"{table.digits} digits, texts page by page: identical, the same words between other white "
        f"space, or different.{more} = agrees, x does not."
    )


def _cells(table: Published, each: Agreement) -> list[str]:
    texts = each.texts
    counts = (
        ["–"] * 3
        if texts is None
        else [str(texts.identical), str(texts.white_space), str(len(texts.differ))]
    )
    here = "–" if each.here is None else f"{each.here:.{table.digits}f}"
    sign = "=" if each.kept else "x"
    return [sign, plain(each.row), f"{each.published:.{table.digits}f}", here, *counts]
