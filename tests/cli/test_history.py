"""Releases of an extractor: which are run, how steps are judged, what is shown."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packaging.version import Version

from bench.adapters import indexes
from bench.metrics.ngram import Ngram
from bench.report import history as report
from bench.scoring import history
from bench.scoring.leaderboard import Leaderboard, Line, Missing
from bench.scoring.scores import Scores
from bench.stats.estimate import Estimate
from tests import wheels
from tests.conftest import BenchCli, FolderGold, html_of, text_of

PAGES = {
    f"page{at}": f"<p>Page {at} has words of its own, {at * 7} in all, or so.</p>"
    for at in range(8)
}
INDEX_SETTINGS = ("UV_", "PIP_", "SSL_", "HTTP", "http", "ALL_PROXY", "NO_PROXY", "no_proxy")


def test_the_newest_of_each_minor_release() -> None:
    words = ("1.10.2", "1.9", "1.10", "1.10.10", "2", "2.0.1", "0.1", "1!1.0")
    found = indexes.newest_of_each_minor([Version(word) for word in words])
    assert [str(each) for each in found] == ["0.1", "1.9", "1.10.10", "2.0.1", "1!1.0"]


# -- steps -----------------------------------------------------------------------------------


def board(versions: dict[str, float]) -> Leaderboard:
    """Return a board with a line for each version at this F1."""
    lines = [
        Line(
            name="x", variant=f"default@{version}", version=version, kind="extractor",
            language="Python", pages=40, outcomes={"ok": 40}, cost=None,
            figures={"f1": Estimate(value, 0.01, value - 0.02, value + 0.02, 20)},
        )
        for version, value in sorted(versions.items(), key=lambda each: -each[1])
    ]  # fmt: skip
    missing = [Missing("x@1.1", "it does <not> build", "pip install it")]
    facts = {"name": "g", "title": "G", "pages": 40, "smoke": False}
    return Leaderboard(gold=facts, lines=lines, missing=missing)


def made() -> history.History:
    """Three releases that ran: the second is like the first, the third much better."""
    rng = np.random.default_rng(1)
    first = rng.uniform(0.2, 0.6, 40)
    tp = np.array([first + 0.35, first, first])  # rows of a run stand in any order
    found = Scores(
        metric=Ngram(),
        rows=("k3", "k1", "k2"),
        pages=tuple(map(str, range(40))),
        outcomes=np.full((3, 40), "ok", object),
        columns={"tp": tp, "fp": 1 - tp, "fn": 1 - tp, "exact": np.zeros((3, 40))},
    )
    labels = {"1.0": "x@1.0", "1.1": "x@1.1", "1.2": "x@1.2", "1.10": "x@1.10"}
    keys = {"x@1.0": "k1", "x@1.2": "k2", "x@1.10": "k3", "x@1.1": "k9"}
    return history.of_board("x", labels, keys, found, board({"1.0": 0.4, "1.2": 0.4, "1.10": 0.75}))


def test_each_release_is_compared_with_the_one_before_it_that_ran() -> None:
    found = made()
    assert [each.version for each in found.releases] == ["1.0", "1.1", "1.2", "1.10"]
    first, missing, same, better = found.releases
    assert first.step is None
    assert missing.line is None
    assert missing.step is None
    assert missing.reason == "it does <not> build"
    assert same.step is not None
    assert same.step.value == pytest.approx(0, abs=1e-12)
    assert not same.significant
    assert better.step is not None
    assert better.step.value == pytest.approx(0.35, abs=0.02)
    assert better.significant
    assert found.steps == [better]


def test_a_history_is_written(tmp_path: Path) -> None:
    files = report.write(made(), tmp_path, "history-x")
    assert {path.stem for path in files} == {"history-x"}
    assert {path.suffix for path in files} >= {".md", ".png", ".svg", ".json"}
    page = (tmp_path / "history-x.md").read_text(encoding="utf-8")
    assert "| + | 1.10 | 75.0 |" in page
    assert r"it does \<not\> build" in page
    assert "+35.0" in (tmp_path / "history-x.svg").read_text(encoding="utf-8")
    facts = json.loads((tmp_path / "history-x.json").read_text(encoding="utf-8"))
    assert [each["significant"] for each in facts["releases"]] == [False, False, False, True]
    before = [path.read_bytes() for path in files]
    assert [path.read_bytes() for path in report.write(made(), tmp_path, "history-x")] == before


# -- through the command line ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("everything",), "wraps no Python package"),
        (("everything@1",), "--since"),
        (("nosuch",), "no extractor"),
        (("*",), "give one"),
        (("everything", "--since", "x.y"), "is no version"),
    ],
)
def test_a_wrong_word_is_one_line(bench_cli: BenchCli, words: tuple[str, ...], said: str) -> None:
    done = bench_cli("history", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_history_of_a_package(bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path) -> None:
    house = tmp_path / "house"
    bad = "def text(html):\n    return 'not at all what the page says'\n"
    releases = {
        "1.0": bad,
        "1.1.0": wheels.GOOD,
        "1.1.1": bad,
        "1.2": "1 / 0\n",
        "1.10": wheels.GOOD,
    }
    for version, code in releases.items():
        wheels.wheel(house, version, code)
    links = {"UV_FIND_LINKS": str(house), "PIP_FIND_LINKS": str(house), "PIP_NO_INDEX": "1"}
    reach = {k: v for k, v in os.environ.items() if k.startswith(INDEX_SETTINGS)}
    # As many pages as a test needs.
    gold = folder_gold(
        {
            f"{key}-{copy}": (html_of(body, ""), text_of(body))
            for key, body in PAGES.items()
            for copy in range(8)
        }
    )
    words = ("history", "tiny", "--adapter", wheels.adapter(tmp_path), "--gold", f"folder:{gold}")

    def found(*more: str) -> list[dict[str, Any]]:
        done = bench_cli(
            *words, *more, "--json", "-q", env={**reach, **links, "BENCH_NO_BUILD": ""}
        )
        assert done.returncode == 0, done.stderr
        releases: list[dict[str, Any]] = json.loads(done.stdout)["releases"]
        return releases

    every = found()
    assert [each["version"] for each in every] == ["1.0", "1.1.1", "1.2", "1.10"]
    assert [each["ran"] for each in every] == [True, True, False, True]
    assert "ZeroDivisionError" in every[2]["reason"]
    assert [each["significant"] for each in every] == [False, False, False, True]
    assert every[3]["step"]["value"] > 0.5
    assert every[3]["cost"]["ms_per_page"] > 0
    # Nothing is measured twice: its cells are taken over into the shorter history.
    (last,) = found("--since", "1.10")
    assert last["f1"] == pytest.approx(every[3]["f1"])
    assert last["cost"]["wall_s"] == every[3]["cost"]["wall_s"]
