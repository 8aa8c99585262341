"""uv, as a command: finds Pythons, resolves, installs. Its words of complaint become one line."""

import os
import re
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from uv import find_uv_bin

from bench.adapters.environments import installer

TIMEOUT_S = 1800.0
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE", "APPDATA")
_OURS = ("UV_", "SSL_", "PYENV_", "XDG_", "CC", "CXX", "JAVA_", "CARGO", "RUST")
_OFFLINE = re.compile(
    r"dns error|Connection refused|Could not connect|error sending request|timed out|offline",
    re.IGNORECASE,
)

# Where uv is, is worked out with sysconfig, whose tables are half filled while another thread asks.
_FINDING = threading.Lock()
_RAISED = re.compile(r"[\w.]+(Error|Exception|Exit|Warning)\b")


class UvFailed(Exception):
    """uv could not do it; ``reason`` is one line, ``offline`` says whether the network was missing."""

    def __init__(self, reason: str, said: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.offline = bool(_OFFLINE.search(said))
        self.no_python = "No interpreter found" in said or "No download found" in said


def run(words: Sequence[str | Path], environ: Mapping[str, str] | None = None) -> str:
    """Run uv and return what it printed. Raises ``UvFailed`` with its own reason."""
    with _FINDING:
        command = [find_uv_bin(), *map(str, words)]
    # Files of the cache are copied, not linked: what happens to an environment stays in it.
    fixed = {"UV_LINK_MODE": "copy", "UV_NO_CONFIG": "1", "UV_NO_PROGRESS": "1"}
    ours = environment(_OURS)
    ours.pop("UV_PROJECT_ENVIRONMENT", None)
    try:
        done = installer.run(command, env={**ours, **fixed, **(environ or {})}, timeout=TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UvFailed(f"uv could not be run: {error}") from error
    if done.returncode:
        reason = " ".join(_reasons(done.stderr))[:600]
        raise UvFailed(reason or f"uv ended with status {done.returncode}", done.stderr)
    return done.stdout


def environment(more: tuple[str, ...]) -> dict[str, str]:
    """Return what an installer is told of ours: where things are, how to reach an index, and more.

    ``more`` are beginnings of names of variables.
    """
    return {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.upper().endswith("_PROXY") or name.startswith(more)
    }


def _reasons(said: str) -> Iterator[str]:
    """Yield the lines that say why; of a build's tracebacks only the errors that they end with."""
    inside = False
    for text in said.splitlines():
        line = re.sub(r"^[^\w'\"`]+", "", " ".join(text.split()))
        if line.startswith("Traceback (most recent call last)"):
            inside = True
        elif line and (not inside or _RAISED.match(line)):
            inside = False
            if not line.startswith(("Using", "Resolved", "warning")):
                yield line
