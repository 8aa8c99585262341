"""Work on the parts of something by several processes, each given once what is the same for all."""

import multiprocessing
import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from types import ModuleType
from typing import Any, TypeVar

Given = TypeVar("Given")
Part = TypeVar("Part")
Result = TypeVar("Result")

_MOST = 8

_task: tuple[Callable[[Any, Any], Any], Any]
"""What a process of a pool does, and what it was given."""


@contextmanager
def begun(
    work: Callable[[Given, Part], Result], given: Given, parts: Sequence[Part], *, alone: bool
) -> Iterator[Iterator[Result]]:
    """Begin ``work(given, part)`` for every part; what is yielded gives the results, in order.

    Other work can be done meanwhile, on cores that are free. ``work`` is a function of a module; it
    and all else is pickled. ``alone``: in this process, each part when its result is asked for.
    """
    processes = 1 if alone else min(_MOST, os.cpu_count() or 1)
    if processes == 1:
        yield (work(given, part) for part in parts)
        return
    # Spawned, not forked: the parent has threads (Arrow's, the progress bar's).
    spawn = multiprocessing.get_context("spawn")
    # Packed: a process is sent what is given while its Python starts, and this one waits for that;
    # what it has to import comes after.
    packed = pickle.dumps((work, given))
    with ProcessPoolExecutor(processes, spawn, _take, (packed,)) as pool:
        try:
            with _spawning():
                # Not by map, which cancels what is left: processes that end then, end loudly.
                futures = deque(pool.submit(_work, part) for part in parts)
            yield (futures.popleft().result() for _ in parts)
        except BaseException:
            # What has begun may take minutes. The pool sees them end, and is over then.
            for process in multiprocessing.active_children():
                process.terminate()
            raise


@contextmanager
def _spawning() -> Iterator[None]:
    """Hide the main module from processes that are spawned, and Ctrl-C until they ignore it.

    They would import the module, of which they need nothing: a user's script would begin again in
    each of them.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    blocked_before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked_before)


def _take(packed: bytes) -> None:
    global _task  # noqa: PLW0603
    # A terminal's Ctrl-C reaches all of its processes; the parent alone answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _task = pickle.loads(packed)  # noqa: S301 (from the process that began this one)


def _work(part: Any) -> Any:
    work, given = _task
    return work(given, part)
