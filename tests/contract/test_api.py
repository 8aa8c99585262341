"""What ``import bench`` gives: the same figures as the command line, and one line for each mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bench
from bench import api
from tests import commands
from tests.conftest import ROOT

NAMES = ["html_text", "everything", "nothing", "gold"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> bench.Run:
    return bench.run(NAMES, "starter", results=tmp_path_factory.mktemp("api") / "results")


@pytest.fixture
def by_command(run: bench.Run, tmp_path: Path) -> dict[str, object]:
    words = ["score", "--json", "--results", str(run.path.parent)]
    done = commands.call(words, cwd=tmp_path, env=commands.environment(tmp_path / "home"))
    return dict(json.loads(done.stdout))


def test_figures_are_those_of_the_command_line(
    run: bench.Run, by_command: dict[str, object]
) -> None:
    assert json.loads(json.dumps(run.board.to_json())) == by_command
    table = run.leaderboard()
    assert set(table["label"]) == set(NAMES)
    assert (table["f1_lo"] <= table["f1"]).all()
    assert (table["f1"] <= table["f1_hi"]).all()


def test_slices(run: bench.Run) -> None:
    table = run.leaderboard(by="page_type")
    assert {"micro", "macro"} < set(table["slice"])
    assert set(table["label"]) == set(NAMES)
    micro = table[table["slice"] == "micro"].set_index("label")["value"]
    whole = run.leaderboard().set_index("label")["f1"]
    assert micro.to_dict() == pytest.approx(whole.to_dict())


def test_cells_texts_and_scores_are_of_the_same_pages(run: bench.Run) -> None:
    cells, texts = run.cells(), run.texts("html_text")
    assert set(cells["label"]) == set(NAMES)
    assert set(texts) == set(cells["page"]) == set(run.data_set.ids)
    assert set(run.texts("nothing").values()) == {""}
    assert run.texts("gold") == {item.page.id: item.gold.text for item in run.data_set}
    scores = run.scores().set_index(["label", "page"])
    assert scores.loc["gold", "f1"].eq(1.0).all()
    assert "page_f1" not in scores
    assert set(run.scores("bow").columns) == {
        "label",
        "page",
        "outcome",
        "precision",
        "recall",
        "f1",
    }


def test_a_page(run: bench.Run) -> None:
    view = run.page("article-zh-tea")
    assert view.page.id == "article-zh-tea-road"
    assert view.rows[0].label == "gold"
    assert view.rows[0].text == view.gold.text
    (only,) = run.page(view.page.id, rows=["html_text"]).rows
    scores = run.scores().set_index(["label", "page"])
    assert only.figures["f1"] == scores.at[("html_text", view.page.id), "f1"]


def test_a_run_is_found(run: bench.Run) -> None:
    results = run.path.parent
    for word in (None, "latest", run.id, run.id[:9]):
        assert bench.open_run(word, results=results).id == run.id
    assert bench.open_run(gold="starter", results=results).id == run.id
    assert bench.run(NAMES, "starter", results=results).id == run.id, "it is finished"
    with pytest.raises(bench.UsageError, match="no finished run on aeb"):
        bench.open_run(gold="aeb", results=results)
    with pytest.raises(bench.UsageError, match="is on starter, not on aeb"):
        bench.open_run(run.id, gold="aeb", results=results)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda run: run.leaderboard(by="page_tipe"), "did you mean page_type"),
        (lambda run: run.scores("bleu"), "no metric is called 'bleu'"),
        (lambda run: run.texts("html_txt"), "did you mean html_text"),
        (lambda run: run.page("article-"), "pages of starter begin with 'article-'"),
        (lambda run: run.page("nowhere"), "starter has no page 'nowhere'"),
        (lambda _: bench.run("trafilature"), "trafilature"),
        (lambda _: bench.run("html_text", "startr"), "no data set is called 'startr'"),
        (lambda _: bench.open_run("2099", results="nowhere"), "no run begins with '2099'"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(run: bench.Run, call: object, said: str) -> None:
    with pytest.raises(bench.BenchError, match=said) as caught:
        call(run)  # type: ignore[operator]
    assert "\n" not in str(caught.value)


def test_texts_of_others_are_scored(run: bench.Run) -> None:
    outputs = {name: run.texts(name) for name in ("html_text", "everything")}
    scored = bench.score(outputs, "starter", metrics=["ngram", "bow"])
    ours, theirs = (each.leaderboard().set_index("label") for each in (run, scored))
    for name in outputs:
        assert theirs.at[name, "f1"] == pytest.approx(ours.at[name, "f1"])
    assert "bow_f1" in theirs
    assert scored.left_out == {}


def test_a_comparison(run: bench.Run) -> None:
    results = run.path.parent
    (pair,) = bench.compare("html_text", "everything", results=results).pairs
    assert pair.label == "html_text → everything"
    assert pair.whole.verdict == "better"
    both = bench.compare(run, run.id, results=results, by=["language"])
    assert {pair.whole.verdict for pair in both.pairs} == {"same"}
    outputs = bench.score({"mine": run.texts("everything")}, "starter")
    (pair,) = bench.compare(f"{run.id}/everything", outputs, results=results).pairs
    assert pair.whole.verdict == "same"
    texts = run.texts("gold")
    with pytest.raises(bench.CannotCompare, match="no row in common"):
        bench.compare(run, bench.score({"a": texts, "b": texts}, "starter"))


def test_a_check(run: bench.Run, tmp_path: Path) -> None:
    path, results = tmp_path / "baseline.json", run.path.parent
    how = {"baseline": path, "results": results, "run_id": run.id}
    with pytest.raises(bench.UsageError, match="there is no baseline"):
        bench.check(**how)
    assert bench.check(["html_text"], **how, update=True) is None
    checked = bench.check(**how)
    assert checked is not None
    assert (checked.status, [row.label for row in checked.rows]) == (0, ["html_text"])
    with pytest.raises(bench.CannotCompare, match="of the metric ngram, not bow"):
        bench.check(**how, metric="bow")


def test_what_there_is() -> None:
    assert bench.list_datasets().at["starter", "installed"]
    extractors = bench.list_extractors()
    assert extractors.at["html_text", "available"]
    assert extractors.at["nothing", "kind"] == "control"
    metrics = bench.list_metrics()
    assert metrics.index[0] == "ngram"
    assert metrics.at["ngram", "main"] == "f1"


def test_names_are_those_of_the_api_and_no_package_is_called_so() -> None:
    assert sorted(bench.__all__) == sorted(api.__all__)
    assert set(bench.__all__) <= set(dir(bench))
    packages = {path.stem for path in (ROOT / "bench").iterdir()}
    assert not packages & set(bench.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bench.nothing  # noqa: B018


def test_nothing_is_imported_until_it_is_used() -> None:
    code = "import sys; before = set(sys.modules); import bench; print(set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "{'bench'}\n"
