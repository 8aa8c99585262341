"""Watches the workers from outside: size and CPU time of each process tree, on deadlines.

The series shows what happened within a cell; the figures of a cell come from the kernel. Where
the kernel keeps no high-water mark, and for the children of a worker, the sampler's peak is the
best there is. It also enforces the memory cap, together with the kernel where that can, and
reports how late it ran.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

from bench.model import BenchError
from bench.runs.cgroup import Cgroup
from bench.runs.store.journal import Sample
from bench.runs.store.manifest import Lateness
from bench.worker import kernel

INTERVAL_S = 0.05
_ROUNDS_IDLE = 20
"""Once in so many rounds chores are done, and a worker that waits for its next page is looked at."""


class Taken(NamedTuple):
    """What a process tree took for a while."""

    peak_bytes: int | None
    """Its largest size, None if unknown: by the kernel's own marks, whose sum is an upper bound, or
    as the samples saw it."""
    rss_bytes: int | None
    """Its size at the end."""
    cpu_s: float


class Watch:
    """What is measured of one worker's process tree, from outside it."""

    def __init__(
        self, row: str, pid: int, cgroup: Cgroup, cap_bytes: int, over_cap: Callable[[], None]
    ) -> None:
        self.row = row
        self.pid = pid
        self._cgroup = cgroup
        self._cap_bytes = cap_bytes
        self._over_cap = over_cap
        # A look that began in one cell must not end in the next, which would have its size.
        self._looking = threading.Lock()
        self._sampled_peak_bytes = 0
        self.has_peak_mark = False
        """Whether the kernel keeps the peak; samples do where it does not."""
        self._cpu_at_last_s = self._cpu_s = 0.0
        self.at_work = True
        """Whether the worker has something to do; one that has not is looked at seldom."""

    @property
    def cpu_s(self) -> float:
        """CPU time of the tree so far, by the kernel's account; the last known once it is gone."""
        self._cpu_s = max(self._cpu_s, _usage(self.pid).cpu_s)
        return self._cpu_s

    def taken(self) -> Taken:
        """Return what the tree took since this was last asked for, or since it started."""
        with self._looking:
            usage = _usage(self.pid)
            peaks = [kernel.peak_bytes(pid) or 0 for pid in usage.pids if self.has_peak_mark]
            marks = [kernel.reset_peak(pid) for pid in usage.pids]
            self.has_peak_mark = any(marks)  # not all: a child may be gone by now
            peak_bytes, self._sampled_peak_bytes = max(sum(peaks), self._sampled_peak_bytes), 0
            before_s, self._cpu_at_last_s = self._cpu_at_last_s, max(self._cpu_s, usage.cpu_s)
            self._cpu_s = self._cpu_at_last_s
            return Taken(peak_bytes or None, usage.rss_bytes or None, self._cpu_s - before_s)

    def look(self, at_s: float, late_s: float) -> Sample | None:
        """Take a sample, None when the worker is gone; end the worker if it is over its cap."""
        with self._looking:
            usage = _usage(self.pid)
            if not usage.rss_bytes:
                return None
            size_bytes = max(usage.rss_bytes, self._cgroup.memory_bytes)
            self._sampled_peak_bytes = max(self._sampled_peak_bytes, size_bytes)
            if size_bytes > self._cap_bytes or self._cgroup.has_killed:
                self._over_cap()
            self._cpu_s = max(self._cpu_s, usage.cpu_s)
        return {
            "at_s": at_s,
            "row": self.row,
            "rss_bytes": size_bytes,
            "cpu_s": self._cpu_s,
            "processes": len(usage.pids),
            "late_s": late_s,
        }


class Sampler:
    """A thread that looks at every watched worker once per interval.

    ``sink`` is handed each sample; ``on_tick`` is called about once a second, for chores.
    """

    def __init__(
        self,
        sink: Callable[[Sample], object] = lambda _: None,
        *,
        on_tick: Callable[[], None] = lambda: None,
        interval_s: float = INTERVAL_S,
    ) -> None:
        self._sink = sink
        self._on_tick = on_tick
        self._interval_s = interval_s
        self._watches: dict[int, Watch] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self._rounds = 0
        self._late_s = self._latest_s = 0.0
        self.failure: Exception | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def watch(self, watch: Watch) -> None:
        """Begin to look at a worker."""
        self._watches[watch.pid] = watch

    def forget(self, watch: Watch) -> None:
        """Stop looking at a worker."""
        self._watches.pop(watch.pid, None)

    @property
    def lateness(self) -> Lateness:
        """How late the rounds were."""
        mean_s = self._late_s / max(1, self._rounds)
        return Lateness(self._interval_s, self._rounds, mean_s, self._latest_s)

    def _run(self) -> None:
        start = time.monotonic()
        due_s = 0.0
        while not self._stop.wait(max(0.0, start + due_s - time.monotonic())):
            at_s = time.monotonic() - start
            late_s = max(0.0, at_s - due_s)
            self._rounds += 1
            self._late_s += late_s
            self._latest_s = max(self._latest_s, late_s)
            try:
                for watch in list(self._watches.values()):
                    if not watch.at_work and self._rounds % _ROUNDS_IDLE:
                        continue
                    sample = watch.look(at_s, late_s)
                    if sample is not None:
                        self._sink(sample)
                if not self._rounds % _ROUNDS_IDLE:
                    self._on_tick()
            except (OSError, BenchError) as error:  # a full disk: the runner stops at its next cell
                self.failure = error
                return
            # Rounds that were missed are skipped.
            missed = (time.monotonic() - start - due_s) // self._interval_s
            due_s += max(1.0, missed) * self._interval_s


class _Usage(NamedTuple):
    """What a process tree takes: nothing, where it is gone."""

    pids: Sequence[int]
    rss_bytes: int
    cpu_s: float


def _usage(pid: int) -> _Usage:
    if kernel.LINUX:
        pids = [pid, *kernel.descendants(pid)]
        sizes = [kernel.rss_bytes(pid) or 0 for pid in pids]
        return _Usage(pids, sum(sizes), sum(map(kernel.cpu_s, pids)))
    import psutil

    try:
        processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
        times = [process.cpu_times() for process in processes]
        size = sum(process.memory_info().rss for process in processes)
    except psutil.Error:
        return _Usage((), 0, 0.0)
    pids = [process.pid for process in processes]
    return _Usage(pids, size, sum(used.user + used.system for used in times))
