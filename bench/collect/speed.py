"""How collecting gains from requests at once: the experiment of the corpus paper.

Cadavid Rengifo and Gómez Perdomo (2009) extract with 200 processes against 10 and get more than 13
times the bytes per second; a site's latency, not its bandwidth, is what one waits for.
"""

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.collect import run
from bench.collect.run import Report
from bench.collect.settings import Settings
from bench.model import BenchError


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
    settings: Settings, jobs: Sequence[int], *, told: Callable[[Report], None]
) -> list[Measured]:
    """Collect the same pages with each number of requests at once, and keep none.

    Raises ``BenchError`` where there are no pages.
    """
    return [_measured(replace(settings, jobs=number), told) for number in jobs]


def _measured(settings: Settings, told: Callable[[Report], None]) -> Measured:
    samples: list[Report] = []

    def sample(report: Report) -> None:
        samples.append(report)
        told(report)

    out = Path(tempfile.mkdtemp(prefix="bench-collect-"))
    try:
        run.collect(out, settings, settings.roots, told=sample)
    finally:
        shutil.rmtree(out)
    last = samples[-1]
    if not last["done"]:
        raise BenchError(
            f"{settings.roots[0]} has no pages; see what becomes of them: bench collect"
        )
    return Measured(settings.jobs, int(last["done"]), last["t"], tuple(samples))
