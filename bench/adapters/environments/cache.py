"""The environments on this machine: found by content, built once, noticed when damaged."""

import contextlib
import json
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.adapters.environments import build, installer, npm, seal
from bench.adapters.environments.build import BuildFailed, Built
from bench.adapters.environments.npm import NpmSpec
from bench.adapters.spec import Spec
from bench.model import BenchError
from bench.util import paths
from bench.util.atomic import write_json, writing_to
from bench.util.locks import locked
from bench.util.numbers import counted, megabytes

_FACTS = "bench-env.json"
PARALLEL = 4
"""Environments that are made at once."""


@dataclass(frozen=True, kw_only=True)
class Environment(Built):
    """A built environment."""

    key: str
    path: Path
    requires: tuple[str, ...]
    size_bytes: int
    seconds: float
    """How long it took to make."""

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return build.interpreter(self.path / "env")

    @property
    def node(self) -> str | None:
        """Version of the node that it was made for; None for one of Python's packages."""
        return None if self.python_version else self.packages.get(npm.NODE)

    @property
    def under(self) -> str:
        """What its programs run under, with the version."""
        return f"Python {self.python_version}" if self.python_version else f"node {self.node}"

    @property
    def installed(self) -> dict[str, str]:
        """Its packages, without what they run under."""
        return {name: at for name, at in self.packages.items() if name != npm.NODE or not self.node}

    def __str__(self) -> str:
        return (
            f"{counted(len(self.installed), 'package')}, {self.under}, "
            f"{megabytes(self.size_bytes)}, made in {self.seconds:.1f} s"
        )


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


def get(spec: Spec) -> Environment:
    """Return the environment of a spec, built if it is not there or was damaged.

    Raises ``BuildFailed``. Processes that want the same one wait for each other.
    """
    ((_, environment),) = get_all([spec])
    if isinstance(environment, BuildFailed):
        raise environment
    return environment


def _get(spec: Spec, compiled: Path) -> Environment:
    place = folder() / spec.key
    if (whole := _read(place)) is not None:
        return whole
    try:
        with locked(_lock(place), stopped=installer.stopped):
            if (whole := _read(place)) is not None:
                return whole
            shutil.rmtree(place, ignore_errors=True)
            return _build(spec, place, compiled)
    except OSError as error:
        reason = f"{place} cannot be written ({error.strerror or error})"
        raise BuildFailed(reason, "make it writable, or name another in BENCH_HOME") from error


def get_all(specs: Iterable[Spec]) -> Iterator[tuple[Spec, Environment | BuildFailed]]:
    """Yield each spec's environment, or why it cannot be made, when it is; several are made at once."""
    from concurrent.futures import ThreadPoolExecutor, as_completed

    with TemporaryDirectory(prefix="bench-") as shared:
        pool, compiled = ThreadPoolExecutor(PARALLEL), Path(shared) / "compiled.json"
        try:
            with installer.stopping_together():
                futures = {pool.submit(_get, spec, compiled): spec for spec in dict.fromkeys(specs)}
                for future in as_completed(futures):
                    try:
                        yield futures[future], future.result()
                    except BuildFailed as error:
                        yield futures[future], error
        finally:
            pool.shutdown(cancel_futures=True)
            installer.go_on()


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
    for place in unwanted:
        with writing_to(folder()), locked(_lock(place.path)):
            size = place.size_bytes
            shutil.rmtree(place.path, ignore_errors=True)
            freed += 0 if place.path.exists() else size
    return freed


def _build(spec: Spec, place: Path, compiled: Path) -> Environment:
    place.mkdir(parents=True)
    try:
        env, began = place / "env", time.monotonic()
        if isinstance(spec, NpmSpec):
            built = npm.build(spec, env)
        else:
            built = build.build(spec, env)
            build.compile_packages(env, compiled)
        facts = {
            **asdict(built),
            "key": spec.key,
            "requires": spec.requires,
            "seconds": time.monotonic() - began,
            "size_bytes": seal.size_bytes(place),
            "seal": seal.of(env),
            "content": seal.content(env),
        }
        # Last: it says that the rest is whole.
        write_json(place / _FACTS, facts)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    environment = _read(place)
    if environment is None:
        raise BuildFailed(f"{place} changed while it was made", "try again")
    return environment


def _read(place: Path) -> Environment | None:
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
        facts = json.loads((place / _FACTS).read_text(encoding="utf-8"))
        now = seal.of(place / "env")
        if facts["seal"] != now:
            if facts["content"] != seal.content(place / "env"):
                return None
            with contextlib.suppress(BenchError):
                write_json(place / _FACTS, {**facts, "seal": now})
        del facts["seal"], facts["content"]
        return Environment(path=place, **{**facts, "requires": tuple(facts["requires"])})
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
    except OSError:  # nobody can be at it where nothing can be written
        return False
    except BenchError:
        return True
