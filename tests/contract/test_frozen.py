"""Results folders and baselines of every schema so far, as benches of that time wrote them.

Each folder below ``tests/frozen`` has three pages with gold, a finished run of two extractors over
them, one that was interrupted after four of six cells, and a baseline.
"""

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

from bench.runs.store import runs
from bench.runs.store.manifest import Status
from tests.conftest import BenchCli

FROZEN = Path(__file__).parents[1] / "frozen"
FINISHED, INTERRUPTED = "20260101T120000-folder-pages", "20260101T130000-folder-pages"


class Old(NamedTuple):
    """A copy of what an old bench left."""

    path: Path
    results: Path
    board: Any
    """The leaderboard that it wrote."""


@pytest.fixture(params=sorted(path.name for path in FROZEN.iterdir()))
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Old:
    path = shutil.copytree(FROZEN / request.param, tmp_path / "old")
    for file in path.glob("results/*/manifest.json"):
        manifest = json.loads(file.read_text(encoding="utf-8"))
        manifest["gold"]["root"] = str(path / "pages")
        file.write_text(json.dumps(manifest), encoding="utf-8")
    board = json.loads((path / "results" / FINISHED / "leaderboard.json").read_text("utf-8"))
    return Old(path, path / "results", board)


def test_both_runs_are_read(old: Old) -> None:
    finished, interrupted = runs.find(old.results, FINISHED), runs.find(old.results, INTERRUPTED)
    assert (finished.finished, interrupted.manifest.status) == (True, Status.INTERRUPTED)
    assert [row.label for row in finished.manifest.rows] == ["html_text", "xpath"]
    assert finished.manifest.rows[0].starts[0].total_s > 0
    cells = finished.cells()
    assert len(cells) == 6
    some = finished.cells("machine", "flags", "page")
    pd.testing.assert_frame_equal(some, cells[["machine", "flags", "page"]])
    for row in interrupted.manifest.rows:
        before = {each["page"]: each["text"] for each in finished.records(row.key)}
        for cell in interrupted.records(row.key):
            assert cell["text"] == before[cell["page"]]


def test_pandas_alone_reads_them(old: Old) -> None:
    run = old.results / FINISHED
    cells, texts = (pd.read_parquet(run / f"{name}.parquet") for name in ("cells", "texts"))
    assert set(cells["text_hash"]) == set(texts["text_hash"])
    assert json.loads((run / "manifest.json").read_text(encoding="utf-8"))["status"] == "finished"


@pytest.mark.parametrize("kept", [True, False], ids=["scores kept", "scored again"])
def test_scores_and_leaderboard_are_the_same(old: Old, bench_cli: BenchCli, kept: bool) -> None:
    if not kept:
        shutil.rmtree(old.results / FINISHED / "scores")
    done = bench_cli("leaderboard", FINISHED, "--results", old.results, "--json")
    assert done.returncode == 0, done.stderr
    assert _figures(json.loads(done.stdout)) == _figures(old.board)


def _figures(board: Any) -> dict[str, list[object]]:
    """What no later way of computing intervals or ranks changes."""
    quality, cost = ("precision", "recall", "f1", "accuracy", "exact"), ("wall_s", "ram_percent")
    return {
        line["label"]: [
            line["outcomes"],
            *(line[name]["value"] for name in quality),
            *map(line.get, cost),
        ]
        for line in board["extractors"]
    }


def test_verbs_take_them(old: Old, bench_cli: BenchCli) -> None:
    for words in (
        ["runs"],
        ["runs", "show", FINISHED],
        ["runs", "show", INTERRUPTED],
        ["show", "bridge"],
        ["show", "bridge", "xpath"],
        ["score"],
        ["compare", "xpath", "html_text"],
        ["check", "--run", FINISHED, "--baseline", old.path / "baseline.json"],
    ):
        done = bench_cli(*words, cwd=old.path)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        assert "cannot be read" not in done.stderr
