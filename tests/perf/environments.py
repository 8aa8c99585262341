"""Environments: what one of its own adds to a worker's start, and what making several takes.

``python -m tests.perf.environments all`` makes those of all rows that need one (9 GB, in turn).
"""

import os
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.adapters.environments import assign as environments
from bench.adapters.environments import cache
from bench.adapters.environments.build import BuildFailed
from bench.adapters.environments.cache import Environment
from bench.adapters.spec import Spec
from bench.model import Limits
from bench.runs import worker_home
from bench.runs.process import Process
from bench.runs.sampler import Sampler
from tests.perf import table
from tests.perf.clock import Clock
from tests.perf.table import Measurement

_NAME = "html2text"
"""Small, so that its own import does not hide what is measured."""
_TIMES = 9
_PROMISED_MS = 50.0
_SEVERAL = ("docling", "markitdown", "newspaper4k", "newspaper3k", "readabilipy", "resiliparse")
"""They have packages in common; rows of all kinds take ten times as long."""
_OFFLINE = {"UV_OFFLINE": "1", "npm_config_offline": "true"}
_PROMISED_SHARE = 0.9
"""Of the time that they take one after the other, each of which compiles on all cores already."""


def measure() -> list[Measurement]:
    """Start workers in the main environment and in one of their own, taking turns."""
    (main,) = registry.rows([_NAME])
    if not main.adapter.available or main.adapter.spec is None:
        return []
    try:
        cache.get(main.adapter.spec)
    except BuildFailed as error:
        print(f"environments are not measured: {error.reason}")
        return []
    (own,) = environments.prepared([main], isolate=True, build=False)
    pairs = [(_start_ms(main), _start_ms(own)) for _ in range(_TIMES)]
    here, there = map(statistics.median, zip(*pairs, strict=True))
    return [
        Measurement(
            f"{_NAME}: start of a worker in a warm environment of its own",
            f"{there:.0f} ms, in the main one {here:.0f} ms: {there - here:+.0f} ms",
            f"at most {_PROMISED_MS:.0f} ms more",
            there - here <= _PROMISED_MS,
        )
    ]


def measure_making(names: Sequence[str] = _SEVERAL) -> list[Measurement]:
    """Make environments from what lies in the installers' caches: one by one, and at once.

    Without names, those of all rows that need one. What cannot be made here is left out.
    """
    rows = registry.rows(names) if names else registry.all_rows()
    needed = [environments.spec_of(row, isolate=bool(names)) for row in rows]
    specs = [spec for spec in needed if spec is not None]
    built: dict[Spec, Environment | BuildFailed] = {}
    _times(lambda: built.update(cache.get_all(specs)), {})  # fills the caches
    made = [spec for spec in built if isinstance(built[spec], Environment)]
    one_by_one_s, one_by_one_cpu_s = _times(lambda: [cache.get(spec) for spec in made], _OFFLINE)
    at_once_s, at_once_cpu_s = _times(lambda: list(cache.get_all(made)), _OFFLINE)
    return [
        Measurement(
            f"{len(made)} environments made at once, from the installers' caches",
            f"{at_once_s:.1f} s ({at_once_cpu_s:.1f} s of CPU), one by one {one_by_one_s:.1f} s "
            f"({one_by_one_cpu_s:.1f} s): {at_once_s / one_by_one_s:.2f}",
            f"at most {_PROMISED_SHARE}",
            at_once_s / one_by_one_s <= _PROMISED_SHARE,
        )
    ]


def _times(make: Callable[[], object], environ: dict[str, str]) -> tuple[float, float]:
    """Return the seconds, and those of CPU, that something takes where no environment is."""
    with TemporaryDirectory() as home, patch.dict(os.environ, {**environ, "BENCH_HOME": home}):
        clock = Clock()
        make()
        return clock.wall_s, clock.cpu_s


def _start_ms(row: Row) -> float:
    """Milliseconds until a worker has loaded its extractor."""
    with Sampler(lambda _: None) as sampler:
        process = Process(row, Limits(), sampler, worker_home.run_token(Path(__file__)), None)
        try:
            phases = process.load()
        finally:
            process.kill()
    return (phases.start_s + phases.import_s + phases.load_s) * 1000


if __name__ == "__main__":
    table.show(measure_making(() if sys.argv[1:] == ["all"] else _SEVERAL))
