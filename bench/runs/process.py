"""The operating system's side of a worker: process, socket, deadlines, kill, last words."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import psutil

from bench.adapters.adapter import Row
from bench.model import Limits, Outcome, Usage
from bench.runs import surroundings as environment
from bench.runs import worker_source as source
from bench.runs.sampler import Sampler, Watch
from bench.runs.store.manifest import Start
from bench.worker import channel

DIAGNOSTICS_BYTES = 4096
_LIVENESS_S = 0.1
"""How often a worker that does not answer is checked for being dead."""
_BUFFER_BYTES = 1 << 20


@dataclass(frozen=True)
class Result:
    """How one page ended in a worker."""

    outcome: Outcome
    text: str
    usage: Usage
    diagnostics: str
    network_attempts: int


class LoadFailed(Exception):
    """The extractor could not be loaded; ``reason`` is one line, ``missing`` a module not found."""

    def __init__(self, reason: str, missing: str | None, diagnostics: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.missing = missing
        self.diagnostics = diagnostics


class Dead(Exception):
    """The worker ended, or answered with something that is no message."""


class Late(Exception):
    """The worker did not answer in time."""


class Process:
    """The operating system's side of a worker: process, socket, diagnostics, watch."""

    def __init__(
        self, row: Row, limits: Limits, sampler: Sampler, token: str, pin: int | None
    ) -> None:
        self._limits = limits
        self._sampler = sampler
        self.over_cap = False
        self._family: list[psutil.Process] = []
        self._began = time.perf_counter()
        self._home = environment.worker_home(token)
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                end.setsockopt(socket.SOL_SOCKET, option, _BUFFER_BYTES)
        ours.setblocking(False)
        self._socket = ours
        foreign = row.adapter.interpreter
        python, code = (foreign, source.folder()) if foreign else (sys.executable, None)
        with theirs:
            self._popen = subprocess.Popen(
                [python, "-u", "-m", "bench.worker.main", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment.worker_environment(self._home.name, self._home, code),
                cwd=self._home,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        if pin is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(self._popen.pid, {pin})
        self._diagnostics = _Tail(self._popen)
        self.watch = Watch(row.key, self._popen.pid, limits.memory_bytes, self._end_over_cap)
        self._sampler.watch(self.watch)

    def load(self, row: Row) -> Start:
        """Wait for the worker's greeting and have it load the extractor."""
        hello, _ = self._receive(time.monotonic() + self._limits.load_s)
        start_s = time.perf_counter() - self._began
        request = {"op": "load", **asdict(row.load_request)}
        request["filters"] = list(row.filters)
        loaded, _ = self._ask(request, b"", self._limits.load_s)
        if loaded["op"] == "failed":
            raise LoadFailed(loaded["reason"], loaded["missing"], loaded["diagnostics"])
        return Start(
            start_s=start_s,
            import_s=loaded["import_s"],
            load_s=loaded["load_s"],
            warm_up_s=0.0,
            cpu_s=hello["cpu_s"] + loaded["cpu_s"],
            rss_bytes=loaded["rss_bytes"],
            python=hello["python"],
            network=hello["network"],
            kernel_peak=hello["kernel_peak"],
            packages=tuple(loaded["packages"]),
        )

    def extract(
        self,
        payload: bytes,
        url: str | None,
        encoding: str | None,
        deadline_s: float,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Result:
        """Hand over one page and wait for its text."""
        self.watch.reset()
        self._diagnostics.mark()
        request = {"op": "extract", "url": url, "encoding": encoding}
        deadline = time.monotonic() + deadline_s
        before = time.perf_counter()
        self._send(request, payload, deadline)
        meanwhile()
        header, text = self._receive(deadline)
        whole_s = time.perf_counter() - before
        try:
            peaks = [header["rss_peak_bytes"], self.watch.peak_bytes or None]
            usage = Usage(
                wall_s=header["wall_s"],
                cpu_s=header["cpu_s"],
                rss_peak_bytes=max((peak for peak in peaks if peak is not None), default=None),
                rss_idle_bytes=header["rss_idle_bytes"],
                decode_s=header["decode_s"],
                handover_s=whole_s - header["wall_s"] - header["decode_s"],
            )
            return Result(
                Outcome(header["outcome"]),
                text.decode("utf-8"),
                usage,
                header["diagnostics"],
                header["network_attempts"],
            )
        except (KeyError, ValueError) as error:
            raise Dead from error

    @property
    def printed(self) -> str:
        """The end of what it has printed since the page began."""
        return self._diagnostics.kept

    def stop(self) -> dict[str, Any]:
        """Say goodbye, return what the worker says of its whole life."""
        totals: dict[str, Any] = {}
        with contextlib.suppress(Late, Dead):
            totals, _ = self._ask({"op": "bye"}, b"", 5.0)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(self._limits.grace_s)
        self.kill()
        return totals

    def kill(self) -> str:
        """End the worker and all that it started: TERM, grace, KILL. Return its last words."""
        self._sampler.forget(self.watch)
        self._note_family()
        if self._popen.poll() is None:
            self._signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(self._limits.grace_s)
        self._signal(signal.SIGKILL)
        self._popen.wait()
        for each in self._family:
            with contextlib.suppress(psutil.Error):
                each.kill()
        environment.sweep(self._home.name)
        self._socket.close()
        return self._diagnostics.close()

    def _note_family(self) -> None:
        """Remember who descends from the worker, while it lives: they may have left its group."""
        with contextlib.suppress(psutil.Error):
            self._family.extend(psutil.Process(self._popen.pid).children(recursive=True))

    def post_mortem(self) -> tuple[Outcome, str]:
        """What a worker died of, and its last words."""
        try:
            # The socket closes a moment before the process is gone.
            self._popen.wait(1.0)
        except subprocess.TimeoutExpired:
            cause = "the worker closed its channel"
        else:
            cause = _cause_of_death(self._popen.returncode)
        words = self.kill()
        outcome = Outcome.OOM if self.over_cap else Outcome.CRASH
        if self.over_cap:
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

    def _ask(
        self, request: Mapping[str, Any], payload: bytes, deadline_s: float
    ) -> tuple[dict[str, Any], bytes]:
        deadline = time.monotonic() + deadline_s
        self._send(request, payload, deadline)
        return self._receive(deadline)

    def _send(self, request: Mapping[str, Any], payload: bytes, deadline: float) -> None:
        view = memoryview(channel.pack(dict(request), payload))
        while view:
            try:
                view = view[self._socket.send(view) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, deadline)
            except OSError as error:
                raise Dead from error

    def _receive(self, deadline: float) -> tuple[dict[str, Any], bytes]:
        try:
            head, payload = channel.lengths(self._exactly(channel.PREFIX_BYTES, deadline))
            header = json.loads(self._exactly(head, deadline))
            if not isinstance(header, dict):
                raise Dead
        except (channel.Garbled, ValueError) as error:
            raise Dead from error
        return header, self._exactly(payload, deadline)

    def _exactly(self, size: int, deadline: float) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            try:
                got = self._socket.recv(min(size - len(parts), _BUFFER_BYTES))
            except BlockingIOError:
                self._wait(select.POLLIN, deadline)
                continue
            except OSError as error:
                raise Dead from error
            if not got:
                raise Dead
            parts += got
        return bytes(parts)

    def _wait(self, event: int, deadline: float) -> None:
        """Wait until the socket is ready. A child of a dead worker may hold the socket open."""
        poll = select.poll()
        poll.register(self._socket, event)
        while True:
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise Late
            if poll.poll(min(left_s, _LIVENESS_S) * 1000):
                return
            if self._popen.poll() is not None and not poll.poll(0):
                raise Dead


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
        self._kept = b""
        assert popen.stdout is not None  # noqa: S101
        self._stream = popen.stdout
        self._thread = threading.Thread(target=self._drain, name="diagnostics", daemon=True)
        self._thread.start()

    def mark(self) -> None:
        """Forget what was printed so far: a cell begins."""
        self._kept = b""

    @property
    def kept(self) -> str:
        """What is kept so far."""
        return self._kept.decode("utf-8", "replace").strip()

    def close(self) -> str:
        """Return what is kept, once the worker is dead."""
        # A grandchild that escaped may hold the stream open: do not wait for it for long.
        self._thread.join(0.5)
        if not self._thread.is_alive():
            self._stream.close()
        return self._kept.decode("utf-8", "replace").strip()

    def _drain(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while data := os.read(self._stream.fileno(), 65536):
                self._kept = (self._kept + data)[-DIAGNOSTICS_BYTES:]
