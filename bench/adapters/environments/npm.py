"""Environments of node's packages: made by npm from a lock file, in the cache that all share.

``npm ci`` installs what the lock file says or nothing, and checks every archive against its hash.
No package's own scripts run.
"""

import hashlib
import json
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.adapters import versions
from bench.adapters.answers import Unknown
from bench.adapters.environments import installer, uv
from bench.adapters.environments.build import BuildFailed, Built
from bench.adapters.spec import Spec

MANIFEST = "package.json"
LOCK = "package-lock.json"
NODE = "node"
"""Noted among the packages, since texts depend on it as on them."""
REMEDY = "install Node.js 20.19 or later, with npm"
_FORMAT = 1
"""Goes up whenever environments of old are no longer what this code would make."""
_OURS = ("npm_config_", "NPM_CONFIG_", "SSL_", "NODE_EXTRA_CA", "XDG_")
_CI = ("ci", "--ignore-scripts", "--engine-strict", "--no-audit", "--no-fund")
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


def read(folder: Path) -> NpmSpec:
    """Return the spec of a folder that has both files. Raises ``ValueError`` where it has not."""
    try:
        manifest, lock = ((folder / n).read_text(encoding="utf-8") for n in (MANIFEST, LOCK))
        spec = NpmSpec((str(json.loads(manifest)["name"]),), manifest=manifest, lock=lock)
        _ = spec.packages
    except (OSError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise ValueError(f"{MANIFEST} and {LOCK} of {folder} cannot be read: {error}") from None
    return spec


def node_version() -> str:
    """Return the version of the node on the PATH, such as ``20.19.0``; empty where there is none."""
    try:
        return versions.printed(["node", "--version"])
    except Unknown:
        return ""


def build(spec: NpmSpec, env: Path) -> Built:
    """Install a spec's packages below a folder, in ``node_modules``. Raises ``BuildFailed``."""
    if not node_version():
        raise BuildFailed("node is not on the PATH", REMEDY)
    env.mkdir(parents=True)
    (env / MANIFEST).write_text(spec.manifest, encoding="utf-8")
    (env / LOCK).write_text(spec.lock, encoding="utf-8")
    try:
        done = installer.run(
            [shutil.which("npm") or "npm", *_CI],
            cwd=env,
            env=environment(),
            timeout=uv.TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildFailed(f"npm could not be run: {error}", REMEDY) from error
    if done.returncode:
        raise _failed(done.stderr, done.returncode)
    installed = (env / "node_modules" / ".package-lock.json").read_text(encoding="utf-8")
    return Built(spec.lock, {**_packages(installed), NODE: node_version()})


def environment() -> dict[str, str]:
    """Return what npm is told of ours: where things are and how to reach a registry."""
    return {**uv.environment(_OURS), "NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"}


def _packages(lock: str) -> dict[str, str]:
    """Return names and versions; where one package is there twice, the version found first."""
    versions: dict[str, str] = {}
    # Those at the top come before those below another package.
    entries = json.loads(lock)["packages"].items()
    for path, facts in sorted(entries, key=lambda item: item[0].count("node_modules/")):
        if path:
            versions.setdefault(path.rpartition("node_modules/")[2], str(facts["version"]))
    return dict(sorted(versions.items()))


def _failed(said: str, status: int) -> BuildFailed:
    lines = [" ".join(line.split()) for line in said.splitlines()]
    errors = [line.removeprefix("npm error").strip() for line in lines if not _CHATTER.search(line)]
    reason = " ".join(line for line in errors if line).partition(_USAGE)[0].strip()
    remedy = f"update {MANIFEST} and {LOCK}: npm install --ignore-scripts"
    if _OFFLINE.search(said):
        remedy = "connect to a package registry, then: bench env build"
    elif "EBADENGINE" in said:
        remedy = REMEDY
    return BuildFailed(reason[:400] or f"npm ended with status {status}", remedy)
