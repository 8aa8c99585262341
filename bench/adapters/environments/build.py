"""Makes one environment: a Python, its requirements resolved to exact versions, those installed."""

import contextlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.adapters.environments import installer, uv
from bench.adapters.environments.uv import UvFailed
from bench.adapters.spec import Spec
from bench.model import BenchError

_COMPILE_S = 600.0
_COMPILING = threading.Lock()


class BuildFailed(BenchError):
    """An environment could not be made; ``remedy`` is what to type."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


@dataclass(frozen=True)
class Built:
    """What was made."""

    lock: str
    """Every requirement with its exact version, as uv or npm wrote it."""
    packages: Mapping[str, str]
    """Every package with its version."""
    python_version: str = ""
    """Empty for one of node's packages."""


def interpreter(env: Path) -> Path:
    """Return the Python of an environment."""
    return env / "bin" / "python"


def build(spec: Spec, env: Path) -> Built:
    """Make the environment of a spec in a folder. Raises ``BuildFailed``."""
    from packaging.specifiers import SpecifierSet

    try:
        ours = platform.python_version() in SpecifierSet(spec.python)
        python = sys.executable if ours else spec.python
        uv.run(["venv", "--relocatable", "--python", python, env], {"PATH": _with_pyenv()})
        return _filled(spec, env)
    except UvFailed as error:
        remedy = "see whether these requirements can be met together"
        if error.no_python:
            remedy = f"install Python {spec.wanted_python}, for example: uv python install"
        elif error.offline:
            remedy = "connect to a package index, then: bench env build"
        raise BuildFailed(error.reason, remedy) from error


def _with_pyenv() -> str:
    """Return the PATH, then pyenv's Pythons, newest first: its shims offer only those switched on."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    newest_first = sorted(
        root.glob("versions/3.*/bin"),
        key=lambda folder: list(map(int, re.findall(r"\d+", folder.parent.name))),
        reverse=True,
    )
    return os.pathsep.join([os.environ.get("PATH", os.defpath), *map(str, newest_first)])


def _filled(spec: Spec, env: Path) -> Built:
    """Install what a spec asks for into an environment that is empty."""
    python, environ = interpreter(env), dict(spec.environ)
    quiet: list[str | Path] = ["--quiet", "--python", python]
    install = ["pip", "install", *quiet]
    isolation: list[str | Path] = []
    if spec.build_requires:
        uv.run([*install, "--", *spec.build_requires], environ)
        isolation = ["--no-build-isolation"]
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        files = {name: Path(folder) / f"{name}.txt" for name in ("wanted", "overrides", "lock")}
        files["wanted"].write_text("\n".join(spec.requires), encoding="utf-8")
        files["overrides"].write_text("\n".join(spec.overrides), encoding="utf-8")
        resolve = ["pip", "compile", *quiet, "--no-header", "--no-annotate", *isolation]
        lock = uv.run([*resolve, "--override", files["overrides"], files["wanted"]], environ)
        files["lock"].write_text(lock, encoding="utf-8")
        install += ["--no-deps", *isolation, "--requirement", files["lock"]]
        try:
            # The index was asked a moment ago: what lies in uv's cache is as good.
            uv.run([*install, "--offline"], environ)
        except UvFailed:
            uv.run(install, environ)
    listed = json.loads(uv.run(["pip", "list", "--format", "json", "--python", python]))
    lines = (env / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    facts = dict(line.partition(" = ")[::2] for line in lines)
    packages = {package["name"]: package["version"] for package in listed}
    return Built(lock, packages, facts.get("version_info", ""))


def compile_packages(env: Path, compiled: Path) -> None:
    """Compile all packages now: workers write no byte code, and would compile at every start.

    By the interpreter itself, since uv's own way fails at times. ``compiled`` is a file that
    environments share while they are made.
    """
    script = Path(__file__).with_name("compile_packages.py")
    python: list[str | Path] = [interpreter(env), "-I", "-W", "ignore"]
    # It takes all cores; one after the other, environments find what those before them compiled.
    with _COMPILING, contextlib.suppress(OSError, subprocess.TimeoutExpired):
        installer.run([*python, script, env / "lib", compiled], timeout=_COMPILE_S)
