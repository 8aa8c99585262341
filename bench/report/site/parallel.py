"""Page views by several processes: they are most of a site, and independent of each other."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager

from bench.report.site.view import Job
from bench.scoring.agreement import Gathered
from bench.util.progress import Progress

_FEW = 64
"""With fewer pages, starting a process takes longer than it saves."""
_AT_ONCE = 32
_MOST = 8

Part = tuple[int, int]

_job: list[Job] = []


Finish = Callable[[Progress], Gathered]
"""Waits for the page views."""


@contextmanager
def begun(job: Job) -> Iterator[Finish]:
    """Begin to write all page views of a run; what is yielded waits for them.

    Other work can be done meanwhile, on cores that are free.
    """
    pages = len(job.pages.ids)
    parts = [(start, min(start + _AT_ONCE, pages)) for start in range(0, pages, _AT_ONCE)]
    workers = min(_MOST, os.cpu_count() or 1)
    if pages < _FEW or workers < 2:
        yield lambda progress: _in_turn(job, parts, progress)
        return
    # Spawned, not forked: the parent has threads (Arrow's, the progress bar's).
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, _begin, (job,)) as pool:
        try:
            futures = {pool.submit(_write, *part): part for part in parts}
            yield lambda progress: _gathered(job, futures, progress)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _in_turn(job: Job, parts: Sequence[Part], progress: Progress) -> Gathered:
    gathered = _nothing(job)
    for start, end in parts:
        gathered.join(job.write(start, end))
        progress.advance(end - start)
    return gathered


def _gathered(job: Job, futures: Mapping[Future[Gathered], Part], progress: Progress) -> Gathered:
    gathered = _nothing(job)
    for future in as_completed(futures):
        gathered.join(future.result())
        start, end = futures[future]
        progress.advance(end - start)
    return gathered


def _nothing(job: Job) -> Gathered:
    return Gathered(sum(row.competes for row in job.rows))


def _begin(job: Job) -> None:
    # A worker of the pool has one job, and gets it once.
    _job[:] = [job]


def _write(start: int, end: int) -> Gathered:
    return _job[0].write(start, end)
