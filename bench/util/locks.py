"""Locks between processes: the kernel's, which go with their holder, however that dies."""

import contextlib
import errno
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.model import BenchError
from bench.util.atomic import writing_to

_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP)


@contextlib.contextmanager
def locked(
    path: Path, *, busy: str | None = None, stopped: Callable[[], bool] | None = None
) -> Iterator[None]:
    """Hold the lock of a file, which is made if need be and stays: removing it would let two in.

    Waits for another holder, or raises ``BenchError``: with the message ``busy`` where one is given,
    or once ``stopped`` says so.
    On a file system without locks nothing is held. Raises ``OSError`` for a file that cannot be
    opened.
    """
    # Imported here, because it takes longer than what most verbs do, and few lock anything.
    from filelock import FileLock, Timeout

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, timeout=-1 if busy is None else 0)
    try:
        lock.acquire(cancel_check=stopped)
    except Timeout:
        raise BenchError(busy or "stopped") from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def alone(path: Path, busy: str) -> Iterator[None]:
    """Hold a lock that no other process has.

    Raises ``BenchError``: ``busy`` where one has it, or why the file cannot be written.
    """
    with contextlib.ExitStack() as lock:
        with writing_to(path.parent):
            lock.enter_context(locked(path, busy=busy))
        yield
