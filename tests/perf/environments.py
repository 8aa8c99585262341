"""What an environment of its own adds to a worker's start, once it is there."""

from __future__ import annotations

import statistics
from pathlib import Path

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.adapters.environments import assign as environments
from bench.adapters.environments import cache
from bench.adapters.environments.build import BuildFailed
from bench.model import Limits
from bench.runs import worker_home
from bench.runs.process import Process
from bench.runs.sampler import Sampler
from tests.perf.table import Measurement

_NAME = "html2text"
"""Small, so that its own import does not hide what is measured."""
_TIMES = 9
_PROMISED_MS = 50.0


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
    here = statistics.median(each for each, _ in pairs)
    there = statistics.median(each for _, each in pairs)
    return [
        Measurement(
            f"{_NAME}: start of a worker in a warm environment of its own",
            f"{there:.0f} ms, in the main one {here:.0f} ms: {there - here:+.0f} ms",
            f"at most {_PROMISED_MS:.0f} ms more",
            there - here <= _PROMISED_MS,
        )
    ]


def _start_ms(row: Row) -> float:
    """Milliseconds until a worker has loaded its extractor."""
    with Sampler(lambda _: None) as sampler:
        process = Process(row, Limits(), sampler, worker_home.run_token(Path(__file__)), None)
        try:
            phases = process.load()
        finally:
            process.kill()
    return (phases.start_s + phases.import_s + phases.load_s) * 1000
