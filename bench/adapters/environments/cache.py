"""The environments on this machine: found by content, built once, noticed when damaged."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.adapters.environments import build, npm, seal
from bench.adapters.environments.build import BuildFailed
from bench.adapters.environments.npm import NpmSpec
from bench.adapters.spec import Spec
from bench.model import BenchError
from bench.util import paths
from bench.util.locks import locked

_FACTS = "bench-env.json"
_PARALLEL = 4


@dataclass(frozen=True)
class Environment:
    """A built environment."""

    key: str
    path: Path
    packages: Mapping[str, str]
    """Every package with its version."""
    python_version: str
    """Empty for one of node's packages."""
    requires: tuple[str, ...]
    lock: str
    """Every requirement with its exact version, as uv or npm wrote it."""
    size_bytes: int
    seconds: float
    """How long it took to make."""

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return build.interpreter(self.path / "env")


@dataclass(frozen=True)
class Place:
    """A folder of the cache and what is in it."""

    path: Path
    environment: Environment | None
    """None where it is not as it was made."""
    in_use: bool
    """A process is making it."""

    @property
    def key(self) -> str:
        """Key of the environment."""
        return self.path.name

    @property
    def size_bytes(self) -> int:
        """How much its files hold."""
        if self.environment is not None:
            return self.environment.size_bytes
        with contextlib.suppress(OSError):
            return seal.size_bytes(self.path)
        return 0

    @property
    def made(self) -> float:
        """When it was made, in seconds since the epoch."""
        facts = self.path / _FACTS
        return (facts if facts.exists() else self.path).stat().st_mtime


def folder() -> Path:
    """Return where environments are kept."""
    return paths.home() / "envs"


def find(spec: Spec) -> Environment | None:
    """Return the environment of a spec; None when it is not there, or not as it was made."""
    return _read(folder() / spec.key)


def stamp(spec: Spec) -> float | None:
    """Return when the environment of a spec was made; None when it is not there."""
    with contextlib.suppress(OSError):
        return (folder() / spec.key / _FACTS).stat().st_mtime
    return None


def get(spec: Spec) -> Environment:
    """Return the environment of a spec, built if it is not there or was damaged.

    Raises ``BuildFailed``. Processes that want the same one wait for each other.
    """
    place = folder() / spec.key
    with locked(_lock(place)):
        there = _read(place)
        if there is not None:
            return there
        shutil.rmtree(place, ignore_errors=True)
        return _build(spec, place)


def get_all(specs: Iterable[Spec]) -> Iterator[tuple[Spec, Environment | BuildFailed]]:
    """Yield each spec's environment, or why it cannot be made, when it is; several are made at once."""
    with ThreadPoolExecutor(_PARALLEL) as pool:
        futures = {pool.submit(get, spec): spec for spec in dict.fromkeys(specs)}
        for future in as_completed(futures):
            try:
                yield futures[future], future.result()
            except BuildFailed as error:
                yield futures[future], error


def places() -> list[Place]:
    """Return everything in the cache, whole or not."""
    return [
        Place(path, _read(path), in_use=_in_use(path))
        for path in sorted(folder().glob("*"))
        if path.is_dir()
    ]


def remove(unwanted: Iterable[Place]) -> int:
    """Remove environments; return the bytes that this freed."""
    freed = 0
    for each in unwanted:
        with locked(_lock(each.path)):
            size = each.size_bytes
            shutil.rmtree(each.path, ignore_errors=True)
            freed += 0 if each.path.exists() else size
    return freed


def _build(spec: Spec, place: Path) -> Environment:
    place.mkdir(parents=True)
    try:
        env = place / "env"
        built = npm.build(spec, env) if isinstance(spec, NpmSpec) else build.build(spec, env)
        facts = {
            "key": spec.key,
            "requires": spec.requires,
            "python_version": built.python_version,
            "packages": built.packages,
            "lock": built.lock,
            "seconds": built.seconds,
            "size_bytes": seal.size_bytes(place),
            "seal": seal.of(place / "env"),
        }
        # Last, and in one go: it says that the rest is whole.
        unfinished = place / f".{_FACTS}"
        unfinished.write_text(json.dumps(facts, indent=2), encoding="utf-8")
        unfinished.replace(place / _FACTS)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    found = _read(place)
    if found is None:
        raise BuildFailed(f"{place} changed while it was made", "try again")
    return found


def _read(place: Path) -> Environment | None:
    try:
        facts: dict[str, Any] = json.loads((place / _FACTS).read_text(encoding="utf-8"))
        if facts["seal"] != seal.of(place / "env"):
            return None
        return Environment(
            key=facts["key"],
            path=place,
            packages=facts["packages"],
            python_version=facts["python_version"],
            requires=tuple(facts["requires"]),
            lock=facts["lock"],
            size_bytes=facts["size_bytes"],
            seconds=facts["seconds"],
        )
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _lock(place: Path) -> Path:
    return place.with_suffix(".lock")


def _in_use(place: Path) -> bool:
    """Whether a process holds the lock."""
    if not _lock(place).exists():
        return False
    try:
        with locked(_lock(place), busy="it is in use"):
            return False
    except BenchError:
        return True
