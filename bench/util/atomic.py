"""Files that are either whole or not there."""

import contextlib
import errno
import fcntl
import glob
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.model import BenchError

_UNFINISHED = ".unfinished"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path``; rename it over ``path`` if the block succeeds.

    Raises ``BenchError`` naming the folder when it cannot be written.
    """
    with writing_to(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished(path) as folder:
            temporary = folder / path.name
            yield temporary
            temporary.chmod(0o644)
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            temporary.replace(path)


@contextlib.contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Give a temporary folder beside ``path``, which is gone after the block.

    So are those that killed writers of ``path`` left: each is locked for as long as its writer lives.
    """
    name = f".{path.name}."
    for left in path.parent.glob(f"{glob.escape(name)}*{_UNFINISHED}"):
        with contextlib.suppress(OSError), _locked(left):
            shutil.rmtree(left)
    folder = Path(tempfile.mkdtemp(_UNFINISHED, name, path.parent))
    try:
        with contextlib.ExitStack() as lock:
            with contextlib.suppress(OSError):
                lock.enter_context(_locked(folder))
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock. Raises ``OSError`` where another process does, or there are none."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(opened)


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file, whole or not at all."""
    write_text(path, json.dumps(value, indent=2, allow_nan=False) + "\n")


def safe_name(name: str) -> str:
    """Return a data set's name fit for a file: letters, digits, ``-``, ``_`` and inner dots."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip(".") or "unnamed"


@contextlib.contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Turn the system's refusal to write into one line that says where and how to fix it."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise BenchError(
                f"{folder} cannot be written ({error.strerror}); make it writable, or choose "
                "another place with --results, --reports or BENCH_HOME"
            ) from error
        raise BenchError(
            f"writing to {folder} failed ({error.strerror or error}); free space or check the disk, "
            "then give the same command again: finished cells are kept"
        ) from error


@contextlib.contextmanager
def reading_from(folder: Path) -> Iterator[None]:
    """Turn the system's refusal to read into one line."""
    try:
        yield
    except OSError as error:
        raise BenchError(f"{folder} cannot be read ({error.strerror or error})") from error
