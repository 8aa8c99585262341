"""The releases of a package, from the package index that the user has set for pip or uv.

For all of them pip is asked, in an environment of its own: uv lists no releases. For the newest and
its day uv is asked: pip tells no days.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from bench.adapters.environments import cache, uv
from bench.adapters.environments.build import BuildFailed
from bench.adapters.environments.uv import UvFailed
from bench.adapters.spec import Spec
from bench.model import BenchError

TIMEOUT_S = 300.0
_NEWEST_TIMEOUT_S = 30.0
_ANY_PYTHON = "3.99"
"""What is not out yet: releases for a Python later than ours are admitted."""
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


def newest(packages: Sequence[str]) -> dict[str, tuple[str, str | None]]:
    """Return each package's newest final release and the day of its publication (None: not told).

    Whatever Python it is for; nothing is downloaded or built. Raises ``UvFailed`` where the index
    cannot be asked, or does not have one of them.
    """
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        wanted, settings = Path(folder) / "requirements.txt", Path(folder) / "uv.toml"
        wanted.write_text("".join(f"{each}\n" for each in packages), encoding="utf-8")
        # Told what packages require, uv looks into none of their files.
        told = (
            f"[[dependency-metadata]]\nname = {json.dumps(each)}\nrequires-dist = []\n"
            for each in packages
        )
        settings.write_text("".join(told), encoding="utf-8")
        words = ["pip", "compile", "--quiet", "--no-deps", "--no-header", "--universal"]
        words += ["--prerelease", "disallow", "--format", "pylock.toml"]
        words += ["--python-version", _ANY_PYTHON]
        if not os.environ.get("UV_OFFLINE"):  # uv refuses both together
            words += [word for each in packages for word in ("--refresh-package", each)]
        lock = uv.run(
            [*words, "--config-file", settings, wanted],
            environ={"UV_HTTP_TIMEOUT": "10", "UV_HTTP_RETRIES": "1"},
            timeout_s=_NEWEST_TIMEOUT_S,
        )
    try:
        found = {canonicalize_name(each["name"]): each for each in tomllib.loads(lock)["packages"]}
        return {each: _release(found[canonicalize_name(each)]) for each in packages}
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise UvFailed("uv's answer is no lock file (PEP 751)") from error


def _release(facts: Mapping[str, Any]) -> tuple[str, str | None]:
    files = [*facts.get("wheels", ()), *filter(None, [facts.get("sdist")])]
    moments = [each["upload-time"] for each in files if "upload-time" in each]
    return str(Version(facts["version"])), min(moments).date().isoformat() if moments else None


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
