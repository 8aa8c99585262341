"""``bench leaderboard``: a stored run's leaderboard, whole or slice by slice."""

from pathlib import Path

import click

from bench.cli import options


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
@options.ranking
@options.output_or_markdown
def command(
    run_id: str | None,
    dimension: str | None,
    results: Path,
    scoring: options.ScoreOptions,
    output: options.Output,
) -> None:
    """Show the leaderboard of RUN (the latest finished) by its id, the beginning of it, or a tag.

    With --by, the figure that ranks in each slice of the pages, with the average over pages
    (micro) and over slices (macro).
    """
    from bench.report import leaderboard

    run = scoring.run(run_id, results)
    if dimension is None:
        output.show(run.board, leaderboard.document)
    else:
        output.show(run.sliced(dimension), leaderboard.by_slice)
