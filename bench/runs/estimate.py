"""What a run will take, as far as can be told before it: environments, their size, time."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.adapters.adapter import Row
from bench.adapters.environments.cache import PARALLEL
from bench.runs.store import runs
from bench.util import paths

SIZES = "environments.json"
"""Beside the extractors: size and time of each one's environment, when it was last made."""
_USUAL = (100.0, 20.0)
"""Megabytes and seconds of an environment, where none are known."""
_PAGE_S = 0.1
"""Of an extractor that no run here has timed, where none was timed."""


@dataclass(frozen=True)
class Estimate:
    """What a run will take."""

    rows: int
    cells: int
    run_s: float
    environments: int
    build_bytes: int
    build_s: float


def estimate(
    rows: Sequence[Row],
    pages: int,
    missing: Sequence[str],
    results: Path,
    *,
    repeats: int = 1,
    jobs: int = 1,
) -> Estimate:
    """Return what ``rows`` will take; ``missing`` are the extractors whose environments are not made.

    Times are those of earlier runs in ``results``, of a row that none has the median of the others;
    sizes those that ship with the extractors.
    """
    timed = seconds_by_label(results)
    usual = median(timed.values()) if timed else _PAGE_S
    of_rows = [timed.get(row.label, usual) for row in rows]
    sizes = _sizes()
    built = [sizes.get(name, _USUAL) for name in missing]
    return Estimate(
        rows=len(rows),
        cells=len(rows) * pages * repeats,
        run_s=sum(of_rows) * pages * repeats / max(1, min(jobs, len(rows))),
        environments=len(missing),
        build_bytes=int(sum(mb for mb, _ in built) * 1e6),
        build_s=sum(seconds for _, seconds in built) / PARALLEL,
    )


def seconds_by_label(results: Path) -> Mapping[str, float]:
    """Return the time that a page took each row in the newest run that has it."""
    seconds: dict[str, float] = {}
    for run in runs.all_runs(results):
        manifest = run.manifest
        cells = manifest.gold.pages * manifest.repeats
        for row in manifest.rows:
            if run.finished and row.busy_s and cells:
                seconds.setdefault(row.label, row.busy_s / cells)
    return seconds


def _sizes() -> Mapping[str, tuple[float, float]]:
    """Return megabytes and seconds of each extractor's environment, by name."""
    path = paths.bundled("extractors") / SIZES
    facts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {
        name: (environment["mb"], environment["seconds"]) for name, environment in facts.items()
    }
