"""``bench show``: what a stored run made of one page: every row's score, or the marked difference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.cli import marking, options
from bench.cli.scored import Scored, stored
from bench.model import Outcome, UsageError
from bench.report import marked, sentences
from bench.runs.store.manifest import RowFacts
from bench.scoring import export
from bench.scoring.pages import Answer, PageAnswers, Pages
from bench.util import suggest
from bench.util.display import plain
from bench.util.numbers import duration, percent

_HINTS = 3
_DIAGNOSTICS = 20
"""Lines of a failed cell's diagnostics."""


@dataclass(frozen=True)
class Shown:
    """One row on the page."""

    label: str
    version: str
    kind: str
    figures: Mapping[str, float | None]
    """The ranking metric's figures of this page; None where the page leaves the mean."""
    wall_s: float
    answer: Answer

    @property
    def failed(self) -> bool:
        """Whether there was no answer at all."""
        return Outcome(self.answer.outcome).failed

    def facts(self) -> dict[str, Any]:
        """Return the row for machines, without its text."""
        return {
            "extractor": self.label,
            "version": self.version or None,
            "kind": self.kind,
            "outcome": self.answer.outcome,
            "wall_s": self.wall_s,
            "figures": dict(self.figures),
        }


@click.command(
    epilog="Examples: bench show 02aa · bench show 02aa trafilatura · "
    "bench show 02aa 'boilerpy3:*' --run 2026 --full"
)
@click.argument("page", metavar="PAGE")
@click.argument("names", nargs=-1, metavar="[EXTRACTOR]...")
@click.option("--run", "run_id", metavar="RUN", help="The run, or the beginning of its id.")
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
    found = stored(results, run_id, scoring)
    page_id = _page(page, found.data_set.ids, found.data_set.name)
    keys = set(found.keys.values())
    chosen = [row for row in export.chosen(found.run, names) if row.key in keys]
    if not chosen:
        raise UsageError(f"run {found.run.id} has no cells of {', '.join(names) or 'any row'}")
    (item,) = Pages(found.run, found.data_set, [row.key for row in chosen]).read([page_id])
    rows = _rows(found, chosen, item)
    if as_json:
        options.print_json(_facts(found, item, rows, texts=bool(names)))
        return
    console = options.console()
    for line in _heading(found, item):
        console.print(Text(line, style="bold"), soft_wrap=True)
    if not names:
        console.print()
        console.print(_table(rows))
        return
    for row in rows:
        console.print()
        console.print(Text(_about(row), style="bold"), soft_wrap=True)
        _show(console, row, item.gold.text, full=full)


def _page(word: str, ids: Sequence[str], data_set: str) -> str:
    """Return the id that a word means. Raises ``UsageError`` where it means none or several."""
    matches = [word] if word in ids else [each for each in ids if each.startswith(word)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        named = ", ".join(matches[:_HINTS])
        raise UsageError(
            f"{len(matches)} pages of {data_set} begin with {word!r} ({named}"
            f"{', …' if len(matches) > _HINTS else ''}); give more of the id"
        )
    hint = suggest.hint(word, ids, f"the first is {ids[0]}")
    raise UsageError(f"{data_set} has no page {word!r}; {hint}")


def _rows(found: Scored, chosen: Sequence[RowFacts], item: PageAnswers) -> list[Shown]:
    """Return the rows with their scores on the page, best first; without a score last."""
    scores = found.scores[0]
    at = scores.pages.index(item.page.id)
    cells = found.run.cells()
    here = cells[(cells["page"] == item.page.id) & (cells["repeat"] == 0)]
    walls = dict(zip(here["row"], here["wall_s"], strict=True))
    rows = [
        Shown(
            label=row.label,
            version=row.version or "",
            kind=row.facts.kind,
            figures=scores.of_cell(scores.place(row.key), at),
            wall_s=float(walls[row.key]),
            answer=answer,
        )
        for row, answer in zip(chosen, item.answers, strict=True)
    ]
    main = scores.metric.main

    def order(row: Shown) -> tuple[float, str]:
        value = row.figures[main]
        return (math.inf if value is None else -value, row.label)

    return sorted(rows, key=order)


def _heading(found: Scored, item: PageAnswers) -> list[str]:
    page, gold = item.page, item.gold.text
    kinds = [each for each in (page.page_type, page.language) if each]
    size = "no full gold text" if gold is None else f"{len(gold.split()):,} words of gold"
    facts = ", ".join([*kinds, size])
    lines = [f"{plain(page.id)} of {plain(found.data_set.name)}: {plain(facts)}"]
    if page.url:
        lines.append(plain(page.url)[:2000])
    return [*lines, f"run {plain(found.run.id)}, {plain(found.scores[0].metric.title)}"]


def _table(rows: Sequence[Shown]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("extractor", overflow="fold")
    names = list(rows[0].figures)
    for name in names:
        table.add_column(sentences.short_title(name), justify="right", no_wrap=True)
    table.add_column("outcome", no_wrap=True)
    table.add_column("ms", justify="right", no_wrap=True)
    for row in rows:
        style = "dim" if row.kind == "control" else ""
        table.add_row(
            Text(plain(row.label)),
            *(percent(row.figures[name]) for name in names),
            row.answer.outcome,
            duration(row.wall_s * 1000),
            style=style,
        )
    return table


def _about(row: Shown) -> str:
    figures = ", ".join(
        f"{sentences.title(name)} {percent(value)}" for name, value in row.figures.items()
    )
    return (
        f"{plain(row.label)} {plain(row.version)}".rstrip()
        + f": {row.answer.outcome}, {figures}, {duration(row.wall_s * 1000)} ms"
    )


def _show(console: Console, row: Shown, gold: str | None, *, full: bool) -> None:
    if row.failed:
        for line in row.answer.diagnostics.splitlines()[:_DIAGNOSTICS]:
            click.echo(plain(line))
    elif gold is None:
        click.echo(marking.clean(row.answer.text).rstrip("\n"))
    else:
        spans = marked.spans(gold, row.answer.text)
        marking.show(console, spans if full else marked.abridged(spans))


def _facts(
    found: Scored, item: PageAnswers, rows: Sequence[Shown], *, texts: bool
) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "run": found.run.id,
        "gold": found.data_set.name,
        "page": item.page.id,
        "url": item.page.url,
        "page_type": item.page.page_type,
        "language": item.page.language,
        "metric": found.scores[0].metric.name,
        "rows": [row.facts() for row in rows],
    }
    if texts:
        for row, own in zip(rows, facts["rows"], strict=True):
            own["text"] = row.answer.text
            own["diagnostics"] = row.answer.diagnostics
            gold = item.gold.text
            spans = [] if gold is None or row.failed else marked.spans(gold, row.answer.text)
            own["spans"] = [{"kind": span.kind, "text": span.text} for span in spans]
    return facts
