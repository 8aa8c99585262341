"""Watches the workers from outside: size and CPU time of each process tree, on deadlines.

The series shows what happened within a cell; the figures of a cell come from the kernel. Where
the kernel keeps no high-water mark, and for the children of a worker, the sampler's peak is the
best there is. It also enforces the memory cap, and reports how late it ran.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Self

import psutil

from bench.model import BenchError
from bench.runs.store.journal import Sample
from bench.runs.store.manifest import Lateness
from bench.worker import kernel

INTERVAL_S = 0.05


class Watch:
    """What the sampler keeps of one worker."""

    def __init__(self, row: str, pid: int, cap_bytes: int, over_cap: Callable[[], None]) -> None:
        self.row = row
        self.pid = pid
        self._cap_bytes = cap_bytes
        self._over_cap = over_cap
        self._peak_bytes = 0
        self._cpu_at_reset_s = self._cpu_s = 0.0

    def reset(self) -> None:
        """Forget the peak and the CPU time so far: a cell begins."""
        self._peak_bytes = 0
        self._cpu_at_reset_s = self._cpu_s

    @property
    def peak_bytes(self) -> int:
        """Largest size of the tree seen since the last reset; 0 if none was."""
        return self._peak_bytes

    @property
    def cpu_since_reset_s(self) -> float:
        """CPU time of the tree that the samples saw since the last reset."""
        return max(0.0, self._cpu_s - self._cpu_at_reset_s)

    def look(self, at_s: float, late_s: float) -> Sample | None:
        """Take a sample, None when the worker is gone; end the worker if it is over its cap."""
        try:
            pids = _tree(self.pid)
            sizes = [_rss_bytes(pid) for pid in pids]
            cpu_s = sum(_cpu_s(pid) for pid in pids)
        except psutil.Error:
            return None
        rss_bytes = sum(sizes)
        if not rss_bytes:
            return None
        self._peak_bytes = max(self._peak_bytes, rss_bytes)
        self._cpu_s = max(self._cpu_s, cpu_s)
        if rss_bytes > self._cap_bytes:
            self._over_cap()
        return Sample(
            at_s=at_s,
            row=self.row,
            rss_bytes=rss_bytes,
            cpu_s=cpu_s,
            processes=len(pids),
            late_s=late_s,
        )


class Sampler:
    """A thread that looks at every watched worker once per interval.

    ``sink`` is handed each sample; ``on_tick`` is called after each round (for chores that must
    not wait, such as flushing journals).
    """

    def __init__(
        self,
        sink: Callable[[Sample], None],
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
        self._samples = 0
        self._late_s = 0.0
        self._latest_s = 0.0
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
        mean_s = self._late_s / self._samples if self._samples else 0.0
        return Lateness(self._interval_s, self._samples, mean_s, self._latest_s)

    def _run(self) -> None:
        start = time.monotonic()
        for due_s in self._deadlines(start):
            late_s = max(0.0, time.monotonic() - start - due_s)
            self._samples += 1
            self._late_s += late_s
            self._latest_s = max(self._latest_s, late_s)
            try:
                for watch in list(self._watches.values()):
                    sample = watch.look(due_s + late_s, late_s)
                    if sample is not None:
                        self._sink(sample)
                self._on_tick()
            except (OSError, BenchError) as error:  # a full disk: the runner stops at its next cell
                self.failure = error
                return

    def _deadlines(self, start: float) -> Iterator[float]:
        """Seconds since the start at which each round is due; rounds that were missed are skipped."""
        due_s = 0.0
        while True:
            now_s = time.monotonic() - start
            if now_s > due_s + self._interval_s:
                due_s += (now_s - due_s) // self._interval_s * self._interval_s
            if self._stop.wait(max(0.0, due_s - now_s)):
                return
            yield due_s
            due_s += self._interval_s


def _tree(pid: int) -> list[int]:
    if kernel.LINUX:
        return [pid, *kernel.descendants(pid)]
    return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]


def _rss_bytes(pid: int) -> int:
    if kernel.LINUX:
        return kernel.rss_bytes(pid) or 0
    return int(psutil.Process(pid).memory_info().rss)


def _cpu_s(pid: int) -> float:
    if kernel.LINUX:
        return kernel.cpu_s(pid)
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)
