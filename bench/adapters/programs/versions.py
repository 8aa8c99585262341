"""What version a program is, known before a run: written down, asked once, and noted.

A row's key holds its version, so it must be there when a run is planned, and ``bench list`` must
not start every program every time. The answer is noted under a hash of the command and of all
files that it names; a program that says something else when it is loaded is not run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.util import paths
from bench.worker.program import Child, Ended, ProgramError, telling_line

DEADLINE_S = 30.0
FRESH = "bench list --fresh"
"""What makes noted versions be asked anew."""
_NUMBER = re.compile(r"\d+(?:\.\d+)+(?:[-+.\w]*\w)?|\d+")


class Unknown(Exception):
    """The program does not say its version; the message is one line."""


def of_handshake(
    words: Sequence[str], accepts: str, settings: Mapping[str, Any], content: str
) -> str:
    """Return the version that a program's greeting says, noted or asked. Raises ``Unknown``."""
    key = _key("handshake", words, content)
    return _noted(key) or _note(key, _greeted(words, accepts, settings))


def of_command(words: Sequence[str], content: str) -> str:
    """Return the first version number that a command prints, noted or asked. Raises ``Unknown``."""
    key = _key("command", words, content)
    return _noted(key) or _note(key, _printed(words))


def forget() -> None:
    """Have every program asked again."""
    _file().unlink(missing_ok=True)


def _greeted(words: Sequence[str], accepts: str, settings: Mapping[str, Any]) -> str:
    name = Path(words[0]).name
    try:
        child = Child(words, own_group=True, cwd=str(_elsewhere()))
        try:
            version: str = child.shake_hands(accepts, settings, DEADLINE_S)["version"]
        finally:
            child.kill()
    except Ended as error:
        raise Unknown(str(error)) from None
    except (ProgramError, TimeoutError) as error:
        raise Unknown(f"{name}: {error}") from None
    except OSError as error:
        raise Unknown(f"{name} cannot be started: {error.strerror}") from None
    return version


def _elsewhere() -> Path:
    """Return a folder in which a program finds nothing of the user's.

    Always the same one: a folder for each would be left behind when bench is killed meanwhile.
    """
    folder = paths.home() / "asked"
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    return Path(tempfile.gettempdir())


def _printed(words: Sequence[str]) -> str:
    name = Path(words[0]).name
    try:
        done = subprocess.run(
            list(words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=DEADLINE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unknown(f"{name} cannot be asked for its version: {error}") from None
    if done.returncode:
        reason = telling_line(done.stderr)
        raise Unknown(f"{name} exited with status {done.returncode}: {reason}".rstrip(": "))
    # Some print it on standard error.
    found = _NUMBER.search(done.stdout) or _NUMBER.search(done.stderr)
    if found is None:
        raise Unknown(f"{name} printed no version number")
    return found.group()


def _key(way: str, words: Sequence[str], content: str) -> str:
    """Hash what the answer depends on: the words, the program file's state, the files' content."""
    state: list[Any] = [way, list(words), content]
    with contextlib.suppress(OSError):
        about = Path(shutil.which(words[0]) or words[0]).stat()
        state += [about.st_size, about.st_mtime_ns]
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()[:20]


def _file() -> Path:
    return paths.home() / "versions.json"


def _all_noted() -> dict[str, str]:
    try:
        noted = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


def _noted(key: str) -> str | None:
    version = _all_noted().get(key)
    return version if isinstance(version, str) else None


def _note(key: str, version: str) -> str:
    """Write it down whole or not at all; a data directory that cannot be written only costs time."""
    path = _file()
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.write_text(json.dumps({**_all_noted(), key: version}), encoding="utf-8")
        part.replace(path)
    return version
