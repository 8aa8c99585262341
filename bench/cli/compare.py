"""``bench compare``: two runs, two rows, or other people's outputs, held against each other."""

from __future__ import annotations

from pathlib import Path

import click

from bench.cli import options, progress
from bench.model import UsageError
from bench.report import comparison as report
from bench.report import markdown, terminal
from bench.scoring.compare import arguments, comparison


@click.command(
    epilog="Examples: bench compare trafilatura readability · bench compare 20260101 20260201 · "
    "bench compare 20260101/trafilatura 20260201/trafilatura:precision --pages 20 · "
    "bench compare --gold aeb output/trafilatura.json output/readability.json --markdown"
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@options.gold
@options.scoring
@click.option(
    "--by",
    multiple=True,
    metavar="DIMENSION",
    help="Slices to look at, may be given again.  [default: page_type, language, length]",
)
@click.option("--all-rows", is_flag=True, help="Show rows that do not differ as well.")
@click.option(
    "--pages",
    "pages_shown",
    type=click.IntRange(0),
    default=report.PAGES,
    show_default=True,
    metavar="N",
    help="Show N pages that changed for each row.",
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@options.results
@options.as_json
def command(
    first: str,
    second: str,
    gold_name: str,
    scoring: options.ScoreOptions,
    by: tuple[str, ...],
    all_rows: bool,
    pages_shown: int,
    as_markdown: bool,
    results: Path,
    as_json: bool,
) -> None:
    """Hold B against A: what is better, worse, or cannot be told apart, and on which pages.

    A and B are runs (an id or the beginning of one; rows with the same label are compared), rows
    (NAME[:VARIANT][@VERSION] of the latest run, or RUN/LABEL), or files and folders of
    predictions on --gold. Only pages that both have count.
    """
    if as_json and as_markdown:
        raise UsageError("give --json or --markdown, not both")
    found = comparison.compare(
        arguments.find(first, results),
        arguments.find(second, results),
        gold_name,
        scoring.metrics,
        by,
        scoring.bootstrap,
        progress.bar(),
    )
    blocks = report.document(found, pages=pages_shown, all_rows=all_rows)
    if as_json:
        options.print_json(found.to_json())
    elif as_markdown:
        click.echo(markdown.render(blocks), nl=False)
    else:
        terminal.show(blocks, options.console())
