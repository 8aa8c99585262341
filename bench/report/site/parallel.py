"""Page views by several processes: they are most of a site, and independent of each other."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager

from bench.report.site.view import Job
from bench.scoring.agreement import Gathered

_FEW = 64
"""With fewer pages, starting a process takes longer than it saves."""
_AT_ONCE = 32
_MOST = 8

Told = Callable[[int], None]
Part = tuple[int, int]

_job: list[Job] = []


Finish = Callable[[Told], Gathered]
"""Waits for the page views; hears how many are done."""


@contextmanager
def begun(job: Job) -> Iterator[Finish]:
    """Begin to write all page views of a run; what is yielded waits for them.

    Other work can be done meanwhile, on cores that are free.
    """
    pages = len(job.pages.ids)
    parts = [(start, min(start + _AT_ONCE, pages)) for start in range(0, pages, _AT_ONCE)]
    workers = min(_MOST, os.cpu_count() or 1)
    if pages < _FEW or workers < 2:
        yield lambda told: _in_turn(job, parts, told)
        return
    # Spawned, not forked: the parent has threads (Arrow's, the progress bar's).
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, _begin, (job,)) as pool:
        try:
            futures = {pool.submit(_write, *part): part for part in parts}
            yield lambda told: _gathered(job, futures, told)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _in_turn(job: Job, parts: Sequence[Part], told: Told) -> Gathered:
    gathered = _nothing(job)
    for start, end in parts:
        gathered.join(job.write(start, end))
        told(end)
    return gathered


def _gathered(job: Job, futures: Mapping[Future[Gathered], Part], told: Told) -> Gathered:
    gathered, done = _nothing(job), 0
    for future in as_completed(futures):
        gathered.join(future.result())
        start, end = futures[future]
        done += end - start
        told(done)
    return gathered


def _nothing(job: Job) -> Gathered:
    return Gathered(sum(row.competes for row in job.rows))


def _begin(job: Job) -> None:
    # A worker of the pool has one job, and gets it once.
    _job[:] = [job]


def _write(start: int, end: int) -> Gathered:
    return _job[0].write(start, end)
