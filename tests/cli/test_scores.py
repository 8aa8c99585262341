"""Stored texts under any metric: kept scores, slices, rank stability, the verbs that show them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bench.datasets import catalogue
from bench.metrics.bow import Bow
from bench.metrics.ngram import Ngram
from bench.report.site import evidence
from bench.runs.store import runs
from bench.runs.store.runs import RunFolder
from bench.scoring import metric_catalogue, scores, stored_run
from bench.stats import rank_correlation
from bench.util.progress import SILENT
from tests.conftest import BenchCli, FolderGold

WORDS = ("run", "xpath", "html_text", "nothing", "gold", "-q")


@pytest.fixture
def a_run(finished: Path, bench_cli: BenchCli, tmp_path: Path) -> RunFolder:
    """Return a copy of a run, where ``bench_cli`` finds it."""
    shutil.copytree(finished / "results", tmp_path / "here" / "results")
    (run,) = runs.all_runs(tmp_path / "here" / "results")
    return run


def printed(bench_cli: BenchCli, *words: str) -> Any:
    done = bench_cli(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_stored_run_is_scored_under_any_metric(bench_cli: BenchCli, a_run: RunFolder) -> None:
    before = (a_run.path / "cells.parquet").read_bytes()
    board = printed(bench_cli, "score", a_run.id[:10], "--metric", "bow,ngram", "--metric", "lcs")
    assert board["metric"]["name"] == "bow"
    assert [each["name"] for each in board["metrics"]] == ["bow", "ngram", "lcs"]
    for row in board["extractors"]:
        assert set(row["metrics"]) == {"bow", "ngram", "lcs"}
        assert row["f1"] == row["metrics"]["bow"]["f1"]
        if row["name"] == "gold":
            assert row["metrics"]["lcs"]["f1"]["value"] == 1.0
    assert (a_run.path / "cells.parquet").read_bytes() == before, "no extractor ran"
    assert {path.stem for path in (a_run.path / "scores").iterdir()} == {"bow", "ngram", "lcs"}


def test_a_page_has_one_score(bench_cli: BenchCli, tmp_path: Path) -> None:
    """In try, show, the exports and the site: here on a page whose characters are counted."""
    page, row = "article-zh-tea-road", "html_text"
    done = bench_cli("run", row, "--gold", "starter", "-q")
    assert done.returncode == 0, done.stderr
    tried = printed(bench_cli, "try", row, f"starter/{page}")["score"]
    (shown,) = printed(bench_cli, "show", page)["rows"]
    out = tmp_path / "out"
    assert bench_cli("report", "--export", "csv", "--output", out / "tables").returncode == 0
    table = pd.read_csv(out / "tables" / "pages.csv").set_index(["page", "figure"])["value"]
    assert bench_cli("report", "--output", out).returncode == 0
    (view,) = out.rglob(f"{evidence.page_name(page)}.html")
    for figure in ("precision", "recall", "f1"):
        assert tried[figure] == shown["figures"][figure] == pytest.approx(table[page, figure])
    assert f"{tried['f1'] * 100:.1f}" in view.read_text("utf-8")
    gold = catalogue.open_gold("starter").read(page).gold
    text = printed(bench_cli, "try", row, f"starter/{page}")["text"]
    ((tp, fp, fn, _),) = Ngram().count(gold, None, [text])
    assert tried["f1"] != pytest.approx(2 * tp / (2 * tp + fp + fn)), "words are not what counts"


METRIC = '''
from bench.metrics.base import Metric

class Half(Metric):
    """Half of everything."""
    name = "half"
    title = "a half"
    citation = "nobody, http://example.org"
    figures = ("share",)
    main = "share"

    def count(self, gold, language, texts):
        return [(0.5,) for text in texts]
'''


def test_a_file_is_a_metric(bench_cli: BenchCli, a_run: RunFolder, tmp_path: Path) -> None:
    path = tmp_path / "half.py"
    path.write_text(METRIC, "utf-8")
    board = printed(bench_cli, "score", "--metric", f"{path},ngram")
    assert board["metric"] == {"name": "half", "n": None, "figure": "share"}
    assert {row["share"]["value"] for row in board["extractors"]} == {0.5}
    assert "share" in bench_cli("score", "--metric", path).stdout
    path.write_text(METRIC.replace("0.5,", "0.25,"), "utf-8")
    board = printed(bench_cli, "score", "--metric", path)
    assert board["extractors"][0]["share"]["value"] == 0.25, "scores of the file as it was are old"
    assert bench_cli("report", "--output", tmp_path / "site").returncode == 0, "kept, but not known"
    path.write_text(METRIC.replace("(0.5,)", "1 / 0"), "utf-8")
    done = bench_cli("score", "--metric", path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"bench: the metric half ({path}) failed on page ")
    assert done.stderr.count("\n") == 1


def test_run_takes_metrics_too(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    gold = f"folder:{folder_gold()}"
    board = printed(bench_cli, *WORDS, "--gold", gold, "--metric", "levenshtein")
    assert board["metric"] == {"name": "levenshtein", "n": None, "figure": "similarity"}
    values = [row["similarity"]["value"] for row in board["extractors"]]
    assert values[-1] == 0.0
    (report,) = (tmp_path / "here" / "reports").iterdir()
    assert "similarity" in (report / "leaderboard.md").read_text("utf-8")


def test_kept_scores_are_read_and_old_ones_computed_again(
    a_run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_set = stored_run.data_set(a_run)
    metric = Bow()
    (first,) = scores.of_run(a_run, data_set, [metric])
    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "texts", lambda *_: pytest.fail("nothing is to be read"))
        (again,) = scores.of_run(a_run, data_set, [metric])
    assert again.rows == first.rows
    assert again.pages == first.pages == tuple(data_set.ids)
    assert (again.outcomes == first.outcomes).all()
    for name in first.columns:
        np.testing.assert_array_equal(again.columns[name], first.columns[name])
    monkeypatch.setattr(Bow, "version", "newer")
    assert scores._kept(a_run, metric, data_set) is None


def test_a_data_set_that_changed_is_not_scored_silently(
    bench_cli: BenchCli, folder_gold: FolderGold
) -> None:
    gold = folder_gold()
    assert bench_cli("run", "nothing", "--gold", f"folder:{gold}", "-q").returncode == 0
    next(gold.glob("*.txt")).write_text("something else", encoding="utf-8")
    done = bench_cli("score")
    assert done.returncode == 1
    assert "no longer what run" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("score", "--metric", "bleu"), "no metric is called 'bleu'"),
        (("score", "--metric", "snippets"), "has no snippets"),
        (("score", "nosuchrun"), "no run begins with"),
        (("leaderboard", "--by", "colour"), "no slices by 'colour'"),
        (("score", "one", "two"), "give one run"),
    ],
)
def test_mistakes_are_one_line(
    bench_cli: BenchCli, a_run: RunFolder, words: tuple[str, ...], said: str
) -> None:
    done = bench_cli(*words)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_the_leaderboard_slice_by_slice(bench_cli: BenchCli, a_run: RunFolder) -> None:
    cut = printed(bench_cli, "leaderboard", "--by", "length")
    assert sum(cut["pages"].values()) == a_run.manifest.gold.pages
    for row in cut["extractors"]:
        assert set(row["slices"]) == set(cut["pages"])
        if row["label"] == "gold":
            assert {each["value"] for each in row["slices"].values()} == {1.0}
    for words in ([], ["--markdown"]):
        done = bench_cli("leaderboard", "--by", "length", *words)
        assert done.returncode == 0, done.stderr
        assert "html_text" in done.stdout.replace("\\", "")


def test_ranks_under_every_metric(bench_cli: BenchCli, a_run: RunFolder) -> None:
    found = printed(bench_cli, "metrics", "--controls")
    names = [each["metric"] for each in found["columns"]]
    assert names == [name for name in metric_catalogue.every() if name != "snippets"]
    for column in found["columns"]:
        assert column["places"]["gold"] == 1
        assert column["places"]["nothing"] == 4
    assert len(found["correlations"]) == len(names) * (len(names) - 1) // 2
    done = bench_cli("metrics", "--controls")
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert "Lowest: " in done.stdout
    listed = printed(bench_cli, "metrics", "--list")
    assert [each["name"] for each in listed] == list(metric_catalogue.every())


@given(st.integers(3, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n)] * 2)
))  # fmt: skip
def test_spearman_is_scipys(both: tuple[list[int], list[int]]) -> None:
    first, second = (np.array([each], np.float64) for each in both)
    (ours,) = rank_correlation.of_rows(first, second)
    if len(set(both[0])) == 1 or len(set(both[1])) == 1:
        assert np.isnan(ours)
    else:
        assert ours == pytest.approx(stats.spearmanr(*both).statistic, abs=1e-12)


def test_several_processes_score_as_one(a_run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    data_set = catalogue.open_gold(f"folder:{a_run.manifest.gold.root}")
    source = scores._Stored(a_run)
    (one,) = scores._computed(source, data_set, [Ngram()], SILENT)
    monkeypatch.setattr(scores, "_WORTH_IT", 0)
    monkeypatch.setattr(scores, "_PAGES_AT_ONCE", 1)
    (several,) = scores._computed(source, data_set, [Ngram()], SILENT)
    np.testing.assert_array_equal(several.outcomes, one.outcomes)
    for name in one.columns:
        np.testing.assert_array_equal(several.columns[name], one.columns[name])


def test_texts_are_read_a_bounded_amount_at_a_time(
    a_run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_set = catalogue.open_gold(f"folder:{a_run.manifest.gold.root}")
    metric = [Ngram()]
    source = scores._Stored(a_run)
    (whole,) = scores._computed(source, data_set, metric, SILENT)
    monkeypatch.setattr(scores, "_CHARS_AT_ONCE", 1)
    (pieces,) = scores._computed(source, data_set, metric, SILENT)
    for name in whole.columns:
        np.testing.assert_array_equal(pieces.columns[name], whole.columns[name])
