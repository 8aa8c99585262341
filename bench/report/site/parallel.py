"""Page views by several processes: they are most of a site, and independent of each other."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed

from bench.report.site.view import Job
from bench.scoring.agreement import Gathered

_FEW = 64
"""With fewer pages, starting a process takes longer than it saves."""
_AT_ONCE = 32
_MOST = 8

_job: list[Job] = []


def write(job: Job, told: Callable[[int], None]) -> Gathered:
    """Write all page views of a run; ``told`` hears how many are done."""
    pages = len(job.pages.ids)
    gathered = Gathered(sum(row.competes for row in job.rows))
    parts = [(start, min(start + _AT_ONCE, pages)) for start in range(0, pages, _AT_ONCE)]
    workers = min(_MOST, os.cpu_count() or 1)
    done = 0
    if pages < _FEW or workers < 2:
        for start, end in parts:
            gathered.join(job.write(start, end))
            told(end)
        return gathered
    # Spawned, not forked: the parent has threads (Arrow's, the progress bar's).
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, _begin, (job,)) as pool:
        try:
            futures = {pool.submit(_write, *part): part for part in parts}
            for future in as_completed(futures):
                gathered.join(future.result())
                start, end = futures[future]
                done += end - start
                told(done)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return gathered


def _begin(job: Job) -> None:
    # A worker of the pool has one job, and gets it once.
    _job[:] = [job]


def _write(start: int, end: int) -> Gathered:
    return _job[0].write(start, end)
