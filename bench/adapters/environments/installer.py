"""Runs what installs packages (uv, npm, a compiler), so that an interrupt ends all of it at once."""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

_running: set[subprocess.Popen[str]] = set()
_stopped = threading.Event()
_LOCK = threading.Lock()


class Stopped(BaseException):
    """The user stopped the work that this was a part of."""


def run(
    words: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float,
) -> subprocess.CompletedProcess[str]:
    """Run a command and return what it printed. Raises what ``subprocess.run`` raises, ``Stopped``."""
    with _LOCK:
        if _stopped.is_set():
            raise Stopped
        # In a session of its own: Ctrl-C is ours to hand on, to its children too.
        process = subprocess.Popen(
            list(map(str, words)),
            env=env,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        _running.add(process)
    try:
        output, errors = process.communicate(timeout=timeout)
    except BaseException:
        _kill(process)
        process.communicate()
        raise
    finally:
        with _LOCK:
            _running.discard(process)
    if _stopped.is_set():
        raise Stopped
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


@contextmanager
def stopping_together() -> Iterator[None]:
    """Have whatever ends the block early end every command that other threads run for it."""
    try:
        yield
    except BaseException:
        with _LOCK:
            _stopped.set()
            for process in _running:
                _kill(process)
        raise


def stopped() -> bool:
    """Whether the user stopped all work, until what did it calls ``go_on``."""
    return _stopped.is_set()


def go_on() -> None:
    """Allow commands again, once the threads that were stopped are done."""
    _stopped.clear()


def _kill(process: subprocess.Popen[str]) -> None:
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
