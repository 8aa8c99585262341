"""The operating system's side of a worker: process, socket, deadlines, kill, last words."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.adapters import outside
from bench.adapters.adapter import Row
from bench.model import BenchError, Limits, Outcome, Usage
from bench.runs import answers, worker_home
from bench.runs.cgroup import Cgroup
from bench.runs.sampler import Sampler, Watch
from bench.runs.store.journal import text_hash
from bench.runs.store.manifest import CONTROL_GROUP, SAMPLES, Start
from bench.runs.worker_channel import Dead, Late, WorkerChannel
from bench.worker import isolation, kernel

DIAGNOSTICS_BYTES = 4096
CLOCK, PROTOCOL = "clock", "protocol"
"""Flags of a cell: its worker's clock said much less than ours, or it broke the protocol."""
_CLOCK_LEEWAY_S, _CLOCK_LEEWAY = 0.02, 0.25


@dataclass(frozen=True)
class Result:
    """How one page ended in a worker."""

    outcome: Outcome
    text: str
    text_hash: str
    usage: Usage
    diagnostics: str
    network_attempts: int
    flags: str = ""
    kernel_cpu_s: float = 0.0
    """CPU time since the page before, by the kernel's account."""


class LoadFailed(BenchError):
    """The extractor could not be loaded; ``reason`` is one line, ``missing`` a module not found."""

    def __init__(self, reason: str, missing: str | None = None, diagnostics: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.missing = missing
        self.diagnostics = diagnostics


class Process:
    """The operating system's side of a worker: process, walls, channel, diagnostics, watch."""

    def __init__(
        self,
        row: Row,
        limits: Limits,
        sampler: Sampler,
        token: str,
        pin: int | None,
    ) -> None:
        self._row = row
        self._limits = limits
        self._sampler = sampler
        self.over_cap = False
        self._way_in_cpu_s = 0.0
        self._began = time.perf_counter()
        self._home = worker_home.make(token)
        foreign = row.adapter.interpreter
        self._source = worker_home.code_alone() if foreign else None
        self._python = Path(foreign or sys.executable)
        ours, theirs = socket.socketpair()
        with theirs:
            self._popen = subprocess.Popen(
                [str(self._python), "-u", "-m", "bench.worker.main", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=worker_home.variables(self._home, self._source),
                cwd=self._home,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._cgroup = Cgroup(self._home.name, self._popen.pid, limits.memory_bytes)
        if pin is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(self._popen.pid, {pin})
        self._diagnostics = _Tail(self._popen)
        self._channel = WorkerChannel(ours, lambda: self._popen.poll() is None)
        self.watch = self._watch(self._popen.pid)

    @property
    def cpu_s(self) -> float:
        """CPU time of the worker and all that it started so far, its way behind its walls included."""
        return self._way_in_cpu_s + self.watch.cpu_s

    def _watch(self, pid: int) -> Watch:
        cap_bytes = self._limits.memory_bytes
        watch = Watch(self._row.key, pid, self._cgroup, cap_bytes, self._end_over_cap)
        self._sampler.watch(watch)
        return watch

    def load(self) -> Start:
        """Have the worker go behind its walls and load the extractor."""
        request = asdict(self._row.load_request)
        view = outside.view(
            request, self._python, self._source, self._home, self._limits.hidden,
            self._row.adapter.facts.reads,
        )  # fmt: skip
        hello, _ = self._channel.ask(
            {"op": "confine", "outside": view}, b"", self._limits.load_s, answers.Hello
        )
        start_s = time.perf_counter() - self._began
        if hello.processes == isolation.NAMESPACE:
            # Two processes of ours stand between: what they cost is not the extractor's.
            self._sampler.forget(self.watch)
            try:
                first, worker = kernel.descendants(self._popen.pid)
            except ValueError:
                raise Dead from None
            self._way_in_cpu_s = kernel.cpu_s(self._popen.pid) + kernel.cpu_s(first)
            self.watch = self._watch(worker)
        self.watch.taken()
        loaded, _ = self._channel.ask(
            {"op": "load", **request, "filters": list(self._row.filters)}, b"",
            self._limits.load_s, answers.Loaded, answers.NotLoaded,
        )  # fmt: skip
        if isinstance(loaded, answers.NotLoaded):
            raise LoadFailed(loaded.reason, loaded.missing, loaded.diagnostics)
        assert isinstance(loaded, answers.Loaded)  # noqa: S101
        return Start(
            start_s=start_s,
            import_s=loaded.import_s,
            load_s=loaded.load_s,
            warm_up_s=0.0,
            cpu_s=self.cpu_s,
            rss_bytes=self.watch.taken().rss_bytes,
            python=hello.python,
            network=hello.network,
            files=hello.files,
            processes=hello.processes,
            memory=CONTROL_GROUP if self._cgroup else SAMPLES,
            kernel_peak=self.watch.has_peak_mark,
            packages=loaded.packages,
        )

    def extract(
        self,
        payload: bytes,
        url: str | None,
        encoding: str | None,
        deadline_s: float,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Result:
        """Hand over one page and wait for its text. Raises ``Late``, ``Dead`` or ``Garbled``."""
        self.watch.at_work = True
        self._diagnostics.mark()
        request = {"op": "extract", "url": url, "encoding": encoding}
        before = time.perf_counter()
        answer, text = self._channel.ask(
            request, payload, deadline_s, answers.Text, meanwhile=meanwhile
        )
        whole_s = time.perf_counter() - before
        if self._cgroup.has_killed:  # one of its children: what it answers is not what was asked
            raise Dead
        self.watch.at_work = False
        taken = self.watch.taken()
        wall_s, flags = answer.wall_s, ""
        waited_s = (self._channel.waited_s or 0.0) - answer.decode_s
        if waited_s > wall_s + max(_CLOCK_LEEWAY_S, _CLOCK_LEEWAY * wall_s):
            wall_s, flags = waited_s, CLOCK
        usage = Usage(
            wall_s=wall_s,
            cpu_s=taken.cpu_s if flags else answer.cpu_s,
            rss_peak_bytes=taken.peak_bytes and taken.peak_bytes + answer.ended_child_peak_bytes,
            rss_idle_bytes=taken.rss_bytes,
            decode_s=answer.decode_s,
            handover_s=max(0.0, whole_s - wall_s - answer.decode_s),
        )
        return Result(
            answer.outcome, text.decode("utf-8"), text_hash(text), usage, answer.diagnostics,
            answer.network_attempts, flags, taken.cpu_s,
        )  # fmt: skip

    @property
    def printed(self) -> str:
        """The end of what it has printed since the page began."""
        return self._diagnostics.kept

    def stop(self) -> int:
        """Say goodbye; return how often its programs tried to reach the network in all.

        Raises ``Garbled`` where it had more to say than it was asked.
        """
        try:
            self._channel.expect_silence()
            bye, _ = self._channel.ask({"op": "bye"}, b"", 5.0, answers.Bye)
            self._channel.expect_silence()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(self._limits.grace_s)
        except (Late, Dead):
            return 0
        finally:
            self.kill()
        return bye.network_attempts

    def kill(self) -> str:
        """End the worker and all that it started: TERM, grace, KILL. Return its last words."""
        import psutil

        self._sampler.forget(self.watch)
        descendants: list[psutil.Process] = []
        # They may have left its group: they are found while it lives.
        with contextlib.suppress(psutil.Error):
            descendants = psutil.Process(self._popen.pid).children(recursive=True)
        if self._popen.poll() is None:
            self._signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(self._limits.grace_s)
        self._signal(signal.SIGKILL)
        self._popen.wait()
        for process in descendants:
            with contextlib.suppress(psutil.Error):
                process.kill()
        self.over_cap = self.over_cap or self._cgroup.has_killed
        self._cgroup.remove()
        worker_home.sweep(self._home.name)
        self._channel.close()
        return self._diagnostics.close()

    def post_mortem(self) -> tuple[Outcome, str]:
        """What a worker died of, and its last words."""
        try:
            # The socket closes a moment before the process is gone.
            cause = _cause_of_death(self._popen.wait(1.0))
        except subprocess.TimeoutExpired:
            cause = "the worker closed its channel"
        words = self.kill()
        outcome = Outcome.CRASH
        if self.over_cap:
            outcome = Outcome.OOM
            cause = f"over the memory cap of {self._limits.memory_bytes >> 20} MiB"
        return outcome, f"{cause}\n{words}".strip()

    def end_at_once(self) -> None:
        """Kill without grace."""
        self._signal(signal.SIGKILL)

    def _end_over_cap(self) -> None:
        """Called by the sampler: no grace, or the machine would suffer."""
        if not self.over_cap:
            self.over_cap = True
            self.end_at_once()

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, number)


def _cause_of_death(status: int) -> str:
    if status >= 0:
        return f"the worker exited with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"the worker was ended by {name}"


class _Tail:
    """Keeps the last few KiB that a worker printed since a mark, so that printing never blocks it."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self._data = b""
        assert popen.stdout is not None  # noqa: S101
        self._stream = popen.stdout
        self._thread = threading.Thread(target=self._drain, name="diagnostics", daemon=True)
        self._thread.start()

    def mark(self) -> None:
        """Forget what was printed so far: a cell begins."""
        self._data = b""

    @property
    def kept(self) -> str:
        """What is kept so far."""
        return self._data.decode("utf-8", "replace").strip()

    def close(self) -> str:
        """Return what is kept, once the worker is dead."""
        # A grandchild that escaped may hold the stream open: do not wait for it for long.
        self._thread.join(0.5)
        if not self._thread.is_alive():
            self._stream.close()
        return self.kept

    def _drain(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while data := os.read(self._stream.fileno(), 65536):
                self._data = (self._data + data)[-DIAGNOSTICS_BYTES:]
