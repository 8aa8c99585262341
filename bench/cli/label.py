"""``bench label``: gold for pages of one's own, by clicking in a browser."""

from __future__ import annotations

import contextlib
import webbrowser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bench.adapters import registry
from bench.cli import options, printing, progress
from bench.model import BenchError, Gold, GoldPage, Limits, UsageError
from bench.report.document import Block, Column, Paragraph, listing
from bench.util import locks
from bench.util.numbers import number, percent

if TYPE_CHECKING:
    from bench.label.comparison import Agreement
    from bench.label.folder import LabelFolder
    from bench.label.labels import Mark
    from bench.label.server import Draw


@click.command(
    epilog="Examples: bench label my-pages · bench label my-pages --as anna · "
    "bench label my-pages --agreement · bench label my-pages --adopt anna"
)
@click.argument(
    "folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--as", "annotator", metavar="NAME", help="Keep these labels apart as NAME's.")
@click.option(
    "--prefill",
    metavar="EXTRACTOR",
    help="Begin each page with what this extractor returns; kept with the label, since it biases.",
)
@click.option("--seed", default=0, show_default=True, help="Of the order in which pages come.")
@click.option(
    "--disputed",
    is_flag=True,
    help="First the pages on which extractors of the latest run differ most; their labels say so, "
    "and rankings leave them out.",
)
@click.option("--agreement", is_flag=True, help="How far annotators agree; no server.")
@click.option("--adopt", metavar="NAME", help="Make NAME's labels the gold; no server.")
@click.option("--port", default=0, help="Port on loopback.  [default: any that is free]")
@click.option("--no-open", is_flag=True, help="Only print the address; open no browser.")
@options.results
@options.output
def command(
    folder: Path,
    annotator: str | None,
    prefill: str | None,
    seed: int,
    disputed: bool,
    agreement: bool,
    adopt: str | None,
    port: int,
    no_open: bool,
    results: Path,
    output: options.Output,
) -> None:
    """Mark the main text of the pages in DIR in a browser, which becomes their gold.

    Serves on loopback until Ctrl-C; the address is the first line printed. A label goes to
    ID.labels.json beside the page, the text that follows from it to ID.txt, where `bench run --gold
    folder:DIR` finds it; the page is never changed. Pages come in random order, so that whatever is
    labelled so far is a fair sample.
    """
    try:
        from bench.label import comparison
        from bench.label.folder import LabelFolder
    except ImportError as error:
        raise BenchError(
            f"{error.name} is not installed; fix: pip install 'extractor-bench[label]'"
        ) from error
    pages = LabelFolder(folder, annotator, seed)
    if adopt is not None:
        click.echo(f"{len(pages.adopt(adopt))} pages have the labels of {adopt} as gold")
    elif agreement:
        output.show(comparison.agreement(pages), _agreement)
    elif output.as_json:
        raise UsageError("--json belongs to --agreement")
    else:
        _serve(pages, results, prefill, port, disputed=disputed, opens=not no_open)


def _agreement(pairs: Sequence[Agreement]) -> Iterator[Block]:
    for pair in pairs:
        yield Paragraph(
            f"{' and '.join(pair.annotators)}, {len(pair.pages)} pages: F1 {percent(pair.f1)}, "
            f"{percent(pair.same)} % of elements judged the same (Cohen's kappa "
            f"{number(pair.kappa, 2)})"
        )
        yield listing(
            [
                (Column("page", "left", fold=1), lambda page: page.page),
                (Column("F1", fold=1), lambda page: percent(page.f1)),
                (
                    Column("elements the same", fold=1),
                    lambda page: f"{page.same} of {page.elements}",
                ),
            ],
            sorted(pair.pages, key=lambda page: page.f1),
        )


def _serve(
    pages: LabelFolder,
    results: Path,
    prefill: str | None,
    port: int,
    *,
    disputed: bool,
    opens: bool,
) -> None:
    """Serve a folder until the user stops it."""
    from bench.label import comparison, server

    stored = comparison.StoredTexts(pages.root, results)
    if disputed:
        pages.order = stored.disputed()

    def ready(address: str) -> None:
        click.echo(address)
        printing.tell("Ctrl-C ends it; every label is on disk as soon as it is saved")
        if opens:
            webbrowser.open(address)

    busy = f"{pages.root} is being labelled by another process; end that one first"
    with locks.alone(pages.root / ".labels-lock", busy), contextlib.suppress(KeyboardInterrupt):
        pages.mend()
        draw = _drawer(pages, prefill) if prefill else None
        server.serve(server.LabelServer(pages, stored, prefill, draw), port, ready)


def _drawer(pages: LabelFolder, name: str) -> Draw:
    """Return what marks a page as an extractor would. Raises ``BenchError`` where it cannot run."""
    from bench.label import prefill
    from bench.runs import one_page

    row, *others = registry.rows([name])
    if others:
        raise UsageError(f"--prefill {name} is several extractors; name one")
    if not row.adapter.available:
        raise BenchError(f"{row.label}: {row.adapter.problem}; fix: {row.adapter.remedy}")

    def draw(page_id: str) -> list[Mark]:
        item = GoldPage(pages.reader.page(page_id), Gold(None))
        result = one_page.extract(row, item, Limits(), progress.bar(quiet=True))
        if result.outcome.failed:
            raise BenchError(f"{row.label} fails on this page ({result.outcome})")
        return prefill.marks_of(pages.tree(page_id), result.text)

    return draw
