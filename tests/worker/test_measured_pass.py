"""Measured passes, contended ones and pinned ones: what is on disk, what is shown, what is refused."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bench.runs.store import runs
from bench.runs.store.runs import RunFolder
from tests.conftest import PAGES, BenchCli, FolderGold

NAMES = ("alpha", "beta", "gamma")
REPEATS = 3
# Adapters say when they were called: the kernel's monotonic clock is one for all processes.
ADAPTER = '''"""{name}: written for a test."""

import json
import os
import time

from bench.extractor import Extractor


class It(Extractor):
    """Says when and where it was called."""

    name = "{name}"

    def extract(self, html, url):
        at = time.monotonic_ns()
        time.sleep(0.002)
        cpus = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        return json.dumps({{"at": at, "cpus": cpus, "pid": os.getpid()}})
'''
PHASES = ("start-up", "import", "load", "warm-up", "hand-over", "decode", "extract", "untracked")
Told = dict[str, Any]
needs_affinity = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="this system cannot bind a process to a CPU"
)


@dataclass
class Ran:
    """A finished run: its leaderboard, its folder, and what the command said."""

    board: Told
    folder: RunFolder
    stderr: str

    @property
    def cells(self) -> pd.DataFrame:
        """Every cell and repeat, with what its text tells."""
        table = self.folder.cells()
        texts = self.folder.texts(table["text_hash"])
        told = [json.loads(texts[each]) for each in table["text_hash"]]
        return table.assign(**{name: [each[name] for each in told] for name in told[0]})

    @property
    def extractors(self) -> dict[str, Told]:
        return {each["name"]: each for each in self.board["extractors"]}


RunIt = Callable[..., Ran]


@pytest.fixture
def run_it(bench_cli: BenchCli, folder_gold: FolderGold, checkout: Path, tmp_path: Path) -> RunIt:
    """Return a function that runs the three adapters over three pages."""
    gold = folder_gold()
    for name in NAMES:
        text = ADAPTER.format(name=name)
        (checkout / "extractors" / f"{name}.py").write_text(text, encoding="utf-8")

    def run(*words: str) -> Ran:
        done = bench_cli(
            *("run", *NAMES, "--gold", f"folder:{gold}", "--json", "--quiet", *words),
            checkout=checkout,
        )
        assert done.returncode == 0, done.stderr
        board = json.loads(done.stdout)
        return Ran(board, runs.find(tmp_path / "here" / "results", board["run"]), done.stderr)

    return run


# -- repeats ---------------------------------------------------------------------------------


def test_repeats_take_turns_and_are_summed_up(run_it: RunIt) -> None:
    ran = run_it("--repeat", str(REPEATS))
    cells = ran.cells
    names = dict(zip(cells["row"], cells["extractor"], strict=True))

    # Every cell three times, each of its own, by one worker for each row.
    assert sorted(cells[["extractor", "page", "repeat"]].itertuples(index=False, name=None)) == [
        (name, page, repeat)
        for name in NAMES
        for page in sorted(PAGES)
        for repeat in range(REPEATS)
    ]
    assert cells["at"].is_unique
    assert cells.groupby("extractor")["pid"].nunique().eq(1).all()
    assert set(cells["carried_from"]) == {""}

    # Page by page all rows, then the pages again: no two rows ever work at one time.
    in_order = cells.sort_values("at")
    assert list(zip(in_order["repeat"], in_order["page"], strict=True)) == [
        (repeat, page) for repeat in range(REPEATS) for page in sorted(PAGES) for _ in NAMES
    ]
    for _, turn in cells.groupby(["repeat", "page"]):
        assert set(turn["extractor"]) == set(NAMES)
    begins = in_order["at"].to_numpy() / 1e9
    ends = begins + in_order["wall_s"].to_numpy()
    assert (ends[:-1] < begins[1:] + 0.001).all()

    # Medians over repeats, then along pages; the spread beside them.
    assert ran.board["timings_ranked"] is True
    assert set(ran.extractors) == set(NAMES)
    for key, own in cells.groupby("row"):
        line = ran.extractors[names[key]]
        medians = own.groupby("page")["wall_s"].median()
        assert line["wall_s"] == pytest.approx(medians.sum())
        assert line["ms_per_page"] == pytest.approx(statistics.median(medians) * 1000)
        by_page = own.groupby("page")["wall_s"]
        spread = ((by_page.max() - by_page.min()) / by_page.median()).median() * 100
        assert line["spread_percent"] == pytest.approx(spread)
        assert line["spread_percent"] > 0
        # One repeat is scored, and counted.
        assert line["outcomes"]["ok"] == len(PAGES)

    # One warm-up, not one for each repeat.
    for row in ran.folder.manifest.rows:
        (start,) = row.starts
        assert start.warm_up_s > 0


def test_one_pass_has_no_spread_and_runs_row_by_row(run_it: RunIt) -> None:
    ran = run_it()
    assert set(ran.cells["repeat"]) == {0}
    assert {line["spread_percent"] for line in ran.extractors.values()} == {None}
    order = list(ran.cells.sort_values("at")["extractor"])
    assert order == [name for name in NAMES for _ in PAGES]
    assert ran.board["timings_ranked"] is True


# -- jobs ------------------------------------------------------------------------------------


def test_contended_timings_are_marked_with_a_remedy(
    run_it: RunIt, bench_cli: BenchCli, tmp_path: Path
) -> None:
    ran = run_it("--jobs", "2")
    assert len(ran.cells) == len(NAMES) * len(PAGES)
    assert ran.board["timings_ranked"] is False
    assert ran.folder.manifest.conditions.jobs == 2
    (warning,) = (each for each in ran.board["warnings"] if "contended" in each)
    assert "without --jobs" in warning
    # People see it too, wherever they look.
    report = tmp_path / "here" / "reports" / "folder-pages" / "leaderboard.md"
    assert "contended" in report.read_text(encoding="utf-8")
    assert "contended" in bench_cli("runs", "show").stdout


def test_the_row_that_took_longest_is_not_left_for_the_end(run_it: RunIt) -> None:
    folder = run_it().folder
    manifest = folder.manifest
    manifest.rows[-1].busy_s = 100.0
    folder.write_manifest(manifest)
    started = run_it("--jobs", "2", "--fresh").cells.groupby("extractor")["at"].min()
    assert manifest.rows[-1].label == "gamma" != started.idxmax()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--repeat", "2", "--jobs", "2"), "leave out --jobs"),
        (("--repeat", "0"), "--repeat"),
        (("--jobs", "0"), "--jobs"),
        (("--jobs", "two"), "--jobs"),
        (("--pin", "-1"), "--pin"),
        (("--pin", "4096"), "--pin"),
        (("--pin", "99999999999999999999"), "--pin"),
    ],
)
def test_what_makes_no_sense_is_refused(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = bench_cli("run", "xpath", "--gold", f"folder:{folder_gold()}", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "here" / "results").exists(), "nothing was begun"


# -- pin -------------------------------------------------------------------------------------


@needs_affinity
@pytest.mark.parametrize("more", [(), ("--repeat", "2")])
def test_pinned_workers_stay_on_their_cpu(run_it: RunIt, more: tuple[str, ...]) -> None:
    cpu = max(os.sched_getaffinity(0))
    pinned = run_it("--pin", str(cpu), *more)
    assert {tuple(each) for each in pinned.cells["cpus"]} == {(cpu,)}
    assert pinned.folder.manifest.conditions.pin == cpu


@needs_affinity
def test_pinned_and_free_runs_are_not_the_same(run_it: RunIt) -> None:
    free = run_it()
    cpus = tuple(sorted(os.sched_getaffinity(0)))
    assert {tuple(each) for each in free.cells["cpus"]} == {cpus}
    assert free.folder.manifest.conditions.pin is None
    pinned = run_it("--pin", str(cpus[0]))
    assert pinned.folder.id != free.folder.id
    assert set(pinned.cells["carried_from"]) == {""}, "conditions differ"


# -- what is kept and shown ------------------------------------------------------------------


def test_the_manifest_says_everything(run_it: RunIt) -> None:
    manifest = run_it().folder.manifest
    machine = manifest.machine
    assert machine.cpu
    assert machine.threads >= machine.cores >= 1
    assert machine.memory_bytes > 64 << 20
    assert platform.system() in machine.os
    assert machine.python == platform.python_version()

    assert manifest.status == "finished"
    assert manifest.started <= manifest.finished
    assert all(load >= 0 for load in manifest.load)
    assert len(manifest.load) == 2, "at start and end"
    assert len(manifest.frequency_mhz) == 2
    assert len(manifest.commit.revision) in (0, 40)
    assert manifest.bench_version
    assert len(manifest.gold.fingerprint) == 64
    assert manifest.gold.pages == len(PAGES)
    assert any(each.startswith("lxml==") for each in manifest.packages)
    assert manifest.packages == sorted(manifest.packages)
    assert set(vars(manifest.conditions)) == {
        "page_s",
        "memory_bytes",
        "interleaved",
        "jobs",
        "pin",
        "decode",
    }
    assert manifest.network, "which way workers were kept off it"
    (sampler,) = manifest.sampler
    assert sampler.late_mean_s <= sampler.late_max_s
    assert sampler.rounds > 0
    assert isinstance(manifest.warnings, list)

    assert [row.facts.name for row in manifest.rows] == list(NAMES)
    for row in manifest.rows:
        assert row.settings == {}
        assert row.source_hash
        assert row.available is True
        assert row.busy_s > 0
        (start,) = row.starts
        assert start.python.split()[0].startswith(platform.python_version())
        for phase in ("start_s", "import_s", "load_s", "warm_up_s"):
            assert getattr(start, phase) >= 0, phase
        assert start.rss_bytes is None or start.rss_bytes > 1 << 20


def test_runs_show_has_machine_and_phases(run_it: RunIt, bench_cli: BenchCli) -> None:
    ran = run_it("--repeat", "2")
    manifest = ran.folder.manifest
    done = bench_cli("runs", "show", ran.folder.id)
    assert done.returncode == 0, done.stderr
    words = " ".join(done.stdout.split())
    for fact in (
        ran.folder.id,
        f"{len(PAGES)} pages",
        manifest.gold.fingerprint,
        " ".join(manifest.machine.cpu.split()),
        f"{manifest.machine.threads} threads",
        manifest.machine.python,
        "2 repeats",
        f"{manifest.sampler[0].rounds} rounds",
        manifest.bench_version,
        *PHASES,
    ):
        assert fact in words, fact
    # For each row its phases, which make up the time that it took.
    lines = done.stdout.splitlines()
    busy_s = {row.label: row.busy_s for row in manifest.rows}
    shown = {line.split()[0]: line.split()[1:] for line in lines if line.split()[:1]}
    for label, whole_s in busy_s.items():
        values = [float(each) for each in shown[label]]
        assert len(values) == len(PHASES)
        assert sum(values) == pytest.approx(whole_s, abs=0.005 * len(PHASES) + 0.01)
    assert max(map(len, lines)) <= 100
    as_json = bench_cli("runs", "show", ran.folder.id, "--json")
    assert json.loads(as_json.stdout)["machine"] == vars(manifest.machine)
    (brief,) = json.loads(bench_cli("runs", "--json").stdout)
    assert brief["id"] == ran.folder.id
    assert brief["repeats"] == 2
