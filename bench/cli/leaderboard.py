"""``bench leaderboard``: a stored run's leaderboard, whole or slice by slice."""

from pathlib import Path

import click

from bench.cli import options
from bench.model import UsageError


@click.command(
    epilog="Examples: bench leaderboard · bench leaderboard 2026 --by page_type · "
    "bench leaderboard --metric bow,ngram --markdown · bench leaderboard --scale --price 0.04"
)
@click.argument("run_id", required=False, metavar="[RUN]")
@click.option(
    "--by",
    "dimension",
    metavar="DIMENSION",
    help="Cut into slices: page_type, language, length, complexity, or what the data set says.",
)
@click.option(
    "--scale",
    "at_scale",
    is_flag=True,
    help="What rows do at scale: pages per core, cost, memory, pages lost at deadlines, failures.",
)
@options.deadline
@options.price
@options.results
@options.weighing
@options.output_or_markdown
def command(
    run_id: str | None,
    dimension: str | None,
    at_scale: bool,
    deadline: float,
    price: float,
    results: Path,
    scoring: options.ScoreOptions,
    output: options.Output,
) -> None:
    """Show the leaderboard of RUN (the latest finished) by its id, the beginning of it, or a tag.

    With --by, the figure that ranks in each slice of the pages, with the average over pages
    (micro) and over slices (macro). With --scale, what each row would do on very many pages;
    --deadline and --price are for that.
    """
    from bench.report import leaderboard

    if at_scale and dimension is not None:
        raise UsageError("--scale and --by are two tables; ask for one at a time")
    run = scoring.run(run_id, results)
    if at_scale:
        from bench.report import scale

        output.show(run.at_scale(deadline, price), scale.document)
    elif dimension is None:
        output.show(run.board, leaderboard.document)
    else:
        output.show(run.sliced(dimension), leaderboard.by_slice)
