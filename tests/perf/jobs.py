"""Nine rows over AEB, scored and reported, by two workers against one.

``python -m tests.perf.jobs`` measures nothing else. What two processes gain on a machine is not 2:
the same rows are run by two bare processes against one in the same go.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.adapters import registry
from tests.perf import bare_loop, table
from tests.perf.clock import Clock
from tests.perf.table import Measurement

_ROWS = (
    "trafilatura", "readability", "justext", "boilerpy3", "inscriptis", "html_text", "html2text",
    "goose3", "xpath",
)  # fmt: skip
_MORE = 1.05
"""Of what two bare processes need, as a share of what one needs."""


def measure(aeb: Path) -> list[Measurement]:
    """Run with one job and with two, and bare loops in one process and in two."""
    rows = registry.rows(_ROWS)
    with tempfile.TemporaryDirectory(prefix="bench-perf-") as temporary:
        here = Path(temporary)
        environment = {**os.environ, "BENCH_HOME": str(here / "home")}

        def called_s(*words: str | Path) -> float:
            clock = Clock()
            subprocess.run(
                [sys.executable, "-m", "bench.cli.main", *words],
                cwd=here, env=environment, check=True, capture_output=True,
            )  # fmt: skip
            return clock.wall_s

        called_s("gold", "add", "aeb", "--from", aeb)
        bare_s, run_s = {}, {}
        for processes in (1, 2):
            clock = Clock()
            bare_loop.run(rows, "aeb", aeb, processes)
            bare_s[processes] = clock.wall_s
            run_s[processes] = called_s(
                "run", *_ROWS, "--gold", "aeb", "--jobs", str(processes), "--fresh", "--quiet"
            )
    gain, ratio = bare_s[1] / bare_s[2], run_s[2] / run_s[1]
    return [
        Measurement(
            f"{len(rows)} rows over AEB, scored and reported, 2 jobs against 1",
            f"{run_s[2]:.1f} s against {run_s[1]:.1f} s: {ratio:.2f}; bare loops in 2 processes "
            f"{bare_s[2]:.1f} s, in 1 {bare_s[1]:.1f} s",
            f"at most {_MORE} / their gain of {gain:.2f}: {_MORE / gain:.2f}",
            ratio <= _MORE / gain,
        )
    ]


if __name__ == "__main__":
    shared = Path(__file__).resolve().parents[2].parent / "shared" / "gold"
    table.show(measure(shared / "aeb"))
