"""Scores of all prediction files of AEB equal those of AEB's own ``evaluate.py``."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from bench.datasets import catalogue
from bench.datasets.catalogue import DataSet
from bench.datasets.fetch import install
from bench.metrics.ngram import Ngram
from bench.scoring import predictions, ranking, scores
from bench.scoring.leaderboard import Leaderboard
from bench.scoring.predictions import Predictions
from bench.scoring.scores import Scores
from tests.conftest import BenchCli

TOLERANCE = 1e-9
WITHOUT_OUTPUT = {"xpath-text"}
"""Systems of the reference whose output is not in the folder."""

# Our figure, and the column of the reference.
FIGURES = {
    "precision": "precision",
    "recall": "recall",
    "f1": "f1",
    "exact": "perfect_accuracy",
    "accuracy": "jaccard_accuracy",
    "page_f1": "f1_macro",
}


def reference(shared: Path) -> dict[str, dict[str, str]]:
    with (shared / "expected" / "aeb.csv").open(encoding="utf-8") as file:
        rows = {row["system"]: row for row in csv.DictReader(file)}
    return {name: row for name, row in rows.items() if name not in WITHOUT_OUTPUT}


@pytest.fixture(scope="module")
def aeb(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCH_HOME", str(tmp_path_factory.mktemp("aeb-home")))
        return install.add("aeb", shared / "gold" / "aeb")


@pytest.fixture(scope="module")
def systems(shared: Path) -> list[Predictions]:
    return predictions.read(shared / "gold" / "aeb" / "output")


@pytest.fixture(scope="module")
def scored(systems: list[Predictions], aeb: DataSet) -> list[Scores]:
    return scores.of_predictions(systems, aeb, [Ngram()])


@pytest.fixture(scope="module")
def board(systems: list[Predictions], aeb: DataSet, scored: list[Scores]) -> Leaderboard:
    return ranking.of_predictions(systems, aeb, scored)


def test_every_file_is_scored(shared: Path, board: Leaderboard) -> None:
    assert len(board.lines) == 32
    assert {line.name for line in board.lines} == set(reference(shared))
    assert {line.pages for line in board.lines} == {181}


def test_figures_equal_the_reference(shared: Path, board: Leaderboard) -> None:
    expected = reference(shared)
    for line in board.lines:
        for ours, theirs in FIGURES.items():
            got, want = line.figures[ours].value, float(expected[line.name][theirs])
            assert got == pytest.approx(want, abs=TOLERANCE), (line.name, ours)


def test_versions_are_those_of_the_files(shared: Path, board: Leaderboard) -> None:
    expected = reference(shared)
    assert {line.name: line.version or "" for line in board.lines} == {
        name: row["version"] for name, row in expected.items()
    }


def test_counts_of_each_page_equal_the_reference(shared: Path, scored: list[Scores]) -> None:
    (ours,) = scored
    with (shared / "expected" / "aeb-pages.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["system"] not in WITHOUT_OUTPUT]
    assert len(rows) >= 3 * 181
    for row in rows:
        cell = ours.place(row["system"]), ours.pages.index(row["page_id"])
        got = [ours.columns[name][cell] for name in ("tp", "fp", "fn")]
        want = [float(row[name]) for name in ("tp", "fp", "fn")]
        assert got == pytest.approx(want, abs=TOLERANCE), (row["system"], row["page_id"])


def test_lines_are_ranked_by_f1_and_lie_in_their_intervals(board: Leaderboard) -> None:
    values = [line.figures["f1"].shown for line in board.lines]
    assert values == sorted(values, reverse=True)
    assert [line.place for line in board.lines] == list(range(1, 33))
    ranks = [line.rank or 0 for line in board.lines]
    assert ranks[0] == 1
    assert all(rank <= place for place, rank in enumerate(ranks, 1))
    for line in board.lines:
        for figure in line.figures.values():
            assert figure.value is not None
            assert figure.lo is not None
            assert figure.hi is not None
            assert figure.lo <= figure.value + 0.02
            assert figure.value <= figure.hi + 0.02
            assert 0 <= figure.lo <= figure.hi <= 1


def test_pages_without_output_are_counted(shared: Path, board: Leaderboard) -> None:
    """A body may be null, a page may be missing: both are the empty text."""
    folder = shared / "gold" / "aeb" / "output"
    for line in board.lines:
        content = json.loads((folder / f"{line.name}.json").read_text(encoding="utf-8"))
        pages: dict[str, Any] = content.get("output") or content.get("predictions") or content
        answered = sum(bool((p.get("articleBody") or "").strip()) for p in pages.values())
        assert line.outcomes["ok"] == answered
        assert line.outcomes["empty"] == 181 - answered


def test_the_command_line_says_the_same(shared: Path, bench_cli: BenchCli) -> None:
    added = bench_cli("gold", "add", "aeb", "--from", shared / "gold" / "aeb")
    assert added.returncode == 0, added.stderr
    done = bench_cli(
        "score", "--gold", "aeb", "--predictions", shared / "gold" / "aeb" / "output", "--json"
    )
    assert done.returncode == 0, done.stderr
    board = json.loads(done.stdout)
    expected = reference(shared)
    assert {each["name"] for each in board["extractors"]} == set(expected)
    for each in board["extractors"]:
        for ours, theirs in FIGURES.items():
            want = float(expected[each["name"]][theirs])
            assert each[ours]["value"] == pytest.approx(want, abs=TOLERANCE), (each["name"], ours)
            assert each[ours]["lo"] <= each[ours]["hi"]
        assert each["wall_s"] is None


def test_the_card_describes_this_copy(aeb: DataSet) -> None:
    card, _ = catalogue.find_card("aeb")
    assert len(aeb) == card.pages == 181
    assert aeb.reader.problems == []
    if card.fingerprint:
        assert aeb.as_published is True
