"""What a run adds to a bare loop, and what the parent needs, on real pages."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.datasets import readers
from bench.datasets.card import Card
from bench.datasets.catalogue import DataSet
from bench.runs import new_run, runner
from bench.runs.plan import Plan
from tests import rogues
from tests.perf.table import Measurement

_TIMES = 3


def measure(aeb: Path) -> list[Measurement]:
    """Compare runs with bare loops, taking turns, medians of a few."""
    found = []
    for name in ("trafilatura", "xpath"):
        row = registry.rows([name])[0]
        data_set = DataSet(Card("aeb", "AEB", "", "aeb"), readers.open_folder("aeb", aeb))
        pages = len(data_set)
        pairs = [(_bare(row, aeb), _run(row, data_set)) for _ in range(_TIMES)]
        bare_s = statistics.median(bare for bare, _ in pairs)
        run_s = statistics.median(run for _, run in pairs)
        added_ms = (run_s - bare_s) * 1000 / pages
        share = (run_s - bare_s) / bare_s
        if name == "xpath":
            promised, kept = "at most 0.4 ms a page", added_ms <= 0.4
        else:
            promised, kept = "at most 2 %", share <= 0.02
        found.append(
            Measurement(
                f"{name}: {pages} pages in a run against a bare loop",
                f"{run_s:.2f} s, bare {bare_s:.2f} s: {share * 100:+.1f} %, "
                f"{added_ms:+.2f} ms a page",
                promised,
                kept,
            )
        )
    return found


def _bare(row: Row, aeb: Path) -> float:
    done = subprocess.run(
        [sys.executable, "-m", "tests.perf.bare_loop", str(row.adapter.path), row.adapter.name,
         "aeb", str(aeb)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return float(json.loads(done.stdout)[1])


def _run(row: Row, data_set: DataSet) -> float:
    """Seconds from the first page to the last cell on disk: the worker's start is told apart."""
    plan = Plan(rows=[row], data_set=data_set)
    clock = _Clock()
    with tempfile.TemporaryDirectory() as results:
        folder = new_run.start(plan, Path(results), reuse=False)
        runner.execute(plan, folder, clock)
        (start,) = folder.manifest.rows[0].starts
    return clock.last - clock.first - start.total_s


class _Clock(rogues.Silent):
    first = last = 0.0

    def row_started(self, row: Row) -> None:
        """The worker is about to start."""
        self.first = time.perf_counter()

    def cell_done(self, row: Row, page_id: str) -> None:
        """A cell is on disk."""
        self.last = time.perf_counter()
