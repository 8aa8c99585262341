"""Environments of node's packages: made by npm from a lock file, in the cache that all share.

``npm ci`` installs what the lock file says or nothing, and checks every archive against its hash.
No package's own scripts run.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.adapters.environments.build import BuildFailed, Built
from bench.adapters.spec import Spec

MANIFEST = "package.json"
LOCK = "package-lock.json"
TIMEOUT_S = 1800.0
REMEDY = "install Node.js 20.19 or later, with npm"
_FORMAT = 1
"""Goes up whenever environments of old are no longer what this code would make."""
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE", "APPDATA")
_OFFLINE = re.compile(r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED)\b")
_CHATTER = re.compile(r"^npm (warn|notice)\b|A complete log of this run|^$", re.IGNORECASE)
_USAGE = "Clean install a project Usage:"


@dataclass(frozen=True)
class NpmSpec(Spec):
    """What an environment of node's packages must hold; ``requires`` is the manifest's name alone."""

    manifest: str = ""
    """Text of ``package.json``."""
    lock: str = ""
    """Text of ``package-lock.json``."""

    @property
    def key(self) -> str:
        """Hash of all that the environment's content depends on."""
        major = node_version().partition(".")[0]
        facts = [_FORMAT, "npm", self.manifest, self.lock, major, sys.platform, platform.machine()]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]

    @property
    def packages(self) -> dict[str, str]:
        """Every package of the lock file with its version."""
        return _packages(self.lock)

    def with_more(self, _: Sequence[str]) -> NpmSpec:
        """Return the same: what Python programs need more is nothing to node."""
        return self


def read(folder: Path) -> NpmSpec:
    """Return the spec of a folder that has both files. Raises ``ValueError`` where it has not."""
    try:
        manifest, lock = ((folder / n).read_text(encoding="utf-8") for n in (MANIFEST, LOCK))
        spec = NpmSpec((str(json.loads(manifest)["name"]),), manifest=manifest, lock=lock)
        _ = spec.packages
    except (OSError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise ValueError(f"{MANIFEST} and {LOCK} of {folder} cannot be read: {error}") from None
    return spec


@cache
def node_version() -> str:
    """Return the version of the node on the PATH, such as ``20.19.0``; empty where there is none."""
    try:
        done = subprocess.run(
            ["node", "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip().removeprefix("v") if done.returncode == 0 else ""


def build(spec: NpmSpec, env: Path) -> Built:
    """Install a spec's packages below a folder, in ``node_modules``. Raises ``BuildFailed``."""
    began = time.monotonic()
    if not node_version():
        raise BuildFailed("node is not on the PATH", REMEDY)
    env.mkdir(parents=True)
    (env / MANIFEST).write_text(spec.manifest, encoding="utf-8")
    (env / LOCK).write_text(spec.lock, encoding="utf-8")
    _npm(["ci", "--ignore-scripts", "--engine-strict", "--no-audit", "--no-fund"], env)
    installed = (env / "node_modules" / ".package-lock.json").read_text(encoding="utf-8")
    packages = {**_packages(installed), "node": node_version()}
    return Built(spec.lock, packages, "", time.monotonic() - began)


def _packages(lock: str) -> dict[str, str]:
    """Return names and versions; where one package is there twice, the version found first."""
    found: dict[str, str] = {}
    # Those at the top come before those below another package.
    entries: dict[str, dict[str, Any]] = json.loads(lock)["packages"]
    for path, facts in sorted(entries.items(), key=lambda item: item[0].count("node_modules/")):
        if path:
            found.setdefault(path.rpartition("node_modules/")[2], str(facts["version"]))
    return dict(sorted(found.items()))


def _npm(words: Sequence[str], folder: Path) -> None:
    program = shutil.which("npm")
    if program is None:
        raise BuildFailed("npm is not on the PATH", REMEDY)
    try:
        done = subprocess.run(
            [program, *words],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildFailed(f"npm could not be run: {error}", "try again") from error
    if done.returncode:
        raise _failed(done.stderr)


def environment() -> dict[str, str]:
    """Return what npm is told of ours: where things are and how to reach a registry."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT
        or name.upper().endswith("_PROXY")
        or name.lower().startswith("npm_config_")
        or name.startswith(("SSL_", "NODE_EXTRA_CA", "XDG_"))
    }
    return {**ours, "NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"}


def _failed(said: str) -> BuildFailed:
    lines = [" ".join(line.split()) for line in said.splitlines()]
    told = [line.removeprefix("npm error").strip() for line in lines if not _CHATTER.search(line)]
    reason = " ".join(line for line in told if line).partition(_USAGE)[0].strip()
    reason = reason[:400] or "npm said nothing"
    if _OFFLINE.search(said):
        return BuildFailed(reason, "connect to a package registry, then: bench env build")
    if "EBADENGINE" in said:
        return BuildFailed(reason, REMEDY)
    return BuildFailed(reason, f"mend {MANIFEST} and {LOCK}: npm install --ignore-scripts")
