"""``bench speed``: cold, warm and parallel speed of extractors."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from bench.cli import options, progress
from bench.model import BenchError
from bench.util.display import plain
from bench.util.numbers import duration, number

if TYPE_CHECKING:
    from bench.runs.speed import Speed


@click.command(
    epilog="Examples: bench speed trafilatura readability --gold aeb · "
    "bench speed 'boilerpy3:*' --workers 8 --json"
)
@click.argument("names", nargs=-1, required=True, metavar="NAME[:VARIANT]...")
@options.adapter
@options.gold
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=lambda: os.cpu_count() or 1,
    show_default="one per CPU",
    metavar="N",
    help="Workers of one extractor at once, for the parallel figure.",
)
@click.option(
    "--pages", type=click.IntRange(1), metavar="N", help="The first N pages only; all by default."
)
@options.as_json
@click.pass_context
def command(
    context: click.Context,
    names: tuple[str, ...],
    gold_name: str,
    workers: int,
    pages: int | None,
    as_json: bool,
) -> None:
    """Measure extractors cold, warm and in parallel.

    Cold is process start to first text; warm the median page of one worker; parallel the pages a
    second that N workers of one extractor get through. Nothing is scored and nothing is kept.
    """
    from bench.adapters import registry
    from bench.datasets import catalogue
    from bench.runs import speed

    data_set = catalogue.open_gold(gold_name)
    found, failures = [], []
    for row in registry.rows(names):
        try:
            with progress.Bar() as bar:
                found.append(
                    speed.measure(
                        row,
                        data_set,
                        workers=workers,
                        pages=pages,
                        progress=bar,
                    )
                )
        except BenchError as error:
            failures.append(f"{row.label}: {error}")
    if not found:
        raise BenchError("; ".join(failures) or "nothing to measure")
    if as_json:
        facts = [{**asdict(each), "scaling": each.scaling} for each in found]
        options.print_json({"gold": data_set.name, "speeds": facts, "unavailable": failures})
    else:
        options.console().print(_table(found))
    for line in failures:
        options.tell(line)
    context.exit(1 if failures else 0)


def _table(found: list[Speed]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    parallel = f"{found[0].workers} workers\npages/s"
    titles = ("\nextractor", "cold\nms", "warm\nms", "\np95", "1 worker\npages/s", parallel)
    for title in (*titles, "\n× faster", "pages/s\nper core", "\nfailed"):
        table.add_column(title, justify="left" if title == "\nextractor" else "right")
    for each in sorted(found, key=lambda each: each.warm_ms):
        cells = (
            plain(each.label),
            duration(each.cold_s * 1000),
            duration(each.warm_ms),
            duration(each.warm_ms_p95),
            number(each.one_worker_pages_per_s),
            number(each.pages_per_s),
            number(each.scaling, 2),
            number(each.pages_per_s_per_core),
            str(each.failed or ""),
        )
        table.add_row(*map(Text, cells))
    return table
