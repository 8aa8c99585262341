"""``bench report``: stored runs as a site for reading."""

from __future__ import annotations

from pathlib import Path

import click

from bench.api import Run
from bench.cli import options, progress, report_forms
from bench.model import UsageError
from bench.scoring import page_slices
from bench.scoring.stored_run import Pages
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
    found: list[Run] = []
    for run_id in run_ids or (None,):
        run = scoring.run(run_id, results)
        if any(run.id == other.id for other in found):
            raise UsageError(f"run {run.id} is given twice")
        found.append(run.with_kept_metrics())
    if asked.write(found, output):
        return
    # Imported here, because the templates' library takes a moment and other verbs need it not.
    from bench.report.site import write
    from bench.report.site.evidence import Evidence

    evidence = []
    for run in found:
        page_slices.dimensions(run.data_set, progress.bar()).languages  # noqa: B018 (remembered)
        pages = Pages(run.folder, run.data_set, [run.keys[line.label] for line in run.board.lines])
        evidence.append(Evidence(run.folder, run.scored, run.board, run.keys, pages))
    start = write.write(evidence, output, progress.bar())
    click.echo(f"{options.short(start)}: {', '.join(run.id for run in found)}")
