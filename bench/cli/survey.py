"""``bench survey``: a stored run without gold: consensus, invented text, boilerplate, cost."""

from pathlib import Path

import click

from bench.cli import options, progress
from bench.model import UsageError


@click.command(
    epilog="Examples: bench survey · bench survey 2026 --json · bench survey --validate aeb wcxb"
)
@click.argument("words", nargs=-1, metavar="[RUN]")
@click.option(
    "--validate",
    is_flag=True,
    help="Name data sets with gold in place of a run: how each figure agrees with F1 on them.",
)
@options.results
@options.output_or_markdown
def command(words: tuple[str, ...], validate: bool, results: Path, output: options.Output) -> None:
    """Show what can be said of RUN (the latest finished) without gold.

    For each row how much it returned, how far others agree, what it invented, repeated, kept or lost
    alone, and what it cost; then the pages on which extractors disagree most, near duplicates, and
    pages that look as if they had no content.
    """
    from bench import api
    from bench.report import survey
    from bench.scoring.validity import Validated

    if validate:
        if not words:
            raise UsageError("--validate takes data sets with gold: bench survey --validate aeb")
        bar = progress.bar()
        runs = [api.open_run(gold=name, results=results, progress=bar) for name in words]
        output.show(Validated([line for run in runs for line in run.validity]), survey.validity)
        return
    if len(words) > 1:
        raise UsageError("give one run; --validate takes several data sets")
    run = api.open_run(*words, results=results, progress=progress.bar())
    output.show(run.surveyed, survey.document)
