"""What version a program is, as it says itself: asked once, as long as its files stay as they are."""

import contextlib
import json
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.adapters import answers
from bench.adapters.answers import Unknown
from bench.util import paths
from bench.worker.program import Child, Ended, ProgramError, telling_line

_DEADLINE_S = 30.0
_NUMBER = re.compile(r"\d+(?:\.\d+)+(?:[-+.\w]*\w)?|\d+")


def printed(words: Sequence[str], content: str = "") -> str:
    """Return the first version number that a command prints. Raises ``Unknown``.

    ``content`` is the hash of files that the answer depends on beside the program's own.
    """
    question = f"version printed by {json.dumps(list(words))}"
    state = [answers.state_of_program(words[0]), content]
    return str(answers.kept(question, state, lambda: _printed(words)))


def greeted(words: Sequence[str], accepts: str, settings: Mapping[str, Any], content: str) -> str:
    """Return the version that a program's greeting says. Raises ``Unknown``."""
    question = f"version in the greeting of {json.dumps(list(words))}"
    state = [answers.state_of_program(words[0]), content]
    return str(answers.kept(question, state, lambda: _greeted(words, accepts, settings)))


def _greeted(words: Sequence[str], accepts: str, settings: Mapping[str, Any]) -> str:
    name = Path(words[0]).name
    # One in which it finds nothing of the user's, and always the same: a folder for each would be
    # left behind when bench is killed meanwhile.
    folder = paths.home() / "asked"
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    cwd = str(folder) if folder.is_dir() else tempfile.gettempdir()
    try:
        child = Child(words, own_group=True, cwd=cwd)
        try:
            version: str = child.shake_hands(accepts, settings, _DEADLINE_S)["version"]
        finally:
            child.kill()
    except Ended as error:
        raise Unknown(str(error)) from None
    except (ProgramError, TimeoutError) as error:
        raise Unknown(f"{name}: {error}") from None
    except OSError as error:
        raise Unknown(f"{name} cannot be started: {error.strerror}") from None
    return version


def _printed(words: Sequence[str]) -> str:
    name = Path(words[0]).name
    try:
        done = subprocess.run(
            list(words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_DEADLINE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unknown(f"{name} cannot be asked for its version: {error}") from None
    if done.returncode:
        reason = telling_line(done.stderr)
        raise Unknown(f"{name} exited with status {done.returncode}: {reason}".rstrip(": "))
    # Some print it on standard error.
    number = _NUMBER.search(done.stdout) or _NUMBER.search(done.stderr)
    if number is None:
        raise Unknown(f"{name} printed no version number")
    return number.group()
