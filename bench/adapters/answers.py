"""Answers kept on disk: what a program, a package or a file said of itself, asked once.

A row's key holds its version, so that must be known when a run is planned, and ``bench list`` must
not start every program every time. An answer holds for as long as the state does that it was given
in: the content of files, a program's file, what is installed. The data directory keeps one file
for each question.
"""

import contextlib
import hashlib
import json
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench.util import paths

FRESH = "bench list --fresh"
"""What makes everything be asked again."""
_FOLDER = "answers"
_FAILURE_S = 60.0
"""How long a failure is believed: what mends it may change nothing that is looked at."""


class Unknown(Exception):
    """What was asked does not answer; the message is one line."""


def kept(question: str, state: object, ask: Callable[[], Any]) -> Any:
    """Return the answer that is kept for a question in a state; ask where there is none.

    State and answer are JSON. Raises ``Unknown`` where asking does. A data directory that cannot
    be written only costs time.
    """
    path = paths.home() / _FOLDER / f"{_hash(question)}.json"
    note = {"question": question, "state": _hash(state)}
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["state"] == note["state"]:
            if "answer" in found:
                return found["answer"]
            if time.time() < found["until"]:
                raise Unknown(found["reason"])
    try:
        answer = ask()
    except Unknown as error:
        _write(path, {**note, "reason": str(error), "until": time.time() + _FAILURE_S})
        raise
    _write(path, {**note, "answer": answer})
    return answer


def _write(path: Path, note: Mapping[str, Any]) -> None:
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        # Half a file is no JSON: whoever meets it asks for itself.
        path.write_text(json.dumps(note), encoding="utf-8")


def forget() -> None:
    """Have everything asked again."""
    shutil.rmtree(paths.home() / _FOLDER, ignore_errors=True)


def state_of(path: Path | str) -> list[Any]:
    """Return what changes when a file does: its path, size and time of change; for none its path."""
    with contextlib.suppress(OSError):
        status = Path(path).stat()
        return [str(path), status.st_size, status.st_mtime_ns]
    return [str(path)]


def state_of_program(word: str) -> list[Any]:
    """Return what changes when another program answers to a word."""
    return state_of(shutil.which(word) or word)


def state_of_packages() -> list[Any]:
    """Return what changes when this Python, or a package that it can import, does."""
    return [sys.version, sys.prefix, *map(state_of, sys.path)]


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode("utf-8", "surrogatepass")).hexdigest()[:20]
