"""The command line for tests: called in this process, or started as one of its own.

A call in this process sees what a new process would: its own folder, environment variables and
standard streams (the descriptors, so that what its children write is caught too), and nothing
that an earlier call left in a module.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import IO, Any
from unittest import mock

import pytest

from bench.adapters import registry
from bench.cli import main
from bench.scoring import metric_catalogue
from bench.util import paths

Done = subprocess.CompletedProcess[str]

Word = str | Path


def environment(home: Path) -> dict[str, str]:
    """Return the environment in which the command line is tested."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    fixed = {"LANG": "C.UTF-8", "BENCH_HOME": str(home), "NO_COLOR": "1", "COLUMNS": "100"}
    return {**kept, **fixed, "BENCH_NO_BUILD": "1"}


def forget() -> None:
    """Put the modules of adapters and metrics back to what they are in a new process."""
    registry._chosen = ()
    metric_catalogue._of_files.clear()
    for name, module in list(sys.modules.items()):
        if name.startswith("bench.adapters."):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
        elif name.startswith("bench_adapters."):
            del sys.modules[name]
    importlib.invalidate_caches()


def call(
    words: Sequence[Word],
    *,
    cwd: Path,
    env: Mapping[str, str],
    checkout: Path | None = None,
    timeout: float = 120,
) -> Done:
    """Run ``bench`` with these words in this process; return its exit status and what it wrote.

    ``checkout`` stands in for the project's folder of adapters and data sets. A call that takes
    longer than ``timeout`` seconds ends as if it had raised ``TimeoutError``. With a ``PYTHONPATH``
    of its own it runs in a process of its own.
    """
    if "PYTHONPATH" in env:
        with start(words, env=env, cwd=cwd, stdout=subprocess.PIPE) as process:
            said = process.communicate(timeout=timeout)
        return Done(process.args, process.returncode, *said)
    command = ["bench", *map(str, words)]
    encoding = env.get("PYTHONIOENCODING", "utf-8")
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        with contextlib.ExitStack() as stack:
            stack.enter_context(_streams(output, errors, encoding))
            stack.enter_context(mock.patch.dict(os.environ, env, clear=True))
            stack.enter_context(mock.patch.object(sys, "argv", command))
            stack.enter_context(contextlib.chdir(cwd))
            stack.enter_context(_signals(timeout))
            if checkout is not None:
                stack.enter_context(mock.patch.object(paths, "_CHECKOUT", checkout))
            forget()
            stack.callback(forget)
            status = _status()
        output.seek(0)
        errors.seek(0)
        return Done(command, status, output.read().decode(encoding), errors.read().decode(encoding))


def _status() -> int:
    try:
        main.main()
    except SystemExit as leaving:
        return int(leaving.code or 0)
    except BaseException:  # as the interpreter does
        traceback.print_exc()
        return 1


@contextlib.contextmanager
def _streams(output: IO[bytes], errors: IO[bytes], encoding: str) -> Iterator[None]:
    """Have descriptors and objects of the standard streams lead to files, as for a new process."""
    names = ("stdin", "stdout", "stderr")
    before = [getattr(sys, name) for name in names]
    for stream in before[1:]:
        stream.flush()
    kept = [os.dup(number) for number in range(3)]
    with Path(os.devnull).open("rb") as nothing:
        for number, file in enumerate((nothing, output, errors)):
            os.dup2(file.fileno(), number)
    try:
        for number, (name, mode) in enumerate(zip(names, "rww", strict=True)):
            raw = open(number, mode + "b", closefd=False)  # noqa: SIM115
            text = io.TextIOWrapper(raw, encoding, line_buffering=name == "stderr")
            setattr(sys, name, text)
        yield
    finally:
        for name in names[1:]:
            getattr(sys, name).flush()
        for name, stream in zip(names, before, strict=True):
            setattr(sys, name, stream)
        for number, copy in enumerate(kept):
            os.dup2(copy, number)
            os.close(copy)


@contextlib.contextmanager
def _signals(timeout: float) -> Iterator[None]:
    """Put a limit to the time, and have what is to end the tests end them, not the call alone."""

    def too_long(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"it takes longer than {timeout} s")

    def ended(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        raise KeyboardInterrupt

    came: list[int] = []
    before = {s: signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)}
    signal.signal(signal.SIGALRM, too_long)
    if before[signal.SIGINT] is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, ended)
    signal.setitimer(signal.ITIMER_REAL, timeout)
    try:
        with mock.patch.object(main, "_terminate", ended):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        pytest.exit(f"signal {came[0]}", 128 + came[0])


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Have SIGINT interrupt what is started here, though it is ignored in our shell's background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def start(words: Sequence[Word], *, env: Mapping[str, str], **more: Any) -> subprocess.Popen[str]:
    """Start ``bench`` with these words as a process of its own, which SIGINT interrupts."""
    with interruptible():
        return subprocess.Popen(
            [sys.executable, "-m", "bench.cli.main", *map(str, words)],
            env=env,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            **more,
        )
