"""``[run]`` and ``[check]`` of ``bench.toml``: defaults of options, read strictly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.runs.store import runs
from tests.conftest import BenchCli, FolderGold


@pytest.fixture
def here(tmp_path: Path, bench_cli: BenchCli) -> Path:
    """The folder that commands are given in."""
    return tmp_path / "here"


def test_defaults_of_a_run(bench_cli: BenchCli, folder_gold: FolderGold, here: Path) -> None:
    """Paths are beside the file, wherever below it the command is given; the user has the last word."""
    gold = folder_gold()
    (here / "pages").symlink_to(gold)
    (here / "bench.toml").write_text(
        "[run]\n"
        'gold = "folder:pages"\n'
        'results = "kept"\n'
        "repeat = 2\n"
        "deadline = 20\n"
        'metric = ["bow", "ngram"]\n'
        "json = true\n"
        "build = false\n",
        encoding="utf-8",
    )
    (here / ".git").mkdir()
    below = here / "below"
    below.mkdir()
    done = bench_cli("run", "everything", cwd=below)
    assert done.returncode == 0, done.stderr
    board = json.loads(done.stdout)
    assert board["metric"]["name"] == "bow"
    conditions = runs.find(here / "kept", board["run"]).manifest
    assert conditions.repeats == 2
    again = bench_cli("run", "everything", "--repeat", "1", "--metric", "ngram", cwd=below)
    assert again.returncode == 0, again.stderr
    board = json.loads(again.stdout)
    assert board["metric"]["name"] == "ngram"
    assert runs.find(here / "kept", board["run"]).manifest.repeats == 1


def test_defaults_of_a_check(bench_cli: BenchCli, here: Path) -> None:
    (here / "bench.toml").write_text('[check]\nbaseline = "ci/old.json"\n', encoding="utf-8")
    done = bench_cli("check")
    assert done.returncode == 2
    assert str(Path("ci", "old.json")) in done.stderr


@pytest.mark.parametrize(
    ("verb", "line", "said"),
    [
        ("run", "job = 2", "run.job is unknown; did you mean jobs?"),
        ("run", "all = true", "run.all is unknown; "),
        ("run", "names = ['a']", "run.names is unknown; "),
        ("run", 'jobs = "2"', "run.jobs is '2'; write a whole number"),
        ("run", "jobs = true", "run.jobs is True; write a whole number"),
        ("run", "jobs = 0", "run.jobs is wrong: 0 is not in the range 1<=x<=256."),
        ("run", "quiet = 1", "run.quiet is 1; write true or false"),
        ("run", "results = 1", "run.results is 1; write a text"),
        ("run", "metric = [1]", "run.metric is 1; write a text"),
        ("check", "update = true", "check.update is unknown; "),
        ("check", "epsilon = [1]", "check.epsilon is [1]; write a number"),
    ],
)
def test_a_mistake_is_one_line(
    bench_cli: BenchCli, here: Path, verb: str, line: str, said: str
) -> None:
    (here / "bench.toml").write_text(f"[{verb}]\n\n{line}\n", encoding="utf-8")
    done = bench_cli(verb, "everything")
    assert done.returncode == 2
    (only,) = done.stderr.splitlines()
    assert f"bench.toml, line 3: {said}" in only


@pytest.mark.parametrize(
    ("text", "said"), [("run = 1", "run is no table; write [run]"), ("[run", "")]
)
def test_a_file_that_is_none(bench_cli: BenchCli, here: Path, text: str, said: str) -> None:
    (here / "bench.toml").write_text(text, encoding="utf-8")
    done = bench_cli("run", "everything")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "bench.toml" in done.stderr
    assert said in done.stderr
