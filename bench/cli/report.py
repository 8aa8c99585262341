"""``bench report``: stored runs as a site for reading, or as files for papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from bench.cli import options, printing, progress
from bench.model import UsageError
from bench.report import forms
from bench.util import paths

if TYPE_CHECKING:
    from bench.api import Run


@dataclass(frozen=True)
class Instead:
    """What is written in place of the site; nothing, unless it is asked for."""

    words: tuple[str, ...]
    style: str
    printed: Path | None

    def __post_init__(self) -> None:
        if unknown := [name for name in self.forms if name not in forms.FORMS]:
            known = ", ".join(forms.FORMS)
            raise UsageError(f"--export {unknown[0]}: no such form; there are {known}")
        if self.forms and self.thesis:
            raise UsageError("--export and --style thesis are two reports; ask for one at a time")
        if self.printed is not None and not self.thesis:
            raise UsageError("--printed belongs to --style thesis")

    @property
    def forms(self) -> list[str]:
        """The forms of files, each once."""
        names = [name.strip().lower() for word in self.words for name in word.split(",")]
        return list(dict.fromkeys(filter(None, names)))

    @property
    def thesis(self) -> bool:
        """Whether the chapter in the form of Márquez Mínguez (2022) is wanted."""
        return self.style == "thesis"

    def write(self, run: Run, folder: Path) -> list[Path]:
        """Write it and return the files."""
        if self.thesis:
            # Imported here, because drawing takes a second to import.
            from bench.report.thesis import write as chapter

            return chapter.write(run.board, folder, self.printed)
        from bench.report import export

        citation = run.data_set.card.citation
        return export.write(
            self.forms, run.folder, run.board, run.keys, run.scored, citation, folder
        )


_instead = options.family(
    "instead",
    Instead,
    click.option(
        "--export",
        "words",
        multiple=True,
        metavar="FORM[,FORM]",
        help=f"Files in place of the site: {', '.join(forms.TABLES)} for tables, "
        f"{', '.join(forms.FIGURES)} for charts.",
    ),
    click.option(
        "--style",
        type=click.Choice(("site", "thesis")),
        default="site",
        show_default=True,
        help="thesis: tables and charts package by package and question by question, as Markdown "
        "and LaTeX.",
    ),
    click.option(
        "--printed",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="FILE",
        help="With --style thesis: printed figures (CSV) to stand beside ours.",
    ),
)


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
@options.weighing
@options.price
@options.deadline
@click.option(
    "--without-texts",
    is_flag=True,
    help="Leave out the views of pages, with their texts: for a site to be published.",
)
@click.option("--serve", is_flag=True, help="Then serve it on this machine alone, until Ctrl-C.")
@_instead
@click.pass_context
def command(
    context: click.Context,
    run_ids: tuple[str, ...],
    output: Path,
    results: Path,
    scoring: options.ScoreOptions,
    price: float,
    deadline: float,
    without_texts: bool,
    serve: bool,
    instead: Instead,
) -> None:
    """Write a site about each RUN (the latest finished), by its id, the beginning of it, or a tag.

    Leaderboard, quality against cost, slices, agreement, a page for every extractor, and for every
    page of the data set its gold beside what each extractor made of it. The site is plain files: it
    opens from disk and from any web server, and asks nobody for anything. Every metric is shown
    whose scores are kept with the run, or that --metric asks for; the first ranks. No extractor
    runs. --export and --style thesis write other forms in place of the site.
    """
    runs: list[Run] = []
    for run_id in run_ids or (None,):
        run = scoring.run(run_id, results)
        if any(run.id == other.id for other in runs):
            raise UsageError(f"run {run.id} is given twice")
        runs.append(run.with_kept_metrics())
    if not instead.forms and not instead.thesis:
        start = _write_site(runs, output, price, deadline, with_texts=not without_texts)
        click.echo(f"{printing.short(start)}: {', '.join(run.id for run in runs)}")
        if serve:
            _serve(start)
        return
    if serve:
        raise UsageError("--serve is for the site; leave --export and --style away")
    if context.get_parameter_source("output") is ParameterSource.DEFAULT:
        output = output / ("thesis" if instead.thesis else "export")
    for run in runs:
        for path in instead.write(run, output if len(runs) == 1 else output / run.id):
            click.echo(printing.short(path))


def _serve(start: Path) -> None:
    """Serve a site until the user stops it."""
    import contextlib

    from bench.cli.serve import server

    with server(start.parent) as serving, contextlib.suppress(KeyboardInterrupt):
        click.echo(f"http://127.0.0.1:{serving.server_port}/ (Ctrl-C ends it)")
        serving.serve_forever()


def _write_site(
    runs: Sequence[Run], output: Path, price: float, deadline: float, *, with_texts: bool
) -> Path:
    """Write the site and return its start page."""
    from bench.report.site import write
    from bench.report.site.evidence import Evidence
    from bench.runs.store import tables
    from bench.scoring import page_slices
    from bench.scoring.stored_run import Pages

    evidence = []
    for run in runs:
        page_slices.Dimensions(run.data_set, progress.bar()).languages  # noqa: B018 (remembered)
        if with_texts and not run.folder.has_texts:
            printing.tell(tables.no_texts(run.id))
        pages = Pages(run.folder, run.data_set, [run.keys[line.label] for line in run.board.lines])
        evidence.append(
            Evidence(
                run.folder,
                run.scored,
                run.board,
                run.keys,
                pages,
                run.at_scale(deadline, price),
                with_texts and run.folder.has_texts,
            )
        )
    return write.write(evidence, output, price, progress.bar())
