"""``bench show``: what a stored run made of one page: every row's score, or the marked difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.text import Text

from bench.cli import options, printed_diff, printing
from bench.report import terminal
from bench.report.document import Column, Table, table
from bench.util.display import plain
from bench.util.numbers import duration, percent

if TYPE_CHECKING:
    from bench.api import PageOfRun, RowOnPage, Run

_DIAGNOSTICS = 20
"""Lines of a failed cell's diagnostics."""


@click.command(
    epilog="Examples: bench show 02aa · bench show 02aa trafilatura · "
    "bench show 02aa 'boilerpy3:*' --run 2026 --full"
)
@click.argument("page", metavar="PAGE")
@click.argument("names", nargs=-1, metavar="[EXTRACTOR]...")
@click.option(
    "--run", "run_id", metavar="RUN", help="The run: its id, the beginning of it, or a tag."
)
@options.results
@options.scoring_of_page
@click.option("--full", is_flag=True, help="Show everything, also what is the same.")
@options.as_json
def command(
    page: str,
    names: tuple[str, ...],
    run_id: str | None,
    results: Path,
    scoring: options.ScoreOptions,
    full: bool,
    as_json: bool,
) -> None:
    """Show what a run (the latest finished) made of PAGE, an id or the beginning of one.

    Without EXTRACTOR, a table of every row: its score on the page, how it ended and how long it
    took, best first. With one or more, what each returned held against the gold: words that are
    missing are marked [-so-], surplus ones {+so+}, and long stretches that are the same are left
    out. No extractor runs.
    """
    run = scoring.run(run_id, results)
    view = run.page(page, names)
    if as_json:
        printing.print_json(_facts(run, view, texts=bool(names)))
        return
    console = printing.console()
    for line in _heading(run, view):
        console.print(Text(line, style="bold"), soft_wrap=True)
    if not names:
        console.print()
        terminal.show([_table(view.rows)], console)
        return
    for row in view.rows:
        console.print()
        console.print(Text(_about(row), style="bold"), soft_wrap=True)
        _show(console, row, view.gold.text, full=full)


def _heading(run: Run, view: PageOfRun) -> list[str]:
    page, gold = view.page, view.gold.text
    kinds = [each for each in (page.page_type, page.language) if each]
    size = "no full gold text" if gold is None else f"{len(gold.split()):,} words of gold"
    facts = ", ".join([*kinds, size])
    lines = [f"{plain(page.id)} of {plain(run.data_set.name)}: {plain(facts)}"]
    if page.url:
        lines.append(plain(page.url)[:2000])
    return [*lines, f"run {plain(run.id)}, {plain(run.metrics[0].title)}"]


def _table(rows: Sequence[RowOnPage]) -> Table:
    """Return a table with a line for each row."""
    from bench.report import sentences

    columns: list[tuple[Column, Callable[[RowOnPage], str]]] = [
        (Column("extractor", "left", fold=1), lambda row: row.label),
        *(
            (Column(sentences.short_title(name)), partial(_percent, name))
            for name in rows[0].figures
        ),
        (Column("outcome", "left"), lambda row: row.outcome),
        (Column("ms"), lambda row: duration(row.wall_s * 1000)),
    ]
    styled = table(columns, rows, lambda row: "dim" if row.kind == "control" else "")
    return replace(styled, space=(0, 0))


def _percent(name: str, row: RowOnPage) -> str:
    return percent(row.figures[name])


def _about(row: RowOnPage) -> str:
    from bench.report import sentences

    figures = ", ".join(
        f"{sentences.title(name)} {percent(value)}" for name, value in row.figures.items()
    )
    return (
        f"{plain(row.label)} {plain(row.version)}".rstrip()
        + f": {row.outcome}, {figures}, {duration(row.wall_s * 1000)} ms"
    )


def _show(console: Console, row: RowOnPage, gold: str | None, *, full: bool) -> None:
    if row.outcome.failed:
        for line in row.diagnostics.splitlines()[:_DIAGNOSTICS]:
            click.echo(plain(line))
    elif gold is None:
        click.echo(printed_diff.clean(row.text).rstrip("\n"))
    else:
        printed_diff.show(console, gold, row.text, full=full)


def _facts(run: Run, view: PageOfRun, *, texts: bool) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "run": run.id,
        "gold": run.data_set.name,
        "page": view.page.id,
        "url": view.page.url,
        "page_type": view.page.page_type,
        "language": view.page.language,
        "metric": run.metrics[0].name,
        "rows": [_row_facts(row) for row in view.rows],
    }
    if texts:
        for row, own in zip(view.rows, facts["rows"], strict=True):
            answer = None if row.outcome.failed else row.text
            own["text"], own["diagnostics"] = row.text, row.diagnostics
            own["spans"] = printed_diff.to_json(view.gold.text, answer)
    return facts


def _row_facts(row: RowOnPage) -> dict[str, Any]:
    """Return a row for machines, without its text."""
    return {
        "extractor": row.label,
        "version": row.version or None,
        "kind": row.kind,
        "outcome": row.outcome,
        "wall_s": row.wall_s,
        "figures": dict(row.figures),
    }
