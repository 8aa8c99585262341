"""``bench report``: stored runs as a site for reading."""

from __future__ import annotations

from pathlib import Path

import click

from bench.cli import options, progress, report_forms
from bench.cli.scored import Scored, stored
from bench.model import UsageError
from bench.scoring import slicing
from bench.scoring.pages import Pages
from bench.util import paths


@click.command(
    epilog="Examples: bench report · bench report 20260131T09 --output public · "
    "bench report RUN1 RUN2 --metric ngram,bow · bench report --export latex,pdf --output paper · "
    "bench report --style thesis"
)
@click.argument("run_ids", nargs=-1, metavar="[RUN]…")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=lambda: paths.working("reports"),
    show_default="reports/",
    help="Where the site is written; its start page is index.html.",
)
@options.results
@options.scoring
@report_forms.asked
def command(
    run_ids: tuple[str, ...],
    output: Path,
    results: Path,
    scoring: options.ScoreOptions,
    asked: report_forms.Asked,
) -> None:
    """Write a site about each RUN (the latest finished), or the beginning of its id.

    Leaderboard, quality against cost, slices, agreement, a page for every extractor, and for every
    page of the data set its gold beside what each extractor made of it. The site is plain files: it
    opens from disk and from any web server, and asks nobody for anything. Every metric is shown
    whose scores are kept with the run, or that --metric asks for; the first ranks. No extractor
    runs. --export and --style thesis write other forms in place of the site.
    """
    found: list[Scored] = []
    for run_id in run_ids or (None,):
        one = stored(results, run_id, scoring, kept_too=True)
        if any(one.run.id == other.run.id for other in found):
            raise UsageError(f"run {one.run.id} is given twice")
        found.append(one)
    if asked.write(found, output, scoring.bootstrap):
        return
    # Imported here, because the templates' library takes a moment and other verbs need it not.
    from bench.report.site import write
    from bench.report.site.evidence import Evidence

    evidence = []
    for each in found:
        slicing.dimensions(each.data_set, progress.bar()).languages  # noqa: B018 (remembered)
        board = each.board(scoring.bootstrap)
        keys = [each.keys[line.label] for line in board.lines]
        pages = Pages(each.run, each.data_set, keys)
        evidence.append(Evidence(each.run, each.scores, board, each.keys, pages))
    start = write.write(evidence, output, progress.bar())
    click.echo(f"{options.short(start)}: {', '.join(each.run.id for each in found)}")
