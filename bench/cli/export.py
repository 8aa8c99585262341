"""``bench export``: a run's texts for other benchmarks' own programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from bench.cli import options, printing
from bench.model import UsageError
from bench.scoring.predictions import Form
from bench.util.display import plain

if TYPE_CHECKING:
    from bench.runs.store.runs import RunFolder


@click.command(
    epilog="Examples: bench export --form aeb --output theirs · "
    "bench export 20260101 'trafilatura:*' --form sigir --output theirs",
)
@click.argument("words", nargs=-1, metavar="[RUN] [NAME[:VARIANT]]...")
@click.option(
    "--form",
    type=click.Choice(get_args(Form)),
    required=True,
    help='aeb: {id: {"articleBody": text}}; wcxb: {id: text}; sigir: JSON lines with page_id and '
    'plaintext; thesis: {id: {"texto": text}}, as Márquez Mínguez (2022) has it.',
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="Folder for the files; made if it is not there.",
)
@click.option("--force", is_flag=True, help="Replace files that hold something else.")
@options.results
@options.as_json
def command(
    words: tuple[str, ...], form: Form, output: Path, force: bool, results: Path, as_json: bool
) -> None:
    """Write what RUN (the latest) returned as files that other benchmarks read, one per extractor.

    RUN may be the beginning of an id; names choose rows of the run, all by default. A page that
    failed is the empty text.
    """
    from bench.scoring import export

    run, names = _told(results, words)
    exported = export.write(run, export.chosen(run, names), form, output, force=force)
    if not exported:
        raise UsageError(f"run {run.id} has no texts to export")
    failed = sum(file.failed for file in exported)
    if as_json:
        printing.print_json({"run": run.id, "form": form, "files": exported})
    else:
        for file in exported:
            click.echo(
                f"{plain(printing.short(file.path))}: {file.pages} pages, {file.empty} without text"
            )
    if failed:
        printing.tell(f"{failed} failed cells became the empty text")


def _told(results: Path, words: tuple[str, ...]) -> tuple[RunFolder, tuple[str, ...]]:
    """Return the run and the names of rows: the first word may be either."""
    from bench.runs.store import runs
    from bench.scoring import stored_run

    first = words[0] if words else ""
    if first and (first == runs.LATEST or runs.named(results, first)):
        return stored_run.finished(results, first), words[1:]
    return stored_run.finished(results), words
