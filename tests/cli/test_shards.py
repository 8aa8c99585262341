"""One plan in shards on several machines, merged into the run that one machine would have made."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

import bench
from bench.model import BenchError, UsageError
from bench.runs import shards
from bench.runs.shards import Shard
from bench.runs.store import runs
from bench.runs.store.manifest import Manifest, Status
from bench.runs.store.runs import RunFolder
from tests.conftest import PAGES, BenchCli, html_of, once, run_once, text_of, write_pages

ROWS = ("xpath", "html_text", "nothing")
BODIES = [*PAGES.values(), "<p>Two pages</p>", "", "<p>say the same.</p>", "<p>say the same.</p>"]


@pytest.fixture(scope="session")
def in_shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plan run as a whole in ``whole``, in three shards in ``results``."""

    def make(here: Path) -> None:
        pages = {f"p{n}": (html_of(body), text_of(body) or "-") for n, body in enumerate(BODIES)}
        gold = write_pages(here / "pages", pages)
        words = ("run", *ROWS, "--gold", f"folder:{gold}", "--quiet")
        run_once(here, *words, "--results", "whole")
        for number in (2, 3, 1):
            run_once(here, *words, "--shard", f"{number}/3")

    return once(tmp_path_factory, "in_shards", make)


@pytest.fixture
def here(in_shards: Path, tmp_path: Path) -> Path:
    return shutil.copytree(in_shards, tmp_path / "here", dirs_exist_ok=True)


def told(run: RunFolder) -> pd.DataFrame:
    """What every cell said, which no machine changes."""
    return run.cells()[["row", "page", "repeat", "outcome", "text_hash", "page_hash"]]


def parts(here: Path) -> list[RunFolder]:
    """The shards, in order."""
    every = [run for run in runs.all_runs(here / "results") if run.manifest.shard]
    return sorted(every, key=lambda run: run.manifest.shard)


def changed(run: RunFolder, **facts: Any) -> Manifest:
    manifest = replace(run.manifest, **facts)
    run.write_manifest(manifest)
    return manifest


def test_every_page_is_in_one_shard() -> None:
    ids = [f"p{number}" for number in range(11)]
    assert sorted(i for n in (1, 2, 3, 4) for i in Shard(n, 4).pages(ids)) == sorted(ids)
    for word in ("0/4", "5/4", "1", "1/0", "a/b", "1/2/3", "-1/2", ""):
        with pytest.raises(UsageError, match="is no shard"):
            Shard.parse(word)
    with pytest.raises(UsageError, match="11 pages cannot be cut into 12 shards"):
        Shard(1, 12).pages(ids)


def test_merged_shards_are_the_run_of_one_machine(bench_cli: BenchCli, here: Path) -> None:
    whole = runs.find(here / "whole", None)
    done = bench_cli("runs", "merge", *(run.id for run in parts(here)), cwd=here)
    assert done.returncode == 0, done.stderr
    assert "merged 3 shards into results/" in done.stdout
    merged = runs.find(here / "results", None)
    pd.testing.assert_frame_equal(told(merged), told(whole))
    assert set(merged.cells()["machine"]) == {whole.manifest.machine_id}
    assert sorted(merged.texts(merged.cells()["text_hash"])) == sorted(
        whole.texts(whole.cells()["text_hash"])
    )
    scores = [bench.open_run(run.id, results=run.path.parent).scores() for run in (merged, whole)]
    pd.testing.assert_frame_equal(*scores)
    # The run of the plan is found, and shards can go.
    words = ("run", *ROWS, "--gold", f"folder:{merged.manifest.gold.root}", "--quiet")
    assert f"found {merged.id}, finished" in bench_cli(*words, cwd=here).stderr
    assert bench_cli("runs", "prune", cwd=here).stdout.count("stands in for it") == 3
    assert [run.id for run in runs.all_runs(here / "results")] == [merged.id]


def test_cells_are_merged_in_parts(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "_AT_ONCE", 1)
    merged = shards.merge(here / "results", parts(here))
    pd.testing.assert_frame_equal(told(merged), told(runs.find(here / "whole", None)))
    groups = pq.ParquetFile(merged.path / "cells.parquet").num_row_groups
    assert groups > len(merged.manifest.rows)


def test_a_beginning_or_folders_name_shards_and_equal_ones_count_once(
    bench_cli: BenchCli, here: Path
) -> None:
    again = parts(here)[1]
    shutil.copytree(again.path, here / "elsewhere")
    done = bench_cli("runs", "merge", "2", "elsewhere", cwd=here)
    assert done.returncode == 0, done.stderr
    merged = runs.find(here / "results", None)
    pd.testing.assert_frame_equal(told(merged), told(runs.find(here / "whole", None)))
    assert "shards      1/3 " in bench_cli("runs", "show", merged.id, cwd=here).stdout


def test_a_shard_is_no_run_to_report_on(bench_cli: BenchCli, here: Path) -> None:
    (first, *_) = parts(here)
    done = bench_cli("leaderboard", first.id, cwd=here)
    assert (done.returncode, "is shard 1/3 of a plan; fix: bench runs merge" in done.stderr) == (
        2,
        True,
    )
    assert "no finished run in" in bench_cli("leaderboard", cwd=here).stderr
    listed = json.loads(bench_cli("runs", "--json", cwd=here).stdout)
    assert sorted(run["shard"] for run in listed) == ["1/3", "2/3", "3/3"]


def test_what_is_missing_is_named(here: Path) -> None:
    first, second, third = parts(here)
    changed(second, status=Status.INTERRUPTED)
    with pytest.raises(BenchError, match=r"2 of 3 shards are missing or not finished: 2/3, 3/3"):
        shards.merge(here / "results", [first, second])
    changed(second, status=Status.FINISHED)
    changed(
        third,
        rows=[replace(row, available=False, problem="no Java") for row in third.manifest.rows],
    )
    with pytest.raises(BenchError, match=r"shard 3/3 .* lacks html_text: no Java; fix:"):
        shards.merge(here / "results", [first, second, third])


def test_cells_that_are_not_all_there_are_refused(here: Path) -> None:
    first, second, third = parts(here)
    shutil.copy(first.path / "cells.parquet", second.path / "cells.parquet")
    with pytest.raises(BenchError, match=r"the shards hold 5 different cells of 7 of row "):
        shards.merge(here / "results", [first, second, third])
    assert not [run for run in runs.all_runs(here / "results") if not run.manifest.shard]


def of_rows(**facts: Any) -> Callable[[Manifest], dict[str, Any]]:
    return lambda manifest: {"rows": [replace(row, **facts) for row in manifest.rows]}


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (lambda m: {"gold": replace(m.gold, fingerprint="f" * 64)}, "the data set"),
        (lambda _: {"bench_version": "9"}, "the version of bench"),
        (lambda _: {"shard": "2/4"}, "the number of shards"),
        (lambda m: {"conditions": replace(m.conditions, page_s=1.0)}, "conditions"),
        (lambda _: {"repeats": 2}, "repeats"),
        (of_rows(version="0.0.1"), "the version of html_text"),
        (of_rows(settings={"a": 1}), "the settings of html_text"),
        (of_rows(source_hash="0" * 64), "the adapter source of html_text"),
        (lambda m: {"rows": m.rows[1:]}, "the version of html_text"),
        (lambda _: {"plan": "another"}, "the plan"),
    ],
)
def test_shards_of_other_plans_are_refused(
    here: Path, facts: Callable[[Manifest], dict[str, Any]], words: str
) -> None:
    first, second, third = parts(here)
    changed(second, **facts(second.manifest))
    with pytest.raises(UsageError, match=f"not shards of one plan: they differ in {words} "):
        shards.merge(here / "results", [first, second, third])


def test_timings_of_different_machines_are_marked(bench_cli: BenchCli, here: Path) -> None:
    first, *others = parts(here)
    machine = replace(first.manifest.machine, cpu="another processor")
    changed(
        first,
        machine=machine,
        machine_id=machine.id,
        packages=[*first.manifest.packages, "lxml==1"],
    )
    merged = shards.merge(here / "results", [first, *others])
    assert not merged.manifest.timings_compare
    different, packages = (
        next(line for line in merged.manifest.warnings if words in line)
        for words in ("measured on different machines", "not all machines had the same packages")
    )
    assert "another processor" in different
    assert "lxml==1" in packages
    done = bench_cli("leaderboard", "--markdown", cwd=here)
    assert "Timings are of 2 different machines: do not compare them." in done.stdout
    assert (
        json.loads(bench_cli("leaderboard", "--json", cwd=here).stdout)["timings_ranked"] is False
    )


def test_shards_at_the_same_time_on_one_host_are_contended(here: Path) -> None:
    first, second, third = parts(here)
    at = "2026-01-01T00:0{}:00+00:00".format
    changed(first, started=at(0), finished=at(2))
    changed(second, started=at(1), finished=at(3))
    changed(third, started=at(3), finished=at(4))
    merged = shards.merge(here / "results", [first, second, third])
    assert merged.manifest.conditions.jobs == 2
    assert any("timings are contended: 2 workers" in line for line in merged.manifest.warnings)
    changed(second, host="another")
    apart = shards.merge(here / "results", [first, second, third])
    assert apart.manifest.timings_compare
