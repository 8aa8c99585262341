"""``bench survey``: a stored run without gold: consensus, invented text, boilerplate, cost."""

from pathlib import Path

import click

from bench.cli import options, progress


@click.command(
    epilog="Examples: bench survey · bench survey 2026 --json · bench survey 2026 --markdown"
)
@click.argument("run_id", required=False, metavar="[RUN]")
@options.results
@options.output_or_markdown
def command(run_id: str | None, results: Path, output: options.Output) -> None:
    """Show what can be said of RUN (the latest finished) without gold.

    For each row how much it returned, how far others agree, what it invented, repeated, kept or lost
    alone, and what it cost; then the pages on which extractors disagree most, near duplicates, and
    pages that look as if they had no content.
    """
    from bench import api
    from bench.report import survey

    run = api.open_run(run_id, results=results, progress=progress.bar())
    output.show(run.surveyed, survey.document)
