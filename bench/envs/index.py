"""The releases of a package, from the package index that the user has set for pip or uv.

pip is asked, in an environment of its own: uv lists no releases.
"""

from __future__ import annotations

import json
import os
import subprocess

from packaging.version import InvalidVersion, Version

from bench.envs import cache
from bench.envs.build import BuildFailed
from bench.envs.spec import Spec
from bench.model import BenchError

TIMEOUT_S = 300.0
_PIP = Spec(("pip>=25.1",))
"""The first that lists releases as JSON."""
_NAMES = {
    "PIP_INDEX_URL": ("UV_DEFAULT_INDEX", "UV_INDEX_URL"),
    "PIP_EXTRA_INDEX_URL": ("UV_EXTRA_INDEX_URL",),
}
"""What pip calls uv's settings."""


def releases(package: str) -> list[Version]:
    """Return a package's final releases that this Python admits, oldest first.

    Raises ``BenchError`` where the index cannot be asked or does not have the package.
    """
    try:
        pip = cache.get(_PIP)
    except BuildFailed as error:
        raise BenchError(f"no releases of {package}: {error.reason}; {error.remedy}") from error
    command = [str(pip.python), "-I", "-m", "pip", "index", "versions", "--json", package]
    try:
        done = subprocess.run(
            command,
            env=_environment(),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
        if done.returncode:
            raise BenchError(f"no releases of {package}: {_reason(done.stderr)}")
        words = [str(each) for each in json.loads(done.stdout)["versions"]]
    except (OSError, subprocess.TimeoutExpired, ValueError, LookupError, TypeError) as error:
        raise BenchError(f"no releases of {package}: pip could not be asked: {error}") from error
    return sorted(version for word in words if (version := _version(word)) is not None)


def newest_of_each_minor(found: list[Version]) -> list[Version]:
    """Return the newest of the releases that share their first two numbers, oldest first."""
    return sorted(
        {each.release[:2] + (0,) * (2 - len(each.release)): each for each in sorted(found)}.values()
    )


def _environment() -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    for name, theirs in _NAMES.items():
        for each in theirs:
            if each in ours:
                ours.setdefault(name, ours[each])
    return {**ours, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def _reason(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.startswith("ERROR")]
    return " ".join(lines).removeprefix("ERROR: ")[:400] or "pip said nothing"


def _version(word: str) -> Version | None:
    try:
        return Version(word)
    except InvalidVersion:
        return None
