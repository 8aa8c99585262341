"""One worker and the guard around it: started when first needed, and again after every accident."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from bench.adapters.adapter import Row
from bench.model import Gold, GoldPage, Limits, Outcome, Page, Usage
from bench.runs import worker_home
from bench.runs.answers import Garbled
from bench.runs.process import PROTOCOL, LoadFailed, Process, Result
from bench.runs.sampler import Sampler
from bench.runs.store.manifest import Start
from bench.runs.worker_channel import Dead, Late

_CPU_LEEWAY, _CPU_LEEWAY_PER_PAGE_S = 0.1, 0.005
_TRIES = 3
"""Starts in a row that may fail before a worker is given up: each may take minutes."""

WARM_UP = (Path(__file__).parent / "warm_up.html").read_bytes()


class Worker:
    """A worker process for one row; starts on first use and again after every accident."""

    def __init__(
        self, row: Row, limits: Limits, sampler: Sampler, *, token: str, pin: int | None = None
    ) -> None:
        self._row = row
        self._limits = limits
        self._sampler = sampler
        self._token = token
        self._pin = pin
        self._process: Process | None = None
        self._newest: Process | None = None
        self._warms_up = True
        self._aborted = False
        self._failed_starts = 0
        self.starts: list[Start] = []
        """One for each time it was started."""
        self.cpu_total_s = 0.0
        """User and system time of all its processes from start to end, by the kernel's account."""
        self.network_attempts = 0
        """Attempts to reach the network over its life, compiled code's included."""
        self.spoke_unasked = False
        """Whether it had more to say when it was stopped."""
        self._reported_cpu_s = self._hidden_cpu_s = 0.0
        self._pages = 0

    def start(self, *, warm_up: bool = True) -> Process:
        """Start and load, unless that is done. Raises ``LoadFailed``."""
        if self._process is not None:
            return self._process
        if self._failed_starts >= _TRIES:
            raise LoadFailed(f"given up after {self._failed_starts} tries")
        self._failed_starts += 1
        process, start = self._loaded()
        if warm_up and self._warms_up:
            try:
                usage = process.extract(_warm_up(self._row), None, None, self._limits.load_s).usage
                cpu_s = start.cpu_s + usage.cpu_s
                start = replace(start, warm_up_s=usage.wall_s, cpu_s=cpu_s)
            except (Late, Dead, Garbled):
                # It loads, but pages are too much for it: that is for its cells to show.
                self._warms_up = False
                process.kill()
                process, start = self._loaded()
            except BaseException:
                process.kill()
                raise
        self.starts.append(start)
        self._process = process
        self._failed_starts = 0
        return process

    def _loaded(self) -> tuple[Process, Start]:
        if self._aborted:
            raise LoadFailed("stopped")
        process = Process(self._row, self._limits, self._sampler, self._token, self._pin)
        self._newest = process
        try:
            return process, process.load()
        except Late:
            process.kill()
            raise LoadFailed(f"not loaded within {self._limits.load_s:g} s") from None
        except Dead:
            outcome, diagnostics = process.post_mortem()
            raise LoadFailed(f"{outcome} while loading", diagnostics=diagnostics) from None
        except Garbled as error:
            words = process.kill()
            raise LoadFailed(f"it broke the protocol: {error}", diagnostics=words) from None
        except BaseException:
            process.kill()
            raise

    def extract(
        self,
        payload: bytes,
        url: str | None,
        encoding: str | None,
        *,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Result:
        """Run one page; whatever happens is a result.

        ``meanwhile`` is called while the worker is at it. Raises ``LoadFailed`` when the worker
        had to be started again and could not be.
        """
        process = self.start()
        before = time.perf_counter()
        try:
            result = process.extract(payload, url, encoding, self._limits.page_s, meanwhile)
        except (Late, Dead, Garbled) as error:
            self._process = None
            wall_s, taken = time.perf_counter() - before, process.watch.taken()
            usage = Usage(wall_s, taken.cpu_s, rss_peak_bytes=taken.peak_bytes)
            flags = ""
            if isinstance(error, Dead):
                outcome, diagnostics = process.post_mortem()
            elif isinstance(error, Late):
                diagnostics = process.kill()
                outcome = Outcome.OOM if process.over_cap else Outcome.TIMEOUT
            else:
                diagnostics = f"the worker broke the protocol: {error}\n{process.kill()}".strip()
                outcome, flags = Outcome.CRASH, PROTOCOL
            if outcome is Outcome.OOM:  # the kernel may have ended it between two looks
                peak_bytes = max(usage.rss_peak_bytes or 0, self._limits.memory_bytes)
                usage = replace(usage, rss_peak_bytes=peak_bytes)
            return Result(outcome, "", "", usage, diagnostics, 0, flags)
        except BaseException:
            self._process = None
            process.kill()
            raise
        reported_s = result.usage.cpu_s + result.usage.decode_s
        self._reported_cpu_s += reported_s
        self._hidden_cpu_s += result.kernel_cpu_s - reported_s
        self._pages += 1
        return result

    @property
    def hid_cpu_time(self) -> bool:
        """Whether the kernel saw more CPU time than was reported, beyond what the harness costs.

        What is spent after the last page is left out: a Java program compiles until it ends.
        """
        leeway_s = _CPU_LEEWAY * self._reported_cpu_s + _CPU_LEEWAY_PER_PAGE_S * self._pages
        return self._hidden_cpu_s > leeway_s

    @property
    def printed(self) -> str:
        """The end of what the worker has printed since the last page began."""
        return "" if self._process is None else self._process.printed

    def abort(self) -> None:
        """End the worker at once, from another thread: whoever waits for it sees it die."""
        self._aborted = True
        if self._newest is not None:
            self._newest.end_at_once()

    def stop(self) -> None:
        """End the worker in good order; whatever it started ends with it."""
        if self._process is None:
            return
        process, self._process = self._process, None
        try:
            self.network_attempts += process.stop()
        except Garbled:
            self.spoke_unasked = True
        self.cpu_total_s += process.cpu_s


@contextlib.contextmanager
def outside_a_run(
    name: str, limits: Limits, pin: int | None = None
) -> Iterator[Callable[[Row], Worker]]:
    """Give what makes workers whose cells nobody keeps; all have ended when the block is left.

    Their tokens begin with ``name``, see ``worker_home``.
    """
    token = f"{name}-{time.time_ns()}"
    workers: list[Worker] = []

    def worker(row: Row) -> Worker:
        own_token = f"{token}-{len(workers)}"
        workers.append(Worker(row, limits, sampler, token=own_token, pin=pin))
        return workers[-1]

    try:
        with Sampler() as sampler:
            try:
                yield worker
            finally:
                for started in workers:
                    started.stop()
    finally:
        worker_home.sweep(token)


def _warm_up(row: Row) -> bytes:
    """Return what a row is handed before its first page: for an ensemble, a text of each member."""
    if not row.members:
        return WARM_UP
    text = WARM_UP.decode("utf-8")
    item = GoldPage(Page("warm-up", WARM_UP), Gold(text))
    return row.handed(item, {member.label: text for member in row.members})
