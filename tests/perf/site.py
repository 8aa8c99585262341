"""The site of a large run: 35 rows on all of WCXB's pages, made of what real extractors returned."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

from bench.runs.store import runs
from bench.runs.store.journal import CellRecord, text_hash
from bench.runs.store.manifest import RowFacts, Status
from bench.runs.store.runs import RunFolder
from tests.perf.table import Measurement

_ROWS = 35
_REAL = (
    "xpath", "html_text", "boilerpy3", "justext", "readability", "trafilatura:fast", "inscriptis",
)  # fmt: skip
_WITHIN_S, _AGAIN_WITHIN_S, _LONG_AGAIN_WITHIN_S = 35.0, 8.0, 16.0
_START_BYTES = 1_000_000


def measure(wcxb: Path) -> Iterator[Measurement]:
    """Run a few quick extractors, multiply them, and write the site of 35 rows.

    Then that of 36 over it, twice: the new row's texts are of ordinary length, and the longest.
    """
    with tempfile.TemporaryDirectory(prefix="bench-site-") as folder:
        here = Path(folder)
        environment = {
            **os.environ,
            "BENCH_HOME": str(here / "home"),
            "PYTHONDONTWRITEBYTECODE": "",  # modules are compiled once, as where it is installed
        }

        def call(*words: str | Path) -> None:
            subprocess.run(
                [sys.executable, "-m", "bench.cli.main", *map(str, words)],
                cwd=here, env=environment, check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip

        def multiplied_and_scored(*added: RowFacts) -> RunFolder:
            large = multiplied(source, _ROWS, *added)
            # Scores and what the pages are like belong to scoring, and are kept from then on.
            call("leaderboard", large.id, "--results", here / "results")
            call("leaderboard", large.id, "--results", here / "results", "--by", "language")
            return large

        call("gold", "add", "wcxb", "--from", wcxb)
        call("run", *_REAL, "gold", "--gold", "wcxb", "--quiet", "--results", here / "results")
        source = runs.find(here / "results", None)
        lengths = source.cells("row", "text_chars").groupby("row")["text_chars"].mean()
        _, real = _rows(source)
        by_length = sorted(real, key=lambda row: lengths[row.key])
        ordinary, longest = by_length[len(real) // 2], by_length[-1]

        large, first = multiplied_and_scored(), here / "first"
        yield from written(large, here / "results", first, environment, "", _WITHIN_S)
        for row, promised_s in ((ordinary, _AGAIN_WITHIN_S), (longest, _LONG_AGAIN_WITHIN_S)):
            large, site = multiplied_and_scored(row), here / row.key
            shutil.copytree(first, site, copy_function=os.link)
            over = f", one of them new: {row.facts.name}, {lengths[row.key]:,.0f} characters a page"
            yield from written(large, here / "results", site, environment, over, promised_s)


def written(
    run: RunFolder,
    results: Path,
    site: Path,
    environment: dict[str, str],
    over: str,
    promised_s: float,
) -> Iterator[Measurement]:
    """Write the site of a run through the command line; ``over`` says over which there is."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    words = ["report", run.id, "--results", str(results), "--output", str(site)]
    subprocess.run(
        [sys.executable, "-m", "bench.cli.main", *words],
        env=environment, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    took = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    start = (site / "index.html").stat().st_size
    files = [path.stat().st_size for path in site.rglob("*") if path.is_file()]
    cells = run.cells("row", "page")
    yield Measurement(
        f"site of {cells['row'].nunique()} rows × {cells['page'].nunique():,} pages{over}",
        f"{took:.0f} s ({cpu:.0f} s of CPU), {len(files):,} files, {sum(files) / 1e6:.0f} MB",
        f"under {promised_s:.0f} s",
        took < promised_s,
    )
    yield Measurement(
        "its start page",
        f"{start / 1e6:.2f} MB",
        f"under {_START_BYTES / 1e6:.0f} MB",
        start < _START_BYTES,
    )


def _rows(source: RunFolder) -> tuple[list[RowFacts], list[RowFacts]]:
    """Return the controls and the others of a run's rows."""
    there = [row for row in source.manifest.rows if row.available]
    control = [row for row in there if row.facts.kind == "control"]
    return control, [row for row in there if row not in control]


def multiplied(source: RunFolder, rows: int, *added: RowFacts) -> RunFolder:
    """Return a run with this many rows: the source's, again and again, each time a bit different.

    And one more of each of its rows ``added``.
    """
    manifest = source.manifest
    control, real = _rows(source)
    large = runs.create(source.path.parent, f"{manifest.gold.name}-large")
    facts = [*control]
    copies = []
    wanted = [*islice(cycle(real), rows - len(control)), *added]
    for at, row in enumerate(wanted):
        key = f"{row.key[:16]}{at:04d}"
        facts.append(replace(row, key=key, variant=f"v{at}", label=f"{row.facts.name}:v{at}"))
        copies.append((row.key, key, wanted[:at].count(row)))
    large.write_manifest(replace(manifest, id=large.id, rows=facts, status=Status.RUNNING))
    for row in control:
        _copy(source, large, row.key, row.key, 0)
    for old, new, again in copies:
        _copy(source, large, old, new, again)
    pages = {str(page): at for at, page in enumerate(sorted(set(source.cells()["page"])))}
    large.fold(large.manifest, pages)
    return large


def _copy(source: RunFolder, large: RunFolder, old: str, new: str, again: int) -> None:
    with large.journal(new) as journal:
        for record in _altered(source, old, again):
            journal.append({**record, "row": new})


def _altered(source: RunFolder, row: str, again: int) -> Iterator[CellRecord]:
    """Yield a row's cells; of every 400 words of a later copy one is left out, each time another."""
    for record in source.records(row):
        if record["repeat"]:
            continue
        if again and record["text"]:
            words = record["text"].split(" ")
            text = " ".join(word for at, word in enumerate(words) if at % 400 != again * 40 % 400)
            record.update(text=text, text_hash=text_hash(text), text_chars=len(text))
        yield record
