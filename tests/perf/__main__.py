"""``python -m tests.perf [PART…]``: measure what the harness promises about its own cost.

Parts are those of ``PARTS``; each table is shown as soon as its part is measured.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from tests.perf import (
    cluster,
    dorosz,
    environments,
    jobs,
    memory,
    metrics,
    runner,
    scorer,
    site,
    stats,
    table,
    walls,
)
from tests.perf.table import Measurement

GOLD = Path(__file__).resolve().parents[2].parent / "shared" / "gold"
AEB, WCXB = GOLD / "aeb", GOLD / "wcxb"

PARTS: dict[str, Callable[[], Iterable[Measurement]]] = {
    "stats": stats.measure,
    "scorer": partial(scorer.measure, AEB),
    "metrics": partial(metrics.measure, AEB),
    "dorosz": partial(dorosz.measure, AEB),
    "runner": partial(runner.measure, AEB),
    "jobs": partial(jobs.measure, AEB),
    "environments": lambda: environments.measure() + environments.measure_making(),
    "walls": walls.measure,
    "memory": partial(memory.measure, AEB, WCXB),
    "cluster": lambda: cluster.measure(AEB, WCXB) + cluster.measure_planning(),
    "site": partial(site.measure, WCXB),
}


def main(*names: str) -> int:
    """Print a table for each part; status 1 if a promise is broken."""
    if not AEB.is_dir():
        print(f"no AEB pages in {AEB}: nothing to measure on")
        return 0
    if unknown := set(names) - PARTS.keys():
        print(f"no part is called {', '.join(unknown)}; fix: one of {', '.join(PARTS)}")
        return 2
    kept = True
    for name in names or PARTS:
        measurements = list(PARTS[name]())
        table.show(measurements)
        kept = kept and all(measurement.kept for measurement in measurements)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
