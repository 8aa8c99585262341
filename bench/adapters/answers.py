"""Answers that are kept: what a program, a package or a file said of itself, asked once.

A row's key holds its version, so that must be known when a run is planned, and ``bench list`` must
not start every program every time. An answer holds for as long as the state does that it was given
in: the content of files, a program's file, what is installed.
"""

import contextlib
import hashlib
import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.util import remembered

FRESH = "bench list --fresh"
"""What makes everything be asked again."""
_KIND = "answers"
_FAILURE_S = 60.0
"""How long a failure is kept: what fixes it may change nothing that the state holds."""


class Unknown(Exception):
    """What was asked does not answer; the message is one line."""


def kept(question: str, state: object, ask: Callable[[], Any]) -> Any:
    """Return the answer that is kept for a question in a state; ask where there is none.

    State and answer are JSON. Raises ``Unknown`` where asking does.
    """

    def find() -> dict[str, Any]:
        try:
            return {"answer": ask()}
        except Unknown as error:
            return {"reason": str(error), "until": time.time() + _FAILURE_S}

    def dump(note: dict[str, Any]) -> bytes:
        return json.dumps(note).encode()

    def load(content: bytes) -> dict[str, Any]:
        note: dict[str, Any] = json.loads(content)
        if "answer" not in note and note["until"] < time.time():
            raise ValueError("it may have an answer now")
        return note

    key = hashlib.sha256(json.dumps([question, state]).encode()).hexdigest()[:20]
    note = remembered.remembered(_KIND, key, find, dump=dump, load=load)
    if "answer" not in note:
        raise Unknown(note["reason"])
    return note["answer"]


def forget() -> None:
    """Have everything asked again."""
    shutil.rmtree(remembered.folder(_KIND), ignore_errors=True)


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
