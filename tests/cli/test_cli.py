"""The real command line, end to end: real extractors, real workers, real signals."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bench.model import Outcome
from bench.runs.store import journal, runs
from bench.runs.store.journal import CellRecord
from bench.runs.store.runs import RunFolder
from bench.stats.estimate import MIN_PAGES
from tests import commands
from tests.commands import Done
from tests.conftest import PAGES, BenchCli, FolderGold, html_of, text_of

FIGURES = ("precision", "recall", "f1", "accuracy", "exact", "page_f1")
USAGE = ("wall_s", "cpu_s", "ms_per_page", "rss_peak_bytes", "ram_percent", "cpu_percent")
PAIR = {"a": (html_of("<p>one two</p>"), "one two"), "b": (html_of("<p>three</p>"), "three")}

ADAPTER = '''"""{name}: written for a test."""

import time

from bench.extractor import Extractor


class It(Extractor):
    """Returns when it was asked."""

    name = "{name}"

    def load(self):
        {load}

    def extract(self, html, url):
        {extract}
'''
NOW = 'return "asked at %d" % time.monotonic_ns()'


def drop(checkout: Path, name: str, *, extract: str = NOW, load: str = "pass") -> Path:
    path = checkout / "extractors" / f"{name}.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(ADAPTER.format(name=name, extract=extract, load=load), encoding="utf-8")
    return path


def complaint(done: Done, status: int = 1) -> str:
    """Return the one line on standard error of a command that failed as it should."""
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == status, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    said = [line for line in lines if line.startswith("bench: ")]
    assert len(said) == 1, done.stderr
    assert lines[-1] == said[0], "the reason comes last"
    return said[0]


def all_runs(here: Path) -> list[RunFolder]:
    return list(runs.all_runs(here / "results"))


def cells(run: RunFolder) -> pd.DataFrame:
    return run.cells().set_index(["extractor", "page", "repeat"])


# -- help -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    ["", "run", "list", "score", "gold", "gold list", "gold add", "gold fetch", "gold verify", "runs",
     "runs show"],
)  # fmt: skip
def test_help(bench_cli: BenchCli, words: str) -> None:
    done = bench_cli(*words.split(), "--help")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage: ")
    if words in ("", "run", "score", "gold add", "gold fetch", "gold verify"):
        assert "Example" in done.stdout or "Start with" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_the_version_is_the_installed_one(bench_cli: BenchCli) -> None:
    done = bench_cli("--version")
    assert re.fullmatch(r"bench, version \d+\.\d+\.\d+\S*\n", done.stdout)


# -- running --------------------------------------------------------------------------------


def test_a_run_from_pages_to_reports(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    gold, here = folder_gold(), tmp_path / "here"
    words = ("run", "trafilatura", "xpath", "nothing", "everything", "gold")
    done = bench_cli(*words, "--gold", f"folder:{gold}", "--json")
    assert done.returncode == 0, done.stderr

    board = json.loads(done.stdout)  # nothing else on standard output
    (run,) = all_runs(here)
    assert json.loads((run.path / "leaderboard.json").read_text(encoding="utf-8")) == board
    _check_leaderboard(board, run, pages=len(PAGES))
    by_name = {each["name"]: each for each in board["extractors"]}
    assert set(by_name) == set(words) - {"run"}
    assert by_name["gold"]["f1"]["value"] == 1.0
    assert by_name["gold"]["exact"]["value"] == 1.0
    assert by_name["nothing"]["page_f1"]["value"] == 0.0
    assert by_name["nothing"]["outcomes"]["empty"] == len(PAGES)
    assert by_name["xpath"]["recall"]["value"] == 1.0
    assert by_name["xpath"]["precision"]["value"] < by_name["trafilatura"]["precision"]["value"]
    assert [each["place"] for each in board["extractors"]] == [1, 2, None, None, None]
    # Three pages cannot tell anything apart.
    assert [each["rank"] for each in board["extractors"]] == [1, 1, None, None, None]

    (reports,) = (here / "reports").iterdir()  # a folder for each data set
    table = list(csv.DictReader(io.StringIO(_read(reports / "leaderboard.csv"))))
    assert [line["label"] for line in table] == [each["label"] for each in board["extractors"]]
    for line, each in zip(table, board["extractors"], strict=True):
        assert float(line["f1"]) == pytest.approx(each["f1"]["value"])
        assert line["f1_lo"] == "", "three pages have no interval"
        assert int(line["cells_ok"]) == each["outcomes"]["ok"]
    markdown = _read(reports / "leaderboard.md")
    for each in board["extractors"]:
        assert f"| {each['label']} |" in markdown
    # Charts take longer than a small run: they are drawn where somebody asks for them.
    assert {p.suffix for p in reports.iterdir()} == {".md", ".csv", ".json"}

    table_of_cells = cells(run)
    assert len(table_of_cells) == 5 * len(PAGES)
    assert (table_of_cells["wall_s"] >= 0).all()
    assert (table_of_cells["rss_peak_bytes"] > 1 << 20).all()
    assert len(run.samples()) > 0

    # The finished run is found, not repeated.
    stamp = (run.path / "cells.parquet").stat().st_mtime_ns
    found = bench_cli(*words, "--gold", f"folder:{gold}")
    assert found.returncode == 0, found.stderr
    assert f"found {run.id}, finished" in found.stderr
    assert [each.id for each in all_runs(here)] == [run.id]
    assert (run.path / "cells.parquet").stat().st_mtime_ns == stamp
    assert "trafilatura" in found.stdout
    assert max(map(len, found.stdout.splitlines())) <= max(100, len(str(run.path)))


def _check_leaderboard(board: dict[str, Any], run: RunFolder, *, pages: int) -> None:
    """What issue 2 says the file holds."""
    assert board["schema"] >= 1
    assert board["run"] == run.id
    assert board["gold"]["pages"] == pages
    assert len(board["gold"]["fingerprint"]) == 64
    assert board["metric"] == {"name": "ngram", "n": 4, "figure": "f1"}
    for each in board["extractors"]:
        assert {"name", "variant", "version", "pages", "outcomes", *FIGURES, *USAGE} <= set(each)
        assert each["pages"] == pages
        assert set(each["outcomes"]) == {o.value for o in Outcome}
        assert sum(each["outcomes"].values()) == pages
        for name in FIGURES:
            figure = each[name]
            assert {"value", "se", "lo", "hi"} <= set(figure)
            assert figure == each["metrics"]["ngram"][name]
            if pages < MIN_PAGES:
                assert (figure["se"], figure["lo"], figure["hi"]) == (None, None, None)
            elif figure["value"] is not None:
                assert 0 <= figure["lo"] <= figure["hi"] <= 1
                assert figure["se"] >= 0
        for name in USAGE:
            assert each[name] is None or each[name] >= 0
        assert each["rss_peak_bytes"] > 1 << 20
        assert 0 < each["ram_percent"] < 100


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_what_is_taken_over_from_earlier_runs(
    bench_cli: BenchCli, folder_gold: FolderGold, checkout: Path, tmp_path: Path
) -> None:
    """Only the adapter whose source has changed runs again; --fresh runs all again."""
    gold, here = folder_gold(), tmp_path / "here"
    path = drop(checkout, "alpha")
    drop(checkout, "beta")
    words = ("run", "alpha", "beta", "--gold", f"folder:{gold}")

    def run_it(*more: str) -> tuple[RunFolder, pd.DataFrame, dict[str, Any]]:
        done = bench_cli(*words, *more, "--json", "--quiet", checkout=checkout)
        assert done.returncode == 0, done.stderr
        board = json.loads(done.stdout)
        run = runs.find(here / "results", board["run"])
        return run, cells(run), {each["name"]: each for each in board["extractors"]}

    first, before, board_before = run_it()
    assert set(before["carried_from"]) == {""}
    path.write_text(_read(path) + "# changed\n", encoding="utf-8")
    second, after, board_after = run_it()
    assert second.id != first.id
    assert set(after.loc["beta"]["carried_from"]) == {first.id}
    assert list(after.loc["beta"]["text_hash"]) == list(before.loc["beta"]["text_hash"])
    assert list(after.loc["beta"]["wall_s"]) == list(before.loc["beta"]["wall_s"])
    assert set(after.loc["alpha"]["carried_from"]) == {""}
    assert not set(after.loc["alpha"]["text_hash"]) & set(before.loc["alpha"]["text_hash"])

    # What it took to get going belongs to the measurement, so it is taken over as well.
    assert board_before["beta"]["start_s"] > 0
    assert board_after["beta"]["start_s"] in (board_before["beta"]["start_s"], None)

    fresh, again, _ = run_it("--fresh")
    assert fresh.id not in (first.id, second.id)
    assert set(again["carried_from"]) == {""}
    assert not set(again["text_hash"]) & set(after["text_hash"])


def test_what_is_taken_over_past_a_run_on_other_pages(
    bench_cli: BenchCli, folder_gold: FolderGold, checkout: Path, tmp_path: Path
) -> None:
    gold, other = folder_gold(PAIR, "pages"), folder_gold({"z": PAIR["a"]}, "others")
    drop(checkout, "alpha")
    drop(checkout, "beta")
    for words in (("beta", f"folder:{gold}"), ("beta", f"folder:{other}")):
        done = bench_cli("run", words[0], "--gold", words[1], "-q", checkout=checkout)
        assert done.returncode == 0, done.stderr
    done = bench_cli(
        "run", "alpha", "beta", "--gold", f"folder:{gold}", "-q", "--json", checkout=checkout
    )
    assert done.returncode == 0, done.stderr
    latest = runs.find(tmp_path / "here" / "results", json.loads(done.stdout)["run"])
    # Both may have been made within a second, the precision of an id.
    (first,) = {run.id for run in all_runs(tmp_path / "here") if "pages" in run.id} - {latest.id}
    assert set(cells(latest).loc["beta"]["carried_from"]) == {first}


def test_repeats_and_jobs(
    bench_cli: BenchCli, folder_gold: FolderGold, checkout: Path, tmp_path: Path
) -> None:
    gold = folder_gold(PAIR)
    for name in ("alpha", "beta", "gamma"):
        drop(checkout, name)
    words = ("run", "alpha", "beta", "gamma", "--gold", f"folder:{gold}", "--json", "-q")
    measured = bench_cli(*words, "--repeat", "3", checkout=checkout)
    assert measured.returncode == 0, measured.stderr
    board = json.loads(measured.stdout)
    table = runs.find(tmp_path / "here" / "results", board["run"]).cells()
    assert len(table) == 3 * 2 * 3
    assert set(table["repeat"]) == {0, 1, 2}
    assert len(set(table["text_hash"])) == 18, "each repeat is a call of its own"
    assert board["timings_ranked"] is True
    # Rows take turns: all are asked for a page before any is asked for the next.
    samples = runs.find(tmp_path / "here" / "results", board["run"]).manifest
    assert samples.conditions.interleaved is True

    contended = bench_cli(*words, "--jobs", "2", checkout=checkout)
    assert contended.returncode == 0, contended.stderr
    board = json.loads(contended.stdout)
    assert board["timings_ranked"] is False
    assert any("contended" in warning for warning in board["warnings"])
    table = runs.find(tmp_path / "here" / "results", board["run"]).cells()
    assert len(table) == 3 * 2
    assert set(table["carried_from"]) == {""}, "conditions differ"


SLOW = "time.sleep(0.12); " + NOW
MANY = {f"p{n:02}": PAIR["a"] for n in range(20)}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_was_stopped_goes_on(
    bench_cli: BenchCli,
    bench_home: Path,
    folder_gold: FolderGold,
    tmp_path: Path,
    number: signal.Signals,
) -> None:
    here, gold = tmp_path / "here", folder_gold(MANY)
    adapter = drop(tmp_path, "slow", extract=SLOW)
    words = ["run", "slow", "--adapter", adapter, "--gold", f"folder:{gold}"]
    env = commands.environment(bench_home)
    with commands.start(
        words, env=env, cwd=here, stdout=subprocess.PIPE, start_new_session=True
    ) as running:
        _wait_for(lambda: len(_journalled(here)) >= 4)
        running.send_signal(number)
        _, said = running.communicate(timeout=30)
    before = _journalled(here)
    assert 4 <= len(before) < 20
    assert "Traceback" not in said
    if number is signal.SIGKILL:
        assert running.returncode == -signal.SIGKILL
    else:
        assert running.returncode == 128 + number
        (line,) = [line for line in said.splitlines() if line.startswith("bench: ")]
        (run,) = all_runs(here)
        assert str(run.path.name) in line
        assert "same command goes on" in line
        assert run.manifest.status == "interrupted"

    done = bench_cli(*words, "--json")
    assert done.returncode == 0, done.stderr
    (run,) = all_runs(here)
    assert f"going on with {run.id}" in done.stderr
    table = cells(run).loc["slow"]
    assert len(table) == 20
    assert (table["outcome"] == "ok").all()
    for page, text_hash in before.items():
        assert table.loc[(page, 0), "text_hash"] == text_hash, "finished cells are not repeated"
    assert json.loads(done.stdout)["extractors"][0]["outcomes"]["ok"] == 20


def _wait_for(condition: Callable[[], bool], seconds: float = 40) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.02)


def _journalled(here: Path) -> dict[str, str]:
    return {
        each["page"]: each["text_hash"]
        for run in here.glob("results/*/journal/*.jsonl")
        if run.stem != "samples"
        for _, each in journal.read(run, CellRecord)
    }


# -- bad input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "trafilatur",
            "no extractor is called 'trafilatur'; did you mean trafilatura or rs_trafilatura?",
        ),
        ("trafilatura:fasst", "trafilatura has no variant 'fasst'; did you mean fast"),
        ("xpath --gold aebb", "no data set is called 'aebb'; did you mean aeb?"),
        ("", "name extractors, or --all for every one"),
        ("xpath --all", "give names or --all, not both"),
        ("xpath --repeat 2 --jobs 2", "--repeat measures one extractor at a time"),
    ],
)
def test_wrong_words(bench_cli: BenchCli, tmp_path: Path, words: str, message: str) -> None:
    assert complaint(bench_cli("run", *words.split()), 2).startswith(f"bench: {message}")
    assert not (tmp_path / "here" / "results").exists()


@pytest.mark.parametrize(
    "words",
    ["rum", "run --frseh", "run --repeat none", "run xpath --jobs 0", "gold add aeb",
     "score --predictions no-such-file"],
)  # fmt: skip
def test_words_that_are_no_command(bench_cli: BenchCli, words: str) -> None:
    done = bench_cli(*words.split())
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("bench: ")
    assert done.stderr.count("\n") == 1
    assert not done.stdout


def test_a_data_set_that_is_not_installed(bench_cli: BenchCli) -> None:
    said = complaint(bench_cli("run", "xpath", "--gold", "aeb"))
    assert "data set aeb is not on this machine" in said
    assert "bench gold fetch aeb" in said


def test_a_folder_that_is_not_there(bench_cli: BenchCli) -> None:
    assert "nowhere is no folder" in complaint(
        bench_cli("run", "xpath", "--gold", "folder:nowhere")
    )


def test_a_corrupt_gzip(bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path) -> None:
    gold = folder_gold({"a": PAIR["a"], "b": PAIR["b"]})
    (gold / "b.html").unlink()
    (gold / "b.html.gz").write_bytes(gzip.compress(b"x" * 999)[:15])
    said = complaint(bench_cli("run", "xpath", "--gold", f"folder:{gold}"))
    assert "b.html.gz cannot be read" in said
    verified = bench_cli("gold", "verify", f"folder:{gold}")
    assert verified.returncode == 1
    assert "unreadable: 1" in verified.stdout
    assert "Traceback" not in verified.stderr
    assert not list((tmp_path / "here").glob("results/*/cells.parquet"))


def test_pages_and_gold_without_each_other(bench_cli: BenchCli, folder_gold: FolderGold) -> None:
    gold = folder_gold({**PAIR, "c": PAIR["a"], "d": PAIR["a"]})
    (gold / "c.html").unlink()
    (gold / "d.txt").unlink()
    done = bench_cli("run", "nothing", "--gold", f"folder:{gold}", "--json", "-q")
    assert done.returncode == 0, done.stderr
    first, second = [line for line in done.stderr.splitlines() if line.startswith("bench: ")]
    assert "1 of 3 pages have no gold text" in first
    assert "left out: gold without a page: c" in second
    assert json.loads(done.stdout)["gold"]["pages"] == 3
    assert bench_cli("gold", "verify", f"folder:{gold}").returncode == 1


BROKEN = {
    "at import": "import no_such_module\n",
    "syntax": "def (\n",
    "leaves": "raise SystemExit(0)\n",
}


@pytest.mark.parametrize("kind", [*BROKEN, "at load"])
def test_an_adapter_that_does_not_import(
    bench_cli: BenchCli, folder_gold: FolderGold, checkout: Path, kind: str
) -> None:
    gold = f"folder:{folder_gold(PAIR)}"
    path = drop(checkout, "broken", load="import no_such_module")
    if kind in BROKEN:
        path.write_text(BROKEN[kind], encoding="utf-8")
    alone = bench_cli("run", "broken", "--gold", gold, "-q", checkout=checkout)
    said = complaint(alone)
    assert "broken" in said
    if kind in ("at import", "at load"):
        assert "no_such_module" in said
    # The others run all the same; the exit status says that not all that was asked for did.
    both = bench_cli("run", "broken", "xpath", "--gold", gold, "-q", "--json", checkout=checkout)
    assert both.returncode == 1
    assert "Traceback" not in both.stderr
    board = json.loads(both.stdout)
    assert [each["label"] for each in board["extractors"]] == ["xpath"]
    assert [each["label"] for each in board["unavailable"]] == ["broken"]
    assert board["unavailable"][0]["remedy"]


def test_an_adapter_that_returns_no_string(
    bench_cli: BenchCli, folder_gold: FolderGold, checkout: Path, tmp_path: Path
) -> None:
    gold = folder_gold(PAIR)
    drop(checkout, "mine", extract="return None")
    done = bench_cli("run", "mine", "--gold", f"folder:{gold}", "-q", checkout=checkout)
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1)
    (run,) = all_runs(tmp_path / "here")
    table = cells(run)
    assert set(table["outcome"]) == {"error"}
    assert set(table["diagnostics"]) == {"extract() returned NoneType, not str"}
    assert "2 error" in done.stdout
    # One clear line says what was wrong: the count alone sends its author searching.
    assert "extract() returned NoneType, not str" in done.stdout + done.stderr


def test_two_adapters_with_one_name(bench_cli: BenchCli, checkout: Path) -> None:
    path = drop(checkout, "mine")
    path.with_name("twin.py").write_text(_read(path), encoding="utf-8")
    said = complaint(bench_cli("list", checkout=checkout))
    assert "two adapters are called 'mine'" in said
    assert "twin.py" in said


@pytest.mark.parametrize("place", ["a-file", "a-file/below", "/proc/none/below"])
@pytest.mark.parametrize("option", ["--results", "--reports"])
def test_a_place_that_cannot_be_written(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path, place: str, option: str
) -> None:
    (tmp_path / "here" / "a-file").write_text("precious", encoding="utf-8")
    gold = folder_gold(PAIR)
    done = bench_cli("run", "nothing", "--gold", f"folder:{gold}", "-q", option, place)
    if place == "a-file":
        assert done.returncode == 2  # click says so, before anything is run
        assert "is a file" in done.stderr
        assert "Traceback" not in done.stderr
    else:
        assert place.rsplit("/", maxsplit=1)[-1] in complaint(done)
    assert _read(tmp_path / "here" / "a-file") == "precious"
    if option == "--reports" and place != "a-file":
        (run,) = all_runs(tmp_path / "here")
        assert run.finished, "what was measured is kept"


def test_a_full_disk_loses_nothing(
    bench_home: Path, bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    """The journal cannot grow beyond a limit: one line; with room again, the run goes on."""
    here, gold = tmp_path / "here", folder_gold(MANY)
    adapter = drop(tmp_path, "wordy", extract='return ("word%d " % time.monotonic_ns()) * 1000')
    words = ["run", "wordy", "--adapter", adapter, "--gold", f"folder:{gold}", "-q"]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    # The limit would cut bytecode short as well, and Python would believe it.
    env = {**commands.environment(bench_home), "PYTHONDONTWRITEBYTECODE": "1"}
    with commands.start(
        words, env=env, cwd=here, stdout=subprocess.PIPE, preexec_fn=limit
    ) as process:
        said = process.communicate(timeout=60)
    said = complaint(Done(words, process.returncode, *said))
    assert "free space" in said
    before = _journalled(here)
    assert 2 <= len(before) < 20
    after = bench_cli(*words)
    assert after.returncode == 0, after.stderr
    (run,) = all_runs(here)
    table = cells(run).loc["wordy"]
    assert len(table) == 20
    assert {page: table.loc[(page, 0), "text_hash"] for page in before} == before


def test_a_damaged_run_does_not_stop_a_new_one(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    damaged = tmp_path / "here" / "results" / "20990101T000000-x"
    damaged.mkdir(parents=True)
    (damaged / "manifest.json").write_text("{}", encoding="utf-8")
    done = bench_cli("run", "nothing", "--gold", f"folder:{folder_gold(PAIR)}", "-q")
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr
    assert _read(damaged / "manifest.json") == "{}"


def test_a_data_directory_that_cannot_be_written(bench_cli: BenchCli, tmp_path: Path) -> None:
    source = tmp_path / "aeb"
    (source / "html").mkdir(parents=True)
    (source / "html" / "x.html.gz").write_bytes(gzip.compress(b"<p>x</p>"))
    truth = json.dumps({"x": {"articleBody": "x"}})
    (source / "ground-truth.json").write_text(truth, encoding="utf-8")
    (tmp_path / "file").write_text("", encoding="utf-8")
    home = {"BENCH_HOME": str(tmp_path / "file" / "home")}
    assert "home" in complaint(bench_cli("gold", "add", "aeb", "--from", source, env=home))
    added = bench_cli("gold", "add", "aeb", "--from", source)
    assert added.returncode == 0, added.stderr
    assert "already in" in complaint(bench_cli("gold", "add", "aeb", "--from", source))


# -- other people's outputs -----------------------------------------------------------------


def predictions(folder: Path, name: str, content: object) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def bodies(**texts: str | None) -> dict[str, dict[str, str | None]]:
    return {page: {"articleBody": text} for page, text in texts.items()}


def test_scoring_predictions(bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path) -> None:
    gold, folder = f"folder:{folder_gold()}", tmp_path / "theirs"
    right = {page: text_of(body) for page, body in PAGES.items()}
    predictions(folder, "right", bodies(**right))
    predictions(folder, "wrapped", {"version": "1.2", "output": bodies(**right)})
    predictions(folder, "less", bodies(boats=right["boats"], maps=None))
    predictions(folder, "more", bodies(**right, stranger="x"))
    done = bench_cli("score", "--gold", gold, "--predictions", folder, "--json")
    assert done.returncode == 0, done.stderr
    assert "more: 1 pages are not in the data set and left out" in done.stderr
    by_name = {each["name"]: each for each in json.loads(done.stdout)["extractors"]}
    assert by_name["wrapped"]["version"] == "1.2"
    assert {by_name[n]["f1"]["value"] for n in ("right", "wrapped", "more")} == {1.0}
    assert by_name["less"]["precision"]["value"] == 1.0
    assert by_name["less"]["recall"]["value"] == pytest.approx(1 / 3)
    assert by_name["less"]["outcomes"]["empty"] == 2
    shown = bench_cli(
        "score", "--gold", gold, "--predictions", folder / "less.json", "--ngram", "1"
    )
    assert shown.returncode == 0, shown.stderr
    assert "less" in shown.stdout
    assert "ms/page" not in shown.stdout
    assert "1-gram precision" in shown.stdout


BAD_PREDICTIONS: dict[str, tuple[object, str]] = {
    "other keys": (bodies(x="text"), "none of its pages are in"),
    "none": ({}, "none of its pages are in"),
    "a list": ([1], "expected an object of page ids, found a list"),
    "no body": ({"a": {"text": "x"}}, 'page a has no "articleBody"'),
    "body no text": ({"a": {"articleBody": 5}}, '"articleBody" of page a is int, not text'),
    "two forms": ({"a": "x", "b": {"articleBody": "x"}}, 'page a has no "articleBody"'),
    "no text": ({"a": "x", "b": 5}, "page b is int, not text"),
}


@pytest.mark.parametrize("kind", [*BAD_PREDICTIONS, "no json", "not utf-8", "deep", "empty folder"])
def test_prediction_files_that_are_none(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path, kind: str
) -> None:
    gold, folder = f"folder:{folder_gold(PAIR)}", tmp_path / "theirs"
    content, message = BAD_PREDICTIONS.get(kind, ({}, "cannot be read as JSON"))
    path = predictions(folder, "system", content)
    if kind == "no json":
        path.write_text("{", encoding="utf-8")
    if kind == "not utf-8":
        path.write_bytes(b'{"a": {"articleBody": "caf\xe9"}}')
    if kind == "deep":
        path.write_text("[" * 100_000, encoding="utf-8")
    if kind == "empty folder":
        path.unlink()
        message = "holds no .json file"
    where = folder if kind == "empty folder" else path
    said = complaint(bench_cli("score", "--gold", gold, "--predictions", where))
    assert message in said
    assert "system" in said or "theirs" in said


def test_two_files_of_one_name(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    gold = f"folder:{folder_gold(PAIR)}"
    one = predictions(tmp_path / "one", "system", bodies(a="x"))
    two = predictions(tmp_path / "two", "system", bodies(a="x"))
    done = bench_cli("score", "--gold", gold, "--predictions", one, "--predictions", two)
    assert "two prediction files are called system" in complaint(done, 2)


def test_a_hostile_file_name_is_inert(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    gold = f"folder:{folder_gold(PAIR)}"
    name = "\x1b]0;owned\x07\u202egnp\x9b2J"
    good = predictions(tmp_path / "good", name, bodies(a="one two", z="stranger"))
    bad = predictions(tmp_path / "bad", name, bodies(z="x"))
    for path in (good, bad):
        done = bench_cli("score", "--gold", gold, "--predictions", path)
        assert done.returncode == (0 if path is good else 1)
        assert not re.search(
            r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", done.stdout + done.stderr
        )


def test_a_file_name_that_is_no_text(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    gold, folder = f"folder:{folder_gold(PAIR)}", tmp_path / "theirs"
    path = predictions(folder, "system", bodies(a="one two"))
    path.rename(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.json"))
    for more in ([], ["--json"]):
        done = bench_cli("score", "--gold", gold, "--predictions", folder, *more)
        assert "Traceback" not in done.stderr


# -- the other verbs ------------------------------------------------------------------------


def test_a_file_that_is_dropped_is_listed_at_once(bench_cli: BenchCli, checkout: Path) -> None:
    drop(checkout, "brand_new")
    (checkout / "extractors" / "broken.py").write_text("import no_such_module", encoding="utf-8")
    done = bench_cli("list", "--json", checkout=checkout)
    assert done.returncode == 0, done.stderr
    by_name = {each["name"]: each for each in json.loads(done.stdout)}
    assert by_name["brand_new"]["available"] is True
    assert by_name["brand_new"]["description"] == "Returns when it was asked."
    assert by_name["brand_new"]["variants"] == {"default": {}}
    assert by_name["broken"]["available"] is False
    assert by_name["broken"]["remedy"]
    for each in by_name.values():
        assert {"name", "version", "variants", "available", "problem", "remedy"} <= set(each)
    shown = bench_cli("list", "b*", checkout=checkout)
    assert shown.returncode == 0, shown.stderr
    assert "brand_new" in shown.stdout
    assert "xpath" not in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 100
    assert "did you mean" in complaint(bench_cli("list", "xpat", checkout=checkout), 2)


def test_data_sets_are_listed_and_verified(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    done = bench_cli("gold", "list", "--json")
    assert done.returncode == 0, done.stderr
    by_name = {each["name"]: each for each in json.loads(done.stdout)}
    assert by_name["aeb"]["installed"] is False
    assert by_name["aeb"]["pages"] == 181
    assert by_name["aeb"]["licence"]
    assert "aeb" in bench_cli("gold", "list").stdout
    gold = f"folder:{folder_gold()}"
    verified = bench_cli("gold", "verify", gold, "--json")
    assert verified.returncode == 0, verified.stderr
    report = json.loads(verified.stdout)
    assert (report["pages"], report["faulty"], report["findings"]) == (3, False, {})
    assert report["fingerprint"] in bench_cli("gold", "verify", gold).stdout
    assert "did you mean aeb" in complaint(bench_cli("gold", "verify", "aebb"), 2)


def test_runs_are_listed_and_shown(bench_cli: BenchCli, folder_gold: FolderGold) -> None:
    none = bench_cli("runs")
    assert none.returncode == 0
    assert "no runs in" in none.stdout
    assert bench_cli("runs", "--json").stdout.strip() == "[]"
    assert "bench run trafilatura" in complaint(bench_cli("runs", "show"), 2)
    assert bench_cli("run", "nothing", "--gold", f"folder:{folder_gold(PAIR)}").returncode == 0
    (listed,) = json.loads(bench_cli("runs", "--json").stdout)
    assert listed["status"] == "finished"
    assert listed["id"] in bench_cli("runs").stdout
    manifest = json.loads(bench_cli("runs", "show", "--json").stdout)
    assert manifest["id"] == listed["id"]
    assert manifest["machine"]["memory_bytes"] > 1 << 28
    (row,) = manifest["rows"]
    assert row["name"] == "nothing"
    assert any(each.startswith("click==") for each in manifest["packages"])
    assert len(manifest["load"]) >= 2
    shown = bench_cli("runs", "show", listed["id"][:10])
    assert shown.returncode == 0, shown.stderr
    assert "no run begins" in complaint(bench_cli("runs", "show", "1999"), 2)


@pytest.mark.parametrize("words", [["list", "--json"], ["list"], ["--help"]])
def test_a_reader_that_has_left(bench_home: Path, tmp_path: Path, words: list[str]) -> None:
    """``bench list | head``: no traceback, no complaint."""
    reading, writing = os.pipe()
    os.close(reading)
    env = commands.environment(bench_home)
    with commands.start(words, env=env, cwd=tmp_path, stdout=writing) as process:
        os.close(writing)
        _, said = process.communicate(timeout=60)
    assert said == ""
    assert process.returncode in (0, 1, 128 + signal.SIGPIPE)


@pytest.mark.parametrize("words", [["list"], ["list", "--json"], ["gold", "list"]])
def test_a_terminal_that_knows_few_characters(bench_cli: BenchCli, words: list[str]) -> None:
    done = bench_cli(*words, env={"PYTHONIOENCODING": "ascii"})
    assert "Traceback" not in done.stderr
    assert done.returncode == 0


def test_a_run_starts_no_program_that_it_does_not_need(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    stubs, log = tmp_path / "stubs", tmp_path / "log"
    stubs.mkdir()
    for name in ("node", "npm", "java", "python2", "Rscript", "R", "uv", "pip", "uname", "sh"):
        (stubs / name).write_text(f"#!/bin/bash\necho {name} >> '{log}'\nexit 1\n")
        (stubs / name).chmod(0o755)
    path = {"PATH": f"{stubs}{os.pathsep}{os.environ['PATH']}"}
    done = bench_cli("run", "xpath", "--gold", f"folder:{folder_gold()}", "-q", env=path)
    assert done.returncode == 0, done.stderr
    assert not log.exists(), log.read_text()
    bench_cli("list", "boilerpipe", env=path)
    assert log.read_text() == "java\n", "what is named is asked"
    bench_cli("list", "boilerpipe", env=path)
    assert log.read_text() == "java\n", "once"
