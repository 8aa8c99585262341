"""Cold, warm and parallel: three answers to "how fast", because the order of extractors changes.

Cold is what a page costs in a process that has done nothing yet; warm is the steady state of one
worker; parallel is how many pages N workers of one extractor get through.
"""

import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, cycle, islice

from bench.adapters.adapter import Row
from bench.datasets.catalogue import DataSet
from bench.model import BenchError, GoldPage, Limits
from bench.runs.process import Result
from bench.runs.supervise import Worker, outside_a_run
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
    idle_bytes: Sequence[int] = ()
    """Resident size of one worker after each of the pages that were repeated for it."""

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
    repeated: int = 0,
    limits: Limits | None = None,
    progress: Progress = SILENT,
) -> Speed:
    """Measure one row on the first pages of a data set (all for None).

    ``repeated`` pages more, the same again and again, go to one worker whose size is taken. Raises
    ``BenchError`` when the extractor cannot be run or loaded, answers no page, or is an
    ensemble. Failed pages count in the rates, not in the times of a page.
    """
    if not row.adapter.available:
        raise BenchError(f"{row.adapter.problem}; {row.adapter.remedy}")
    if row.members:
        raise BenchError("it is made of other extractors' texts; `bench run` says what these cost")
    items = [data_set.read(page_id) for page_id in data_set.ids[:pages]]
    hiding = (limits or Limits()).hiding(data_set.reader.root)
    with outside_a_run("bench-speed", hiding) as worker_of:
        progress.start(f"{row.label}: cold")
        step = max(1, len(items) // _COLD_STARTS)
        starts = [_cold(worker_of(row), row, item) for item in items[::step][:_COLD_STARTS]]
        cold = [took_s for took_s in starts if took_s is not None]
        progress.start(f"{row.label}: warm")
        alone_s, alone = _pass([worker_of(row)], row, items)
        walls = sorted(result.usage.wall_s for result in alone if not result.outcome.failed)
        if not cold or not walls:
            raise BenchError(f"{row.label} answered no page; there is no speed to measure")
        progress.start(f"{row.label}: {workers} workers")
        together_s, together = _pass([worker_of(row) for _ in range(workers)], row, items)
        again: list[Result] = []
        if repeated:
            progress.start(f"{row.label}: {repeated} pages for its memory")
            _, again = _pass([worker_of(row)], row, list(islice(cycle(items), repeated)))
    cpu_s = sum(result.usage.cpu_s for result in together)
    return Speed(
        label=row.label,
        pages=len(items),
        cold_s=statistics.median(cold),
        warm_ms=statistics.median(walls) * 1000,
        warm_ms_p95=walls[min(len(walls) - 1, int(len(walls) * 0.95))] * 1000,
        one_worker_pages_per_s=len(items) / alone_s,
        workers=workers,
        pages_per_s=len(items) / together_s,
        pages_per_s_per_core=len(items) / cpu_s if cpu_s else 0.0,
        failed=len(items) - len(walls),
        idle_bytes=[own.usage.rss_idle_bytes for own in again if own.usage.rss_idle_bytes],
    )


def _cold(worker: Worker, row: Row, item: GoldPage) -> float | None:
    """Return the seconds from nothing to the first text, None where none came."""
    began = time.perf_counter()
    worker.start(warm_up=False)
    result = worker.extract(row.handed(item), item.page.url, item.page.encoding)
    took_s = time.perf_counter() - began
    worker.stop()
    return None if result.outcome.failed else took_s


def _pass(
    workers: Sequence[Worker], row: Row, items: Sequence[GoldPage]
) -> tuple[float, list[Result]]:
    """Have warm workers share the pages; return wall seconds and how each page ended."""
    waiting = iter(items)

    def work(worker: Worker) -> list[Result]:
        # next() on a shared list iterator is one atomic step.
        return [
            worker.extract(row.handed(item), item.page.url, item.page.encoding) for item in waiting
        ]

    with ThreadPoolExecutor(len(workers)) as pool:
        list(pool.map(Worker.start, workers))
        began = time.perf_counter()
        results = list(chain.from_iterable(pool.map(work, workers)))
        took_s = time.perf_counter() - began
    for worker in workers:
        worker.stop()
    return took_s, results
