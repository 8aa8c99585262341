"""Shards on two dask workers of this machine against two bare loops, and what the client needs.

``python -m tests.perf.cluster [COPIES [ROW…]]`` measures nothing else; 12 copies of AEB and WCXB, with
ids of their own, are 20,136 pages.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.datasets import catalogue, readers
from bench.datasets.readers.base import Reader
from bench.runs import cluster
from bench.runs.cluster import Preparation, Wanted
from bench.runs.plan import Plan
from bench.runs.shards import Shard
from tests.perf import bare_loop, table
from tests.perf.clock import Clock
from tests.perf.table import Measurement

_ROWS = ("html_text", "inscriptis", "xpath")
"""Quick ones with long texts, on which the harness weighs most."""
_GAIN = 0.9
_OVERHEAD = 0.05
_PLANNED_S = 10.0
_FEW, _MANY = 200, 20_000
_MORE_MIB = 60
_TRIVIAL = ("nothing", "everything", "xpath", "html_text", "inscriptis")
_CLIENT = """
import contextlib, sys
from bench.cli import main
from tests.perf.memory import peak_bytes
with contextlib.suppress(SystemExit):
    main.main()
print(peak_bytes(), file=sys.stderr)
"""


def measure(
    aeb: Path, wcxb: Path, copies: int = 1, names: Sequence[str] = _ROWS
) -> list[Measurement]:
    """Compare ``copies`` of both data sets, once; memory with few cells and with many."""
    if not (wcxb / "dev" / "ground-truth").is_dir():
        return []
    with tempfile.TemporaryDirectory(prefix="bench-perf-") as temporary:
        here = Path(temporary)
        pages = copied(here / "pages", copies, *(_open(name, root) for name, root in
                       (("aeb", aeb), ("wcxb", wcxb))))  # fmt: skip
        return _against_bare_loops(registry.rows(names), pages, here)


def measure_planning() -> list[Measurement]:
    """Plan 100,000 cells, and take the client's peak with 1,000 and with 100,000 cells."""
    with tempfile.TemporaryDirectory(prefix="bench-perf-") as temporary:
        here = Path(temporary)
        few, many = (small(here / str(count), count) for count in (_FEW, _MANY))
        began = time.perf_counter()
        plan = Plan(registry.rows(_TRIVIAL), catalogue.open_gold(f"folder:{many}"))
        shards = [Shard(number, 40).pages(plan.pages) for number in range(1, 41)]
        assert plan.key
        planned_s = time.perf_counter() - began
        peaks = [_client_peak(pages, here) for pages in (few, many)]
    more_mib = (peaks[1] - peaks[0]) / 2**20
    return [
        Measurement(
            f"{plan.cells:,} cells planned in {len(shards)} shards, every page read and hashed",
            f"{planned_s:.1f} s",
            f"under {_PLANNED_S:.0f} s",
            planned_s < _PLANNED_S,
        ),
        Measurement(
            f"client's peak, {_MANY * len(_TRIVIAL):,} cells against {_FEW * len(_TRIVIAL):,}",
            f"{peaks[1] / 2**20:.0f} MiB against {peaks[0] / 2**20:.0f}: {more_mib:+.0f} MiB",
            f"at most {_MORE_MIB} MiB more",
            more_mib <= _MORE_MIB,
        ),
    ]


def _open(layout: str, root: Path) -> Reader:
    return readers.open_folder(layout, root)


def copied(folder: Path, copies: int, *data_sets: Reader) -> Path:
    """Write all pages of some data sets, several times under different ids."""
    folder.mkdir()
    for at, reader in enumerate(data_sets):
        for page_id in reader.ids:
            item = reader.read(page_id)
            first = folder / f"{at}-0-{page_id}"
            first.with_name(f"{first.name}.html.gz").write_bytes(gzip.compress(item.page.html, 1))
            first.with_name(f"{first.name}.txt").write_text(item.gold.text or "-", "utf-8")
            for copy in range(1, copies):
                for suffix in (".html.gz", ".txt"):
                    name = folder / f"{at}-{copy}-{page_id}{suffix}"
                    os.link(folder / f"{first.name}{suffix}", name)
    return folder


def small(folder: Path, pages: int) -> Path:
    """Write small pages, each with a text of its own."""
    folder.mkdir()
    for number in range(pages):
        text = f"What page {number} says, and no other page says it."
        (folder / f"p{number:06}.html").write_text(f"<html><body><p>{text}</p></body></html>")
        (folder / f"p{number:06}.txt").write_text(text)
    return folder


def _against_bare_loops(rows: Sequence[Row], pages: Path, here: Path) -> list[Measurement]:
    count = len(_open("folder", pages).ids)
    clock = Clock()
    looped_s = bare_loop.run(rows, "folder", pages, 2)
    bare_s, bare_cpu_s = clock.wall_s, clock.cpu_s
    plan = Plan(rows, catalogue.open_gold(f"folder:{pages}"))
    assert plan.key
    clock = Clock()
    # Bare loops throw texts away and score nothing.
    run = cluster.carry_out(plan, here / "results", "local:2", Preparation(), Wanted(texts=False))
    ours_s, ours_cpu_s = clock.wall_s, clock.cpu_s
    what = f"{', '.join(row.label for row in rows)} × {count:,} pages on local:2"
    over = ours_cpu_s / bare_cpu_s - 1
    return [
        Measurement(
            f"{what}: gain against that of two bare loops",
            f"{bare_s / ours_s:.2f} ({ours_s:.0f} s in {len(run.manifest.shards)} shards, bare "
            f"{bare_s:.0f} s, loops alone {max(looped_s):.0f} s)",
            f"at least {_GAIN}",
            bare_s / ours_s >= _GAIN,
        ),
        Measurement(
            f"{what}: CPU time over that of two bare loops",
            f"{over:+.1%} ({ours_cpu_s:.0f} s, bare {bare_cpu_s:.0f} s)",
            f"at most {_OVERHEAD:.0%}",
            over <= _OVERHEAD,
        ),
    ]


def _client_peak(pages: Path, here: Path) -> int:
    results = here / f"results-{pages.name}"
    done = subprocess.run(
        [sys.executable, "-c", _CLIENT, "run", *_TRIVIAL, "--gold", f"folder:{pages}",
         "--cluster", "local:2", "--quiet", "--json", "--results", str(results),
         "--reports", str(here / "reports")],
        env={**os.environ, "BENCH_HOME": str(here / "home")}, check=True, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    return int(done.stderr.splitlines()[-1])


def main(copies: str = "12", *names: str) -> None:
    """Measure at full size."""
    shared = Path(__file__).resolve().parents[2].parent / "shared" / "gold"
    table.show(measure(shared / "aeb", shared / "wcxb", int(copies), names or _ROWS))


if __name__ == "__main__":
    main(*sys.argv[1:])
