"""Figures at scale: what is lost at deadlines, failures with their interval, memory."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

import bench
from bench.runs.store import runs, tables
from bench.stats.proportion import exact_interval
from tests.conftest import BenchCli


@pytest.mark.parametrize(("count", "of"), [(0, 10), (1, 20), (5, 5), (3, 1000), (400, 1000)])
def test_beyond_an_exact_interval_the_count_is_too_unlikely(count: int, of: int) -> None:
    def chance(counts: range, share: float) -> float:
        return sum(math.comb(of, n) * share**n * (1 - share) ** (of - n) for n in counts)

    lo, hi = exact_interval(count, of)
    assert lo == 0.0 if count == 0 else chance(range(count, of + 1), lo) == pytest.approx(0.025)
    assert hi == 1.0 if count == of else chance(range(count + 1), hi) == pytest.approx(0.025)


@pytest.fixture
def here(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished run in which times, outcomes and sizes are known."""
    here = shutil.copytree(finished, tmp_path / "here", dirs_exist_ok=True)
    run = runs.find(here / "results", None)
    table = tables.read(run.path / "cells.parquet", tables.CELLS)
    cells = table.to_pandas().sort_values(["row", "page"], ignore_index=True)
    labels = {row.key: row.label for row in run.manifest.rows}
    xpath = cells["row"].map(labels) == "xpath"
    cells.loc[xpath, "wall_s"] = [0.05, 0.7, 30.0]
    cells.loc[xpath, "decode_s"] = [0.06, 0.0, 0.0]
    cells.loc[xpath, "cpu_s"] = [0.05, 0.7, 30.0]
    cells.loc[xpath, "outcome"] = ["ok", "ok", "timeout"]
    cells.loc[xpath, "rss_peak_bytes"] = [1 << 20, 2 << 20, 3 << 20]

    part = pa.Table.from_pandas(cells, tables.CELLS, preserve_index=False)
    tables.write_parts(run.path / "cells.parquet", tables.CELLS, [part])
    shutil.rmtree(run.path / "scores", ignore_errors=True)
    return here


def test_what_is_lost_at_each_deadline(here: Path) -> None:
    scale = bench.open_run(results=here / "results").at_scale(deadline_s=0.5, price=2.0)
    (xpath,) = (each for each in scale.lines if each.label == "xpath")
    # Decoding counts; a timeout is lost at any deadline, and so is the second page at 0.1 s.
    assert xpath.lost == {0.1: 1.0, 1.0: 1 / 3, 5.0: 1 / 3, 30.0: 1 / 3}
    assert xpath.failures.value == pytest.approx(1e6 / 3)
    assert xpath.failures.lo < 1e6 / 3 < xpath.failures.hi
    assert (xpath.memory_bytes[0.5], xpath.memory_bytes[1.0]) == (2 << 20, 3 << 20)
    assert xpath.core_hours == pytest.approx((0.05 + 0.7) / 2 * 1e6 / 3600)
    assert xpath.core_hours_at_deadline == pytest.approx((0.05 + 0.5 + 0.5) / 3 * 1e6 / 3600)
    facts = xpath.to_json(scale.price)
    assert facts["cost_per_million"] == pytest.approx(2 * facts["core_hours"])


def test_quality_at_a_deadline_counts_late_pages_as_lost(here: Path) -> None:
    run = bench.open_run(results=here / "results")
    by_page = run.scores()
    own = by_page[by_page["label"] == "xpath"].set_index("page")["f1"].fillna(0.0)
    for deadline_s, in_time in ((0.05, 0), (0.5, 1), (5.0, 2)):
        scale = run.at_scale(deadline_s=deadline_s)
        (xpath,) = (each for each in scale.lines if each.label == "xpath")
        assert xpath.at_deadline is not None
        assert xpath.at_deadline.value == pytest.approx(own.iloc[:in_time].sum() / 3)
        board = scale.board_at_deadline
        (line,) = (each for each in board.lines if each.label == "xpath")
        assert line.figures[board.metric.main] == xpath.at_deadline
        assert board.metric.main == "page_f1"


def test_an_impatient_run_does_not_tell_of_longer_deadlines(here: Path) -> None:
    run = runs.find(here / "results", None)
    manifest = run.manifest
    object.__setattr__(manifest.conditions, "page_s", 1.0)
    run.write_manifest(manifest)
    scale = bench.open_run(results=here / "results").at_scale()
    by_label = {each.label: each.lost for each in scale.lines}
    assert by_label["xpath"] == {0.1: 1.0, 1.0: 1 / 3, 5.0: None, 30.0: None}
    assert by_label["html_text"][30.0] == 0.0  # it had no timeout


def test_the_command_shows_a_table_or_json(bench_cli: BenchCli, here: Path) -> None:
    done = bench_cli("leaderboard", "--scale", cwd=here)
    assert done.returncode == 0, done.stderr
    assert "At scale, from 3 pages of folder:pages" in done.stdout
    facts = json.loads(bench_cli("leaderboard", "--scale", "--json", cwd=here).stdout)
    assert {line["label"] for line in facts["extractors"]} == {
        "xpath",
        "html_text",
        "nothing",
        "gold",
    }
    assert facts["figure_at_deadline"] == "page_f1"
    both = bench_cli("leaderboard", "--scale", "--by", "length", cwd=here)
    assert (both.returncode, "ask for one at a time" in both.stderr) == (2, True)


def test_pages_without_gold_have_all_but_quality(bench_cli: BenchCli, tmp_path: Path) -> None:
    pages = tmp_path / "without"
    pages.mkdir()
    for name in ("a", "b"):
        (pages / f"{name}.html").write_text(f"<p>Page {name}.</p>", encoding="utf-8")
    ran = bench_cli("run", "xpath", "--gold", f"folder:{pages}", "--quiet")
    assert ran.returncode == 0, ran.stderr
    facts = json.loads(bench_cli("leaderboard", "--scale", "--json").stdout)
    assert (facts["figure_at_deadline"], facts["extractors"][0]["at_deadline"]) == (None, None)
    assert facts["extractors"][0]["lost"]["30.0"] == 0.0
    assert "page F1" not in bench_cli("leaderboard", "--scale").stdout
