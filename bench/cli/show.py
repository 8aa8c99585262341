"""``bench show``: what a stored run made of one page: every row's score, or the marked difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.text import Text

from bench.cli import options, printed_diff, printing
from bench.metrics.texts.tokens import tokenize
from bench.model import UsageError
from bench.report import terminal
from bench.report.document import Column, Table, table
from bench.util.display import plain
from bench.util.numbers import counted, duration, percent

if TYPE_CHECKING:
    from bench.api import PageOfRun, RowOnPage, Run

_DIAGNOSTICS = 20
"""Lines of a failed cell's diagnostics."""


@click.command(
    epilog="Examples: bench show 02aa · bench show 02aa trafilatura · "
    "bench show 02aa 'boilerpy3:*' --run 2026 --full · "
    "bench show 02aa trafilatura --against trafilatura@1.12.2 · "
    "bench show trafilatura:precision --code"
)
@click.argument("page", metavar="PAGE")
@click.argument("names", nargs=-1, metavar="[EXTRACTOR]...")
@click.option(
    "--against",
    metavar="ROW",
    help="Show what EXTRACTOR lost and gained over this row, or RUN/ROW of another run.",
)
@click.option(
    "--run", "run_id", metavar="RUN", help="The run: its id, the beginning of it, or a tag."
)
@options.results
@options.scoring
@click.option("--full", is_flag=True, help="Show everything, also what is the same.")
@click.option(
    "--code",
    is_flag=True,
    help="In place of a page, name a row: print what installs and reproduces it.",
)
@options.as_json
def command(
    page: str,
    names: tuple[str, ...],
    against: str | None,
    run_id: str | None,
    results: Path,
    scoring: options.ScoreOptions,
    full: bool,
    code: bool,
    as_json: bool,
) -> None:
    """Show what a run (the latest finished) made of PAGE, an id or the beginning of one.

    Without EXTRACTOR, a table of every row: its score on the page, how it ended and how long it
    took, best first. With one or more, what each returned compared with the gold: words that are
    missing are marked [-so-], surplus ones {+so+}, and long stretches that are the same are left
    out. With --against, its text is compared with another row's in place of the gold. No extractor
    runs.
    """
    if code:
        _show_code(scoring.run(run_id, results), page)
        return
    if against is not None:
        if len(names) != 1:
            raise UsageError("--against compares one EXTRACTOR; name one")
        _show_against(page, names[0], against, run_id, results, scoring, full=full, as_json=as_json)
        return
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


def _show_code(run: Run, word: str) -> None:
    """Print what installs and reproduces rows, as Markdown: to be copied, so no line is broken."""
    from bench.report import code, markdown
    from bench.scoring import stored_run

    rows = stored_run.rows_named(run.folder, word)
    if not rows:
        raise stored_run.no_row(run.folder, word)
    for row in rows:
        blocks = code.blocks(row, run.manifest.gold.name, run.manifest.packages)
        click.echo(markdown.render(blocks), nl=False)


def _show_against(
    page: str,
    name: str,
    against: str,
    run_id: str | None,
    results: Path,
    scoring: options.ScoreOptions,
    *,
    full: bool,
    as_json: bool,
) -> None:
    """Print what a row's text lost and gained over another's, and how much of that is gold."""
    from bench.report import text_diff
    from bench.scoring.compare import arguments

    words = [name, against]
    if run_id is not None:
        run = scoring.run(run_id, results)
        words = [f"{run.id}/{word}" if run.has_row(word) else word for word in words]
    runs, views = [], []
    for word, source in zip((name, against), arguments.find(words, results), strict=True):
        if source.run is None or source.label is None:
            raise UsageError(f"{word} is no row; give a label of the leaderboard, or RUN/LABEL")
        runs.append(scoring.run(source.run.id, results))
        views.append(runs[-1].page(page, [source.label]))
    new, old = (view.rows[0] for view in views)
    if as_json:
        facts = {
            **_facts(runs[0], views[0], texts=False),
            "before": _row_facts(old),
            "after": _row_facts(new),
            "gold_text": views[0].gold.text,
            "spans": printed_diff.to_json(old.text, new.text),
        }
        printing.print_json(facts)
        return
    console = printing.console()
    for line in [*_heading(runs[0], views[0])[:-1], "", _about(old), _about(new)]:
        console.print(Text(line, style="bold"), soft_wrap=True)
    gold = Counter(tokenize(views[0].gold.text or ""))
    spans = text_diff.spans(old.text, new.text)
    for kind, verb, text in (
        (text_diff.MISSING, "lost", new.text),
        (text_diff.SURPLUS, "gained", old.text),
    ):
        # Of a word that the other text has as often as the gold none is due.
        due = gold - Counter(tokenize(text))
        changed = Counter(
            word for span in spans if span.kind == kind for word in tokenize(span.text)
        )
        said = counted(changed.total(), "word")
        click.echo(f"{verb} {said}, {(changed & due).total():,} of them in the gold")
    click.echo()
    printed_diff.show(console, old.text, new.text, full=full)
    if views[0].gold.text is not None:
        click.echo("\ngold:")
        click.echo(printed_diff.clean(views[0].gold.text).rstrip("\n"))


def _heading(run: Run, view: PageOfRun) -> list[str]:
    page, gold = view.page, view.gold.text
    kinds = [kind for kind in (page.page_type, page.language) if kind]
    size = "no full gold text" if gold is None else f"{len(gold.split()):,} words of gold"
    facts = ", ".join([*kinds, size])
    lines = [f"{plain(page.id)} of {plain(run.data_set.name)}: {plain(facts)}"]
    if page.url:
        lines.append(plain(page.url)[:2000])
    scored = f", {plain(run.metrics[0].title)}" if view.rows[0].figures else ""
    return [*lines, f"run {plain(run.id)}{scored}"]


def _table(rows: Sequence[RowOnPage]) -> Table:
    """Return a table with a line for each row."""
    from bench.report import sentences

    def figure(name: str, row: RowOnPage) -> str:
        return percent(row.figures[name])

    names = rows[0].figures
    return table(
        [
            (Column("extractor", "left", fold=1), lambda row: row.label),
            *((Column(sentences.short_title(name)), partial(figure, name)) for name in names),
            (Column("outcome", "left"), lambda row: row.outcome),
            (Column("ms"), lambda row: duration(row.wall_s * 1000)),
            *([] if names else [(Column("words"), lambda row: str(len(tokenize(row.text))))]),
        ],
        rows,
        lambda row: "dim" if row.kind == "control" else "",
        space=(0, 0),
    )


def _about(row: RowOnPage) -> str:
    from bench.report import sentences

    figures = (f"{sentences.title(name)} {percent(value)}" for name, value in row.figures.items())
    facts = ", ".join([row.outcome, *figures, f"{duration(row.wall_s * 1000)} ms"])
    return f"{plain(row.label)} {plain(row.version)}".rstrip() + f": {facts}"


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
        "metric": run.metrics[0].name if view.rows[0].figures else None,
        "rows": [_row_facts(row) for row in view.rows],
    }
    if texts:
        for row, row_facts in zip(view.rows, facts["rows"], strict=True):
            answer = None if row.outcome.failed else row.text
            row_facts["text"], row_facts["diagnostics"] = row.text, row.diagnostics
            row_facts["spans"] = printed_diff.to_json(view.gold.text, answer)
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
