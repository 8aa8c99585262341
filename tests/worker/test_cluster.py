"""Shards on dask workers: real schedulers and workers, which are killed; the same run in the end."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import dask
import pandas as pd
import psutil
import pyarrow.parquet as pq
import pytest

import bench
from bench.adapters import registry
from bench.datasets import catalogue
from bench.model import BenchError
from bench.runs import cluster, new_run, runner, shards
from bench.runs.cluster import Preparation, Wanted
from bench.runs.plan import Plan
from bench.runs.shards import Shard
from bench.runs.store import runs
from bench.runs.store.runs import RunFolder
from bench.scoring import metric_catalogue
from bench.scoring.scores import ShardScorer
from tests import commands, rogues
from tests.conftest import BenchCli, FolderGold, html_of, text_of

SLOW = '''"""Takes its time over every page."""
import time

from bench.extractor import Extractor


class Slow(Extractor):
    """Takes its time over every page."""

    name = "slow"

    def load(self):
        pass

    def extract(self, html, url):
        time.sleep({seconds})
        return html[-200:]
'''


@pytest.fixture
def gold(folder_gold: FolderGold) -> Path:
    bodies = {f"p{number}": f"<p>What page {number} says.</p>" for number in range(4)}
    return folder_gold({key: (html_of(body), text_of(body)) for key, body in bodies.items()})


class Place:
    """A folder from which the same command is given again and again, as a process of its own."""

    def __init__(self, folder: Path, gold: str | Path, *rows: str, seconds: float = 0.0) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.env = commands.environment(folder / "home")
        (folder / "slow.py").write_text(SLOW.format(seconds=seconds), encoding="utf-8")
        adapter = ("--adapter", str(folder / "slow.py"))
        self.words = ("run", *rows, *adapter, "--gold", str(gold), "--quiet", "--json")

    def start(self, *more: str) -> subprocess.Popen[str]:
        return commands.start(
            [*self.words, *more], env=self.env, cwd=self.folder, stdout=subprocess.DEVNULL
        )

    def finish(self, *more: str) -> pd.DataFrame:
        """Give the command until it succeeds, and return what the cells say."""
        with self.start(*more) as process:
            errors = process.communicate(timeout=1800)[1]
        assert process.returncode == 0, errors
        return said(runs.find(self.folder / "results", None))

    @property
    def arrived(self) -> int:
        """How many shards are kept."""
        return len(list(self.folder.glob("results/*-shard-*/manifest.json")))


def said(run: RunFolder) -> pd.DataFrame:
    """What every cell says that no machine changes."""
    cells = run.cells()[["row", "page", "repeat", "outcome", "text_hash", "page_hash"]]
    return cells.sort_values(["row", "page", "repeat"], ignore_index=True)


def until(true: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it does not come about"
        time.sleep(0.02)


def dask_workers(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Return the processes that ``local:N`` started for its workers."""
    children = psutil.Process(process.pid).children()
    return [child for child in children if "multiprocessing.spawn" in " ".join(child.cmdline())]


def test_a_killed_worker_changes_nothing(tmp_path: Path, gold: Path) -> None:
    one = Place(tmp_path / "one", f"folder:{gold}", "slow", "xpath")
    alone = one.finish()
    many = Place(tmp_path / "many", f"folder:{gold}", "slow", "xpath")
    with many.start("--cluster", "local:2") as process:
        until(lambda: many.arrived)
        dask_workers(process)[0].kill()
        errors = process.communicate(timeout=120)[1]
    assert process.returncode == 0, errors
    (run,) = runs.all_runs(many.folder / "results")
    pd.testing.assert_frame_equal(said(run), alone)
    assert len(run.manifest.shards) == 4
    assert list(run.cells()["page"]) == ["p0", "p1", "p2", "p3"] * 2
    assert not run.has_texts
    ours, theirs = (bench.open_run(results=place.folder / "results") for place in (one, many))
    pd.testing.assert_frame_equal(
        theirs.leaderboard().filter(like="f1"), ours.leaderboard().filter(like="f1")
    )
    with pytest.raises(BenchError, match=r"has no texts.* fix: bench run .* --keep-texts"):
        theirs.texts("xpath")
    assert not many.finish("--cluster", "local:2", "--keep-texts").empty
    assert bench.open_run(results=many.folder / "results").texts("xpath") == ours.texts("xpath")


# -- a shard, without dask ----------------------------------------------------------------------------


ALL = Wanted()


def plan_of(gold: Path) -> Plan:
    return Plan(registry.rows(["xpath", "nothing"]), catalogue.open_gold(f"folder:{gold}"))


def tasks_of(plan: Plan, of: int, wanted: Wanted = ALL) -> list[Any]:
    return [
        cluster._task(plan, Shard(number, of), Preparation(build=False), wanted, fresh=False)
        for number in range(1, of + 1)
    ]


def test_pages_that_a_worker_has_not_are_sent(tmp_path: Path, gold: Path) -> None:
    plan = plan_of(gold)
    tasks = tasks_of(plan, 2)
    sent = [cluster._to_send(plan.data_set, task.shard) for task in tasks]
    away = gold.rename(tmp_path / "away")
    kept = []
    for task, data_set in zip(tasks, sent, strict=True):
        assert cluster._run_shard(task) is None
        files = cluster._run_shard(task, data_set)
        assert files is not None
        kept.append(cluster._kept(files, plan, tmp_path / "results", ALL))
    away.rename(gold)
    merged = shards.merge(tmp_path / "results", kept)
    assert merged.manifest.gold.root == str(gold)
    assert set(merged.cells()["outcome"]) == {"ok", "empty"}
    assert len(bench.open_run(merged.id, results=tmp_path / "results").scores()) == 8
    (home,) = (Path(os.environ["BENCH_HOME"]) / "shards").iterdir()
    assert not [path for path in home.iterdir() if path.is_dir()]


def test_figures_come_back_without_texts(tmp_path: Path, gold: Path, bench_cli: BenchCli) -> None:
    (gold / "p1.txt").unlink()  # a shard without gold
    (gold / "p3.txt").write_text("", encoding="utf-8")
    (gold / "pages.jsonl").write_text('{"id": "p3", "no_main_content": true}', encoding="utf-8")
    plan = plan_of(gold)
    metrics = [metric_catalogue.find(name) for name in ("ngram", "bow")]
    wanted = Wanted(ShardScorer.of(metrics, plan.data_set), texts=False)
    kept = []
    for task in tasks_of(plan, 4, wanted):
        files = cluster._run_shard(task)
        assert files is not None
        assert "texts.parquet" not in files
        kept.append(cluster._kept(files, plan, tmp_path / "results", wanted))
    merged = shards.merge(tmp_path / "results", kept)
    assert not merged.has_texts
    folder = new_run.start(plan, tmp_path / "alone", reuse=False)
    runner.execute(plan, folder, rogues.Silent())
    for metric in metrics:
        alone = bench.open_run(results=tmp_path / "alone").scores(metric.name)
        run = bench.open_run(merged.id, results=tmp_path / "results")
        pd.testing.assert_frame_equal(run.scores(metric.name), alone)
    ours, theirs = (
        bench.open_run(results=tmp_path / results).board for results in ("alone", "results")
    )
    assert [line.figures for line in theirs.lines] == [line.figures for line in ours.lines]
    shares = [line.abstention and line.abstention.share for line in theirs.lines]
    assert shares == [0.0, 1.0]
    with pytest.raises(BenchError, match="--keep-texts"):
        bench.open_run(merged.id, results=tmp_path / "results").scores("lcs")
    site = tmp_path / "site"
    done = bench_cli("report", merged.id, "--results", tmp_path / "results", "--output", site)
    assert (done.returncode, "fix: bench run … --cluster … --keep-texts" in done.stderr) == (
        0,
        True,
    )
    agreement = next(site.rglob("agreement.html")).read_text(encoding="utf-8")
    assert ("Correlation of scores" in agreement, "Overlap of texts" in agreement) == (True, False)
    assert not list(site.rglob("pages/*"))


def test_a_run_whose_texts_nobody_wants_has_their_hashes(tmp_path: Path, gold: Path) -> None:
    plan, cells = plan_of(gold), []
    for keep_texts in (True, False):
        folder = new_run.start(plan, tmp_path / str(keep_texts), reuse=False)
        runner.execute(plan, folder, rogues.Silent(), keep_texts=keep_texts)
        cells.append(folder.cells("row", "page", "outcome", "text_hash", "text_chars"))
        texts = pq.read_table(folder.path / "texts.parquet")
        assert bool(texts.num_rows) == keep_texts
    pd.testing.assert_frame_equal(*cells)


def test_other_pages_of_the_same_name_are_not_taken(gold: Path) -> None:
    (task, _) = tasks_of(plan_of(gold), 2)
    (gold / "p1.txt").write_text("something else", encoding="utf-8")
    assert cluster._run_shard(task) is None


def test_a_machine_with_other_versions_says_so(gold: Path) -> None:
    (task, _) = tasks_of(plan_of(gold), 2)
    with pytest.raises(BenchError, match=r"has bench .*, not 0\.0\.1; fix: install the same there"):
        cluster._run_shard(replace(task, bench_version="0.0.1"))
    others = dict.fromkeys(task.rows, ("another key", "9"))
    with pytest.raises(BenchError, match=r"has another xpath .*asked for 9.*; fix: install"):
        cluster._run_shard(replace(task, rows=others))


def test_words_that_mean_no_cluster(bench_cli: BenchCli, gold: Path) -> None:
    words = ("run", "xpath", "--gold", f"folder:{gold}")
    for where in ("local", "local:0", "local:x", "8786", "http://here:1"):
        done = bench_cli(*words, "--cluster", where)
        assert (done.returncode, "is no cluster; fix: --cluster local:4" in done.stderr) == (
            2,
            True,
        )
    alone = bench_cli(*words, "--keep-texts")
    assert (alone.returncode, "--keep-texts is for --cluster" in alone.stderr) == (2, True)
    both = bench_cli(*words, "--cluster", "local:2", "--shard", "1/2")
    assert (both.returncode, "leave out --shard" in both.stderr) == (2, True)


def test_a_worker_of_this_machine_has_one_thread_for_each_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "MALLOC_TRIM_THRESHOLD_")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    with cluster._connected("local:1") as client:
        values = [list(client.run(os.getenv, name).values()) for name in names]
        settings = [list(client.run(dask.config.get, name).values()) for name in cluster._DASK]
    assert values == [["1"], ["1"], ["1"], [None]]
    assert settings == [[value] for value in cluster._DASK.values()]
    assert dask.config.get("distributed.worker.profile.enabled"), "it is as it was"


# -- schedulers and workers on the network ------------------------------------------------------------


class Lan:
    """A network namespace for each machine, on one bridge with ours; where none is allowed, ours alone.

    ``address`` is ours on it, ``prefixes`` are what has a command run on each machine.
    """

    def __init__(self, machines: int) -> None:
        self._bridge = f"bench-{os.getpid()}"
        self._names = [f"{self._bridge}-{number}" for number in range(machines)]
        self.address = "10.213.77.1"
        self.prefixes = [["nsenter", f"--net=/run/netns/{name}"] for name in self._names]
        try:
            _ip("link", "add", self._bridge, "type", "bridge")
            _ip("addr", "add", f"{self.address}/24", "dev", self._bridge)
            _ip("link", "set", self._bridge, "up")
            for number, name in enumerate(self._names):
                _ip("netns", "add", name)
                cable = f"{name[-13:]}c"
                _ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", name)
                _ip("link", "set", cable, "master", self._bridge, "up")
                _ip("-n", name, "addr", "add", f"10.213.77.{number + 2}/24", "dev", "eth0")
                for device in ("eth0", "lo"):
                    _ip("-n", name, "link", "set", device, "up")
        except (OSError, subprocess.CalledProcessError):
            self.close()
            self.address = "127.0.0.1"
            self.prefixes = [[] for _ in self._names]

    def close(self) -> None:
        for words in (("link", self._bridge), *(("netns", name) for name in self._names)):
            with contextlib.suppress(OSError, subprocess.CalledProcessError):
                _ip(words[0], "del", words[1])


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Network:
    """A scheduler and two workers, each with a data directory and a work folder of its own."""

    def __init__(self, folder: Path, lan: Lan) -> None:
        self.folder = folder
        self._lan = lan
        with socket.socket() as free:
            free.bind((lan.address, 0))
            self.address = f"tcp://{lan.address}:{free.getsockname()[1]}"
        self.scheduler = self._dask("scheduler", "--port", self.address.rpartition(":")[2])
        self.workers = [self.worker(number) for number in range(2)]

    def worker(self, number: int) -> subprocess.Popen[bytes]:
        own = self.folder / f"machine-{number}"
        own.mkdir(exist_ok=True)
        return self._dask(
            "worker", self.address, "--nthreads", "1", "--memory-limit", "0",
            "--local-directory", str(own), home=own / "home", prefix=self._lan.prefixes[number],
        )  # fmt: skip

    def _dask(
        self, verb: str, *words: str, home: Path | None = None, prefix: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        command = [*prefix, sys.executable, "-m", "dask", verb, *words, "--no-dashboard"]
        env = commands.environment(home or self.folder / "home")
        with (self.folder / "dask.log").open("ab") as log:
            return subprocess.Popen(
                command, env=env, cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            killed(process)


def killed(process: subprocess.Popen[Any]) -> None:
    """Kill a process that we started, and what it started."""
    with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
        family = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        for child in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()
    process.wait()


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Callable[[], Network]]:
    started: list[Network] = []
    lan = Lan(2)

    def start() -> Network:
        for before in started:
            before.close()
        folder = tmp_path / "network"
        folder.mkdir(exist_ok=True)
        started.append(Network(folder, lan))
        return started[-1]

    yield start
    for before in started:
        before.close()
    lan.close()


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["worker", "scheduler", "client"])
def test_whoever_is_killed_the_same_command_ends_in_the_same_tables(
    tmp_path: Path, folder_gold: FolderGold, network: Callable[[], Network], victim: str
) -> None:
    bodies = {f"p{number:02}": f"<p>What page {number} says.</p>" for number in range(24)}
    gold = folder_gold({key: (html_of(body), text_of(body)) for key, body in bodies.items()})
    place = Place(tmp_path / "client", f"folder:{gold}", "slow", "xpath", "nothing", seconds=0.3)
    alone = place.finish()
    shutil.rmtree(place.folder / "results")
    moments = random.Random(20200101)
    for _ in range(5):
        net = network()
        with place.start("--cluster", net.address) as process:
            time.sleep(moments.uniform(3.0, 12.0))
            match victim:
                case "worker":
                    killed(net.workers[0])
                    net.workers[0] = net.worker(0)
                case "scheduler":
                    net.scheduler.send_signal(signal.SIGKILL)
                case "client":
                    process.kill()
            errors = process.communicate(timeout=240)[1]
        if victim == "worker":
            assert process.returncode == 0, errors
        elif process.returncode > 0:
            lines = ("the same command goes on", "no worker answers at")
            assert any(line in errors for line in lines), errors
        before = {path.name for path in place.folder.glob("results/*-shard-*")}
        if victim == "scheduler":
            net = network()
        pd.testing.assert_frame_equal(place.finish("--cluster", net.address), alone)
        (run,) = runs.all_runs(place.folder / "results")
        assert before <= {part.run for part in run.manifest.shards}
        assert not run.cells().duplicated(["row", "page", "repeat"]).any()
        shutil.rmtree(place.folder / "results")


@pytest.mark.slow
def test_all_starter_rows_are_equal_local_merged_and_on_a_cluster(tmp_path: Path) -> None:
    place = Place(tmp_path / "client", "starter")
    place.words = ("run", "--all", "--no-build", "--quiet", "--json")
    alone, boards = place.finish(), []
    for folder, more in (("merged", ()), ("cluster", ("--cluster", "local:2"))):
        other = Place(tmp_path / folder, "starter")
        other.words = place.words
        if more:
            cells = other.finish(*more)
        else:
            for number in (1, 2):
                with other.start("--shard", f"{number}/2") as process:
                    assert process.wait(timeout=1800) == 0
            results = other.folder / "results"
            cells = said(shards.merge(results, list(runs.all_runs(results))))
        pd.testing.assert_frame_equal(cells, alone)
        boards.append(bench.open_run(results=other.folder / "results").scores())
    pd.testing.assert_frame_equal(boards[0], boards[1])
    pd.testing.assert_frame_equal(
        boards[0], bench.open_run(results=place.folder / "results").scores()
    )
