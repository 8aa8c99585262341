"""Asks package indexes for the last release of what adapters wrap, and notes their answers.

Python's packages are asked for as uv sees them, node's as npm does. What an R package says of itself
is read from where it is installed.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from bench.adapters import released
from bench.adapters.adapter import Adapter
from bench.adapters.environments import index, npm
from bench.adapters.environments.uv import UvFailed
from bench.adapters.released import Released
from bench.model import BenchError
from bench.util.progress import SILENT, Progress

_PARALLEL = 8
_TIMEOUT_S = 30.0
_ANSWER_BYTES = 8 << 20
"""Packages with thousands of versions have answers of 1 MiB."""
_READ_BYTES = 1 << 16
_NPM_IS_SHORT = ("--fetch-retries=1", "--fetch-timeout=10000")


def known(adapter: Adapter, every: Mapping[str, Released] | None = None) -> Released | None:
    """Return the last release known of what an adapter wraps, asking nobody.

    ``every`` is what ``released.every`` returned, where many adapters are looked up.
    """
    package = adapter.package
    found = (released.every() if every is None else every).get(adapter.name)
    if found is not None and package and found.package == package:
        return found
    if package.startswith("r:"):
        return _installed(package, adapter.load.attributes.get("libraries", ()))
    return None


def ask(
    adapters: Collection[Adapter], progress: Progress = SILENT
) -> tuple[dict[str, Released], dict[str, str]]:
    """Ask for the packages of some adapters; return releases by adapter, failures by package."""
    packages = {each.name: each.package for each in adapters}
    wanted = set(packages.values())
    python = sorted(each for each in wanted if each.startswith("python:"))
    others = sorted(each for each in wanted if each.startswith("npm:"))
    answers: dict[str, Released | str] = {}
    progress.start("asking package indexes", len(wanted - {""}))
    turn = threading.Lock()

    def heard(found: Mapping[str, Released | str]) -> None:
        with turn:
            answers.update(found)
            progress.advance(len(found))

    with ThreadPoolExecutor(_PARALLEL) as pool:
        together = pool.submit(lambda: heard(_of_python(python)))
        apart = pool.map(lambda each: heard({each: _of_npm(each)}), others)
        together.result()
        # One package that the index does not have has all of them fail.
        again = [each for each in python if each not in answers]
        one_by_one = pool.map(lambda each: heard(_of_python([each])), again)
        deque(itertools.chain(apart, one_by_one), maxlen=0)  # raises what they raised
    found = {name: answers.get(package) for name, package in packages.items()}
    return (
        {name: each for name, each in found.items() if isinstance(each, Released)},
        {name: each for name, each in sorted(answers.items()) if isinstance(each, str)},
    )


def note(path: Path, found: Mapping[str, Released], names: Collection[str] | None = None) -> None:
    """Write releases into a file beside those that it has, of ``names`` alone where given.

    Raises ``BenchError`` where it cannot be written.
    """
    every = {**released.read(path), **found}
    kept = {name: every[name].to_json() for name in sorted(every) if names is None or name in names}
    text = json.dumps({"format": released.FORMAT, "releases": kept}, indent=1)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.write_text(f"{text}\n", encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise BenchError(
            f"{path} cannot be written ({error.strerror}); make it writable, or set BENCH_HOME"
        ) from error


def _of_python(packages: Sequence[str]) -> dict[str, Released | str]:
    """Return packages' last releases; of one that fails the reason, of several that fail nothing."""
    try:
        found = index.newest([each.partition(":")[2] for each in packages]) if packages else {}
        return {each: _answer(each, *found[each.partition(":")[2]]) for each in packages}
    except (UvFailed, ValueError) as error:
        is_hopeless = isinstance(error, UvFailed) and error.offline
        return dict.fromkeys(packages, _line(error)) if is_hopeless or len(packages) == 1 else {}


def _of_npm(package: str) -> Released | str:
    """Return what npm calls the latest version of a package, or why it is not known."""
    try:
        facts: Any = json.loads(_viewed(package.partition(":")[2]))
        times = facts.get("time")
        # A mirror without the registry's own record gives times at which it fetched each version.
        is_record = isinstance(times, dict) and "created" in times
        return _answer(
            package, facts["version"], _day(times.get(facts["version"])) if is_record else None
        )
    except BenchError as error:
        return _line(error)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return "npm's answer is none"


def _answer(package: str, version: str, day: str | None) -> Released:
    return Released(package, version, day, datetime.now(UTC).date().isoformat())


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _viewed(name: str) -> str:
    """Return npm's answer. Raises ``BenchError``."""
    program = shutil.which("npm")
    if program is None:
        raise BenchError("npm is not on the PATH")
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        (Path(folder) / "answer").open("w+b") as answer,
    ):
        try:
            done = subprocess.run(
                [program, "view", name, "version", "time", "--json", *_NPM_IS_SHORT],
                cwd=folder,
                env=npm.environment(),
                stdin=subprocess.DEVNULL,
                stdout=answer,
                stderr=subprocess.DEVNULL,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BenchError(f"npm could not be asked: {error}") from error
        answer.seek(0)
        said = answer.read(_ANSWER_BYTES + 1)
    if done.returncode:
        raise BenchError(f"npm exited with status {done.returncode}")
    if len(said) > _ANSWER_BYTES:
        raise BenchError("npm's answer is too long")
    return said.decode("utf-8", "replace")


def _installed(package: str, libraries: Collection[str]) -> Released | None:
    """Return the release of an R package that is installed, from its DESCRIPTION."""
    for library in libraries:
        path = Path(library) / package.partition(":")[2] / "DESCRIPTION"
        try:
            with path.open("rb") as file:
                text = file.read(_READ_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
        facts = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
        published = facts.get("Date/Publication") or facts.get("Packaged")
        try:
            return Released(package, facts.get("Version", "").strip(), _day(published), None)
        except ValueError:
            return None
    return None


def _day(moment: object) -> str | None:
    """Return the day that a moment such as ``2026-01-31T12:00:00Z`` begins with."""
    try:
        return date.fromisoformat(str(moment).strip()[:10]).isoformat()
    except ValueError:
        return None
