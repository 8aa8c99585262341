"""``bench leaderboard``: a stored run's leaderboard, whole or slice by slice."""

from __future__ import annotations

from pathlib import Path

import click

from bench.cli import options
from bench.report import leaderboard, markdown, terminal
from bench.scoring.leaderboard import Leaderboard


@click.command(
    epilog="Examples: bench leaderboard · bench leaderboard 2026 --by page_type · "
    "bench leaderboard --metric bow,ngram --markdown"
)
@click.argument("run_id", required=False, metavar="[RUN]")
@click.option(
    "--by",
    "dimension",
    metavar="DIMENSION",
    help="Cut into slices: page_type, language, length, complexity, or what the data set says.",
)
@options.results
@options.scoring
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@options.as_json
def command(
    run_id: str | None,
    dimension: str | None,
    results: Path,
    scoring: options.ScoreOptions,
    as_markdown: bool,
    as_json: bool,
) -> None:
    """Show the leaderboard of RUN (the latest finished), or the beginning of its id.

    With --by, the figure that ranks in each slice of the pages, with the average over pages
    (micro) and over slices (macro).
    """
    run = scoring.run(run_id, results)
    if dimension is None:
        _show(run.board, as_markdown=as_markdown, as_json=as_json)
        return
    cut = run.sliced(dimension)
    if as_json:
        options.print_json(cut.to_json())
    elif as_markdown:
        click.echo(markdown.render(leaderboard.by_slice(cut)), nl=False)
    else:
        terminal.show(leaderboard.by_slice(cut), options.console())


def _show(board: Leaderboard, *, as_markdown: bool, as_json: bool) -> None:
    if as_json:
        options.print_json(board.to_json())
    elif as_markdown:
        click.echo(markdown.render(leaderboard.document(board)), nl=False)
    else:
        terminal.show(leaderboard.document(board), options.console())
