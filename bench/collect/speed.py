"""How collecting gains from requests at once: the experiment of the corpus paper.

Cadavid Rengifo and Gómez Perdomo (2009) extract with 200 processes against 10 and get more than 13
times the bytes per second; a site's latency, not its bandwidth, is what one waits for.
"""

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from bench.collect import run
from bench.collect.run import Report
from bench.collect.settings import Settings
from bench.model import BenchError
from bench.util import atomic

_COLUMNS = ("t", "bytes", "in_flight", "done")


@dataclass(frozen=True)
class Measured:
    """One collection with so many requests at once."""

    jobs: int
    pages: int
    seconds: float
    """From the first request to the last answer."""
    samples: tuple[Report, ...]
    """Twice a second: ``t`` (s), ``bytes``, ``in_flight``, ``done``."""

    @property
    def bytes_per_second(self) -> float:
        """Bytes of bodies received each second."""
        return self.samples[-1]["bytes"] / self.seconds


def measure(
    settings: Settings,
    jobs: Sequence[int],
    out: Path | None,
    *,
    on_report: Callable[[Report], None],
) -> list[Measured]:
    """Collect the same pages with each number of requests at once, and keep none.

    Samples are written to ``speed.csv`` in ``out`` as they come. Raises ``BenchError`` where there
    are no pages, or the file cannot be written.
    """
    path = Path(os.devnull) if out is None else out / "speed.csv"
    with atomic.writing_to(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", buffering=1) as table:  # a line at a time
            table.write(",".join(("jobs", *_COLUMNS)) + "\n")
            return [_measured(replace(settings, jobs=number), table, on_report) for number in jobs]


def _measured(settings: Settings, table: TextIO, on_report: Callable[[Report], None]) -> Measured:
    samples: list[Report] = []

    def sample(report: Report) -> None:
        samples.append(report)
        values = (settings.jobs, *(report[name] for name in _COLUMNS))
        table.write(",".join(map(str, values)) + "\n")
        on_report(report)

    with tempfile.TemporaryDirectory(prefix="bench-collect-") as out:
        run.collect(Path(out), settings, settings.roots, on_report=sample)
    last = samples[-1]
    if not last["done"]:
        raise BenchError(
            f"{settings.roots[0]} has no pages; see what becomes of them: bench collect"
        )
    return Measured(settings.jobs, int(last["done"]), last["t"], tuple(samples))
