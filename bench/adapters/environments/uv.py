"""uv, as a command: finds Pythons, resolves, installs. Its words of complaint become one line."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from uv import find_uv_bin

TIMEOUT_S = 1800.0
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE")
_OFFLINE = re.compile(
    r"dns error|Connection refused|Could not connect|error sending request|timed out|offline",
    re.IGNORECASE,
)

# Where uv is, is worked out with sysconfig, whose tables are half filled while another thread asks.
_FINDING = threading.Lock()
_RAISED = re.compile(r"[\w.]+(Error|Exception|Exit|Warning)\b")


class UvFailed(Exception):
    """uv could not do it; ``reason`` is one line, ``offline`` says whether the network was missing."""

    def __init__(self, reason: str, *, offline: bool = False, no_python: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offline = offline
        self.no_python = no_python


def run(
    words: Sequence[str | Path],
    *,
    environ: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> str:
    """Run uv and return what it printed. Raises ``UvFailed`` with its own reason."""
    with _FINDING:
        command = [find_uv_bin(), *map(str, words)]
    try:
        done = subprocess.run(
            command,
            env={**_environment(), **(environ or {})},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UvFailed(f"uv could not be run: {error}") from error
    if done.returncode:
        raise _failed(done.stderr)
    return done.stdout


def _environment() -> dict[str, str]:
    """What uv is told of ours: where things are and how to reach an index, no Python settings."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT
        or name.upper().endswith("_PROXY")
        or name.startswith(("UV_", "SSL_", "PYENV_", "XDG_", "CC", "CXX", "JAVA_", "CARGO", "RUST"))
    }
    ours.pop("UV_PROJECT_ENVIRONMENT", None)
    # Files of the cache are copied, not linked: what happens to an environment stays in it.
    return {**ours, "UV_LINK_MODE": "copy", "UV_NO_CONFIG": "1", "UV_NO_PROGRESS": "1"}


def _failed(said: str) -> UvFailed:
    lines = [" ".join(line.split()) for line in said.splitlines()]
    lines = [re.sub(r"^[^\w'\"`]+", "", line) for line in lines if line]
    lines = [
        line for line in lines if line and not line.startswith(("Using", "Resolved", "warning"))
    ]
    reason = " ".join(_without_frames(lines))[:600] or "uv said nothing"
    return UvFailed(
        reason,
        offline=bool(_OFFLINE.search(said)),
        no_python="No interpreter found" in said or "No download found" in said,
    )


def _without_frames(lines: Sequence[str]) -> Iterator[str]:
    """Leave a build's tracebacks out but for the errors that they end with."""
    inside = False
    for line in lines:
        if line.startswith("Traceback (most recent call last)"):
            inside = True
        elif not inside:
            yield line
        elif _RAISED.match(line):
            inside = False
            yield line
