"""``bench speed``: cold, warm and parallel speed of extractors."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from bench.cli import options, printing, progress
from bench.model import BenchError
from bench.report.document import EVERYWHERE, Column, Table, table
from bench.util.numbers import duration, number

if TYPE_CHECKING:
    from bench.runs.speed import Speed

_WIDEST_NAME = 24


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
@click.option(
    "--leak",
    "repeated",
    type=click.IntRange(1000, 1_000_000),
    metavar="N",
    help="Repeat pages up to N times in one worker, to see whether it grows (1,000 or more).",
)
@options.output
@click.pass_context
def command(
    context: click.Context,
    names: tuple[str, ...],
    gold_name: str,
    workers: int,
    pages: int | None,
    repeated: int | None,
    output: options.Output,
) -> None:
    """Measure extractors cold, warm and in parallel.

    Cold is process start to first text; warm the median page of one worker; parallel the pages a
    second that N workers of one extractor get through. Nothing is scored and nothing is kept.
    """
    from bench.adapters import registry
    from bench.datasets import catalogue
    from bench.runs import speed

    data_set = catalogue.open_gold(gold_name)
    speeds, failures = [], []
    for row in registry.rows(names):
        try:
            with progress.Bar() as bar:
                speeds.append(
                    speed.measure(
                        row,
                        data_set,
                        workers=workers,
                        pages=pages,
                        repeated=repeated or 0,
                        progress=bar,
                    )
                )
        except BenchError as error:
            failures.append(f"{row.label}: {error}")
    if not speeds:
        raise BenchError("; ".join(failures) or "nothing to measure")
    facts = list(map(_facts, speeds))
    output.show(
        speeds, _document, {"gold": data_set.name, "speeds": facts, "unavailable": failures}
    )
    for line in failures:
        printing.tell(line)
    context.exit(1 if failures else 0)


def _facts(speed: Speed) -> dict[str, Any]:
    facts = {**asdict(speed), "scaling": speed.scaling, "leak": _leak(speed)}
    del facts["idle_bytes"]
    return facts


def _leak(speed: Speed) -> dict[str, float] | None:
    from bench.scoring import cost

    growth = cost.leak(speed.idle_bytes)
    return asdict(growth) if growth else None


def _grown(speed: Speed) -> str:
    growth = _leak(speed)
    return f"{growth['slope']:.1f} ({growth['lo']:.1f} to {growth['hi']:.1f})" if growth else ""


def _document(speeds: Sequence[Speed]) -> Iterator[Table]:
    """Yield a table of speeds, the quickest first."""
    parallel = f"{speeds[0].workers} workers\npages/s"
    yield table(
        [
            (Column("extractor", "left", fold=_WIDEST_NAME), lambda speed: speed.label),
            (Column("cold\nms"), lambda speed: duration(speed.cold_s * 1000)),
            (Column("warm\nms"), lambda speed: duration(speed.warm_ms)),
            (Column("p95"), lambda speed: duration(speed.warm_ms_p95)),
            (Column("1 worker\npages/s"), lambda speed: number(speed.one_worker_pages_per_s)),
            (Column(parallel), lambda speed: number(speed.pages_per_s)),
            (Column("× faster"), lambda speed: number(speed.scaling, 2)),
            (Column("pages/s\nper core"), lambda speed: number(speed.pages_per_s_per_core)),
            (Column("leak\nMiB/1,000", optional=EVERYWHERE), _grown),
            (Column("failed"), lambda speed: str(speed.failed or "")),
        ],
        sorted(speeds, key=lambda speed: speed.warm_ms),
        space=(0, 0),
    )
