"""Makes one environment: a Python, its requirements resolved to exact versions, those installed."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.adapters.environments import pythons, uv
from bench.adapters.environments.uv import UvFailed
from bench.adapters.spec import Spec
from bench.model import BenchError

_COMPILE_S = 600.0


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
    """Every requirement with its exact version, as uv wrote it."""
    packages: Mapping[str, str]
    python_version: str
    seconds: float


def interpreter(env: Path) -> Path:
    """Return the Python of an environment."""
    return env / "Scripts" / "python.exe" if os.name == "nt" else env / "bin" / "python"


def build(spec: Spec, env: Path) -> Built:
    """Make the environment of a spec in a folder. Raises ``BuildFailed``."""
    began = time.monotonic()
    try:
        wanted = pythons.find(spec.python) if spec.python else Path(sys.executable)
        uv.run(["venv", "--relocatable", "--python", wanted or spec.python, env])
        python = interpreter(env)
        environ = dict(spec.environ)
        isolation: list[str] = []
        if spec.build_requires:
            _install(python, ["--", *spec.build_requires], environ)
            isolation = ["--no-build-isolation"]
        lock = _resolve(spec, python, isolation, environ)
        with _file(lock) as path:
            _install(python, ["--no-deps", *isolation, "--requirement", path], environ)
        _compile(python, env)
        return Built(lock, _packages(python), _version(env), time.monotonic() - began)
    except UvFailed as error:
        raise BuildFailed(error.reason, _remedy(spec, error)) from error


def _resolve(spec: Spec, python: Path, isolation: Sequence[str], environ: Mapping[str, str]) -> str:
    words: list[str | Path] = ["pip", "compile", "--quiet", "--python", python, "--no-header"]
    words += ["--no-annotate", *isolation]
    with _file("\n".join(spec.overrides)) as overrides, _file("\n".join(spec.requires)) as wanted:
        if spec.overrides:
            words += ["--override", overrides]
        return uv.run([*words, wanted], environ=environ)


def _install(python: Path, words: Sequence[str | Path], environ: Mapping[str, str]) -> None:
    known: list[str | Path] = ["pip", "install", "--quiet", "--python", python]
    uv.run([*known, *words], environ=environ)


def _compile(python: Path, env: Path) -> None:
    """Compile all packages now: workers write no byte code, and would compile at every start.

    By the interpreter itself, since uv's own way fails at times. What cannot be compiled (a file
    for another Python) is compiled, or fails, when it is imported.
    """
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(
            [python, "-m", "compileall", "-q", env / "lib"],
            capture_output=True,
            timeout=_COMPILE_S,
            check=False,
        )


def _packages(python: Path) -> dict[str, str]:
    found = json.loads(uv.run(["pip", "list", "--format", "json", "--python", python]))
    return {each["name"]: each["version"] for each in found}


def _version(env: Path) -> str:
    lines = (env / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    facts = dict(line.partition(" = ")[::2] for line in lines)
    return facts.get("version_info", "")


def _remedy(spec: Spec, error: UvFailed) -> str:
    if error.no_python:
        return f"install Python {spec.wanted_python}, for example: uv python install"
    if error.offline:
        return "connect to a package index, then: bench env build"
    return "see whether these requirements can be met together"


@contextlib.contextmanager
def _file(text: str) -> Iterator[Path]:
    """Yield a temporary file with this text."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = Path(folder) / "requirements.txt"
        path.write_text(f"{text}\n", encoding="utf-8")
        yield path
