"""Runs on the command line: which is the latest, tags, what is removed, words that name rows."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import bench
from bench.runs.store import runs
from bench.runs.store.manifest import Status
from bench.runs.store.runs import RunFolder
from tests.conftest import BenchCli


@pytest.fixture
def here(finished: Path, tmp_path: Path) -> Path:
    """A folder of one's own with the finished run, which has xpath, html_text, nothing and gold."""
    return shutil.copytree(finished, tmp_path / "here", dirs_exist_ok=True)


def copied(here: Path, name: str, **changed: object) -> RunFolder:
    """Store the run again, later than all others, as something else."""
    first = runs.find(here / "results", None)
    again = RunFolder(shutil.copytree(first.path, here / "results" / f"3000{name}"))
    again.write_manifest(replace(first.manifest, id=again.id, **changed))  # type: ignore[arg-type]
    return again


def test_a_run_in_which_nothing_could_run_failed_and_is_not_the_latest(
    bench_cli: BenchCli, here: Path
) -> None:
    (here / "broken.py").write_text(
        '"""Broken."""\nfrom bench.extractor import Extractor\n\n\nclass Broken(Extractor):\n'
        '    """Broken."""\n\n    name = "broken"\n\n    def load(self):\n        1 / 0\n\n'
        "    def extract(self, html, url):\n        return html\n",
        encoding="utf-8",
    )
    words = ("run", "broken", "--adapter", "broken.py", "--gold", "folder:pages")
    for _ in range(2):  # the second finds the first, and tries it again
        done = bench_cli(*words, cwd=here)
        assert done.returncode == 1
        assert "no extractor could be run (broken: cannot be loaded: ZeroDivision" in done.stderr
    newest, first = runs.all_runs(here / "results")
    assert newest.manifest.status == Status.FAILED
    assert runs.find(here / "results", None).id == first.id
    for verb in (("leaderboard",), ("report",), ("compare", "xpath", "html_text")):
        done = bench_cli(*verb, cwd=here)
        assert done.returncode == 0, done.stderr
    asked_for = bench_cli("leaderboard", newest.id, cwd=here)
    assert asked_for.returncode == 2
    assert f"nothing could run in {newest.id}: broken: cannot be loaded" in asked_for.stderr


def test_runs_of_other_verbs_are_the_latest_only_where_there_is_no_other(
    bench_cli: BenchCli, here: Path
) -> None:
    own = runs.find(here / "results", None)
    check = copied(here, "check", verb="check")
    assert json.loads(bench_cli("leaderboard", "--json", cwd=here).stdout)["run"] == own.id
    assert bench_cli("leaderboard", check.id, cwd=here).returncode == 0
    shutil.rmtree(own.path)
    assert json.loads(bench_cli("leaderboard", "--json", cwd=here).stdout)["run"] == check.id


def test_compare_finds_the_newest_run_that_has_both_rows(bench_cli: BenchCli, here: Path) -> None:
    own = runs.find(here / "results", None)
    rows = {row.label: row for row in own.manifest.rows}
    copied(here, "later", rows=[rows["xpath"]])
    copied(here, "latest", rows=[rows["nothing"], rows["gold"]], verb="history")

    def runs_of(*words: str) -> list[str]:
        done = bench_cli("compare", *words, "--json", cwd=here)
        assert done.returncode == 0, done.stderr
        both = json.loads(done.stdout)
        return [both[side].rpartition(" ")[2] for side in ("first", "second")]

    assert runs_of("xpath", "html_text") == [own.id, own.id]
    shutil.rmtree(own.path)
    assert runs_of("xpath", "nothing") == ["3000later", "3000latest"], "one row of each"
    unknown = bench_cli("compare", "xpath", "nothin", cwd=here)
    assert unknown.returncode == 2
    assert "no run has a row 'nothin'; did you mean nothing?" in unknown.stderr


def test_a_label_of_the_leaderboard_names_its_row_everywhere(
    bench_cli: BenchCli, here: Path
) -> None:
    own = runs.find(here / "results", None)
    variants = {"xpath": "default@../old", "html_text": "fast+clean@git+https://example.org/a@1"}
    first, second = labels = "acme@../old", "acme:fast+clean@git+https://example.org/a@1"
    new_labels = dict(zip(variants, labels, strict=True))
    rows = [
        replace(
            row,
            label=new_labels[row.label],
            variant=variants[row.label],
            facts=replace(row.facts, name="acme"),
        )
        if row.label in variants
        else row
        for row in own.manifest.rows
    ]
    own.write_manifest(replace(own.manifest, rows=rows))
    printed = json.loads(bench_cli("leaderboard", "--json", cwd=here).stdout)
    assert set(labels) <= {line["label"] for line in printed["extractors"]}
    for words in (
        ("compare", first, second),
        ("compare", f"latest/{first}", f"{own.id}/{second}"),
        ("show", "boats", first, second),
        ("export", first, "--form", "aeb", "--output", "out"),
    ):
        done = bench_cli(*words, cwd=here)
        assert done.returncode == 0, (words, done.stderr)


def test_a_tag_serves_wherever_an_id_does(bench_cli: BenchCli, here: Path) -> None:
    own = runs.find(here / "results", None)
    later = copied(here, "later")
    assert bench_cli("runs", "tag", "main", own.id, cwd=here).stdout == f"main is {own.id}\n"
    assert json.loads(bench_cli("leaderboard", "main", "--json", cwd=here).stdout)["run"] == own.id
    assert bench.open_run("main", results=here / "results").id == own.id
    done = bench_cli("compare", "main/xpath", "latest/xpath", "--json", cwd=here)
    assert own.id in json.loads(done.stdout)["first"]
    tags = {
        run["id"]: run["tags"] for run in json.loads(bench_cli("runs", "--json", cwd=here).stdout)
    }
    assert tags == {own.id: ["main"], later.id: []}

    assert bench_cli("runs", "tag", "main", cwd=here).stdout == f"main is {later.id}\n", "it moves"
    for words, said in (
        (("runs", "tag", "latest"), "cannot be a tag"),
        (("runs", "tag", "../x"), "cannot be a tag"),
        (("runs", "tag", "--remove", "mian"), "did you mean main?"),
        (("runs", "tag", "--remove", "main", own.id), "leave RUN out"),
        (("leaderboard", "pr-12"), "no run begins with 'pr-12'"),
    ):
        refused = bench_cli(*words, cwd=here)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert said in refused.stderr
    assert bench_cli("runs", "tag", "--remove", "main", cwd=here).returncode == 0
    assert runs.tags(here / "results") == {}


def test_runs_are_removed_by_name_and_where_a_newer_one_stands_in(
    bench_cli: BenchCli, here: Path
) -> None:
    own = runs.find(here / "results", None)
    copied(here, "1-failed", status=Status.FAILED)
    copied(here, "2-check", verb="check", plan="another")
    copied(here, "3-check", verb="check")
    copied(here, "4-same")
    runs.tag(here / "results", "kept", own)
    dry = bench_cli("runs", "prune", "--dry-run", cwd=here)
    assert dry.stdout.splitlines() == [
        "would remove 30002-check: 30003-check stands in for it",
        "would remove 30001-failed: nothing could run",
        "2 runs would be removed",
    ]
    assert len(list(runs.all_runs(here / "results"))) == 5
    bench_cli("runs", "prune", cwd=here)
    left = [run.id for run in runs.all_runs(here / "results")]
    assert left == ["30004-same", "30003-check", own.id]

    assert bench_cli("runs", "rm", "kept", "30003", cwd=here).returncode == 0
    assert [run.id for run in runs.all_runs(here / "results")] == ["30004-same"]
    assert runs.tags(here / "results") == {}
    assert bench_cli("runs", "rm", "kept", cwd=here).returncode == 2
    with runs.find(here / "results", None).alone():
        busy = bench_cli("runs", "rm", "3000", cwd=here)
    assert (busy.returncode, "under way in another process" in busy.stderr) == (1, True)


@pytest.mark.parametrize("width", [80, 100])
def test_runs_fit_their_terminal_and_show_no_python(
    bench_cli: BenchCli, here: Path, width: int
) -> None:
    for words in (("runs",), ("runs", "show")):
        shown = bench_cli(*words, cwd=here, env={"COLUMNS": str(width)}).stdout
        assert max(map(len, shown.splitlines())) <= width
        assert not set("{}[]") & set(shown)
