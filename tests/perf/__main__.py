"""``python -m tests.perf``: measure everything that the harness promises about its own cost."""

from __future__ import annotations

import sys
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

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def main() -> int:
    """Print one table; status 1 if a promise is broken."""
    aeb = SHARED / "gold" / "aeb"
    if not aeb.is_dir():
        print(f"no AEB pages in {aeb}: nothing to measure on")
        return 0
    found = [
        *stats.measure(),
        *scorer.measure(aeb),
        *metrics.measure(aeb),
        *dorosz.measure(aeb),
        *runner.measure(aeb),
        *jobs.measure(aeb),
        *environments.measure(),
        *environments.measure_making(),
        *walls.measure(),
        *memory.measure(aeb, SHARED / "gold" / "wcxb"),
        *cluster.measure(aeb, SHARED / "gold" / "wcxb"),
        *cluster.measure_planning(),
        *site.measure(SHARED / "gold" / "wcxb"),
    ]
    table.show(found)
    return 0 if all(each.kept for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
