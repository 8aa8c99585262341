"""Cold, warm and parallel: three answers to "how fast", because the order of extractors changes.

Cold is what a page costs in a process that has done nothing yet; warm is the steady state of one
worker; parallel is how many pages N workers of one extractor get through.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count

from bench.adapters.adapter import Row
from bench.datasets.catalogue import DataSet
from bench.model import BenchError, GoldPage
from bench.runs import surroundings as environment
from bench.runs.sampler import Sampler
from bench.runs.supervise import Limits, LoadFailed, Worker
from bench.util.progress import SILENT, Progress

_COLD_STARTS = 3
"""New processes for the cold figure."""


@dataclass(frozen=True)
class Speed:
    """How fast one row is; seconds and rates of wall time unless said otherwise."""

    label: str
    pages: int
    cold_s: float
    """Process start to first text, no warm-up: median over the cold starts."""
    warm_ms: float
    """Median page of one warm worker, ``extract`` alone."""
    warm_ms_p95: float
    one_worker_pages_per_s: float
    """Pages over the time that one warm worker took for them, hand-over included."""
    workers: int
    pages_per_s: float
    """The same for ``workers`` at once."""
    pages_per_s_per_core: float
    """The same over the cores that they kept busy: pages over CPU time."""
    failed: int
    """Pages without an answer in the single worker's pass."""

    @property
    def scaling(self) -> float:
        """How many times faster N workers are than one."""
        return self.pages_per_s / self.one_worker_pages_per_s if self.pages_per_s else 0.0


def measure(
    row: Row,
    data_set: DataSet,
    *,
    workers: int,
    pages: int | None = None,
    limits: Limits | None = None,
    progress: Progress = SILENT,
) -> Speed:
    """Measure one row on the first pages of a data set (all for None).

    Raises ``BenchError`` when the extractor cannot be run or loaded, answers no page, or is an
    ensemble. Failed pages count in the rates, not in the times of a page.
    """
    if not row.adapter.available:
        raise BenchError(f"{row.adapter.problem}; {row.adapter.remedy}")
    if row.members:
        raise BenchError("it is made of other extractors' texts; `bench run` says what these cost")
    items = [data_set.read(page_id) for page_id in data_set.ids[:pages]]
    token = f"bench-speed-{row.key[:8]}-{time.time_ns()}"
    numbers = count()
    try:
        with Sampler(lambda _: None) as sampler:
            hiding = (limits or Limits()).hiding(data_set.reader.root)

            def new() -> Worker:
                return Worker(row, hiding, sampler, token=f"{token}-{next(numbers)}")

            progress.start(f"{row.label}: cold")
            starts = [_cold(new(), row, item) for item in _spread_out(items, _COLD_STARTS)]
            cold = [took_s for took_s in starts if took_s is not None]
            progress.start(f"{row.label}: warm")
            alone_s, _, walls, failed = _pass([new()], row, items)
            if not cold or not walls:
                raise BenchError(f"{row.label} answered no page; there is no speed to measure")
            progress.start(f"{row.label}: {workers} workers")
            together_s, cpu_s, _, _ = _pass([new() for _ in range(workers)], row, items)
    except LoadFailed as error:
        raise BenchError(str(error)) from error
    finally:
        environment.sweep(token)
    return Speed(
        label=row.label,
        pages=len(items),
        cold_s=statistics.median(cold),
        warm_ms=statistics.median(walls) * 1000,
        warm_ms_p95=_p95(walls) * 1000,
        one_worker_pages_per_s=len(items) / alone_s,
        workers=workers,
        pages_per_s=len(items) / together_s,
        pages_per_s_per_core=len(items) / cpu_s if cpu_s else 0.0,
        failed=failed,
    )


def _cold(worker: Worker, row: Row, item: GoldPage) -> float | None:
    """Return the seconds from nothing to the first text, None where none came."""
    began = time.perf_counter()
    try:
        worker.start(warm_up=False)
        result = worker.extract(row.handed(item), item.page.url, item.page.encoding)
        return None if result.outcome.failed else time.perf_counter() - began
    finally:
        worker.stop()


def _pass(
    workers: Sequence[Worker], row: Row, items: Sequence[GoldPage]
) -> tuple[float, float, list[float], int]:
    """Have warm workers share the pages; return wall and CPU seconds, each page's wall, failures."""
    waiting = iter(items)
    walls: list[float] = []
    cpus: list[float] = []
    failed: list[GoldPage] = []

    def work(worker: Worker) -> None:
        # next() on a shared list iterator is one atomic step.
        for item in waiting:
            result = worker.extract(row.handed(item), item.page.url, item.page.encoding)
            cpus.append(result.usage.cpu_s)
            if result.outcome.failed:
                failed.append(item)
            else:
                walls.append(result.usage.wall_s)

    try:
        with ThreadPoolExecutor(len(workers)) as pool:
            list(pool.map(lambda worker: worker.start(), workers))
            began = time.perf_counter()
            list(pool.map(work, workers))
            took_s = time.perf_counter() - began
    finally:
        for worker in workers:
            worker.stop()
    return took_s, sum(cpus), walls, len(failed)


def _spread_out(items: Sequence[GoldPage], wanted: int) -> list[GoldPage]:
    step = max(1, len(items) // wanted)
    return list(items[::step][:wanted])


def _p95(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
