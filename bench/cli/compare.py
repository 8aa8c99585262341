"""``bench compare``: the difference of two runs, two rows, or other people's outputs."""

from __future__ import annotations

from pathlib import Path

import click

from bench.cli import options, progress


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
@options.pages_shown
@options.results
@options.output_or_markdown
def command(
    first: str,
    second: str,
    gold_name: str,
    scoring: options.ScoreOptions,
    by: tuple[str, ...],
    all_rows: bool,
    pages_shown: int,
    results: Path,
    output: options.Output,
) -> None:
    """Compare B with A: better, worse or no significant difference, and on which pages.

    A and B are runs (an id, the beginning of one, or a tag; rows with the same label are
    compared), rows (labels as the leaderboard prints them, of the newest run that has both, or
    RUN/LABEL), or files and folders of predictions on --gold. Only pages that both have count.
    """
    from bench.report import comparison as report
    from bench.scoring.compare import arguments, comparison

    one, other = arguments.find((first, second), results)
    compared = comparison.compare(
        one,
        other,
        gold_name,
        scoring.metrics,
        by,
        scoring.bootstrap,
        progress.bar(),
    )
    output.show(compared, report.document, pages=pages_shown, all_rows=all_rows)
