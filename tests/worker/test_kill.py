"""A run survives the death of anything: kill -9, Ctrl-C, SIGTERM, a full disk."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bench.datasets import catalogue
from bench.runs.store.runs import RunFolder
from tests import commands, rogues

TOP = Path(__file__).resolve().parents[2]
SEED = 3
PAGES = 40
USAGE = ["wall_s", "cpu_s", "rss_peak_bytes", "rss_idle_bytes", "decode_s", "handover_s"]
DEADLINE_S = 60

# `bench run` without its tables and charts: what is killed is mostly the run itself. The third
# row keeps a child in a session of its own, as one with a browser does.
DRIVER = """
import sys
from pathlib import Path
from bench.adapters import registry
from bench.cli import main
from bench.datasets import catalogue
from bench.runs import new_run, runner
from bench.runs.plan import Plan
from bench.metrics.ngram import Ngram
from bench.scoring import scores
from tests import rogues

rows = [*registry.rows(["xpath", "html_text"]), *rogues.rows("_keeps_child")]
plan = Plan(rows, catalogue.open_gold("folder:" + sys.argv[1]))
results = Path(sys.argv[2])
folder = new_run.find_same(plan, results) or new_run.start(plan, results, reuse=True)
if not folder.finished:
    runner.execute(plan, folder, rogues.Silent())
scores.of_run(folder, plan.data_set, [Ngram()])
"""


def pages(folder: Path) -> Path:
    """Pages and gold: the starter set's where it is, else made up ones."""
    folder.mkdir()
    texts = [f"Page {number} says " + "many words " * number for number in range(PAGES)]
    htmls = [f"<html><body><nav>menu</nav><p>{text}</p></body></html>".encode() for text in texts]
    with contextlib.suppress(Exception):
        starter = list(catalogue.open_gold("starter"))[:PAGES]
        htmls = [item.page.html for item in starter]
        texts = [item.gold.text or "" for item in starter]
    for number, (html, text) in enumerate(zip(htmls, texts, strict=True)):
        (folder / f"page-{number:02}.html").write_bytes(html)
        (folder / f"page-{number:02}.txt").write_text(text, encoding="utf-8")
    return folder


class Place:
    """Where a run is made, by commands that are started there."""

    def __init__(self, top: Path, data: Path) -> None:
        self.top = top
        self.data = data
        self.results = top / "results"
        self.temporary = top / "tmp"
        self.temporary.mkdir(parents=True)

    def start(self, command: list[str]) -> subprocess.Popen[str]:
        with commands.interruptible():
            return subprocess.Popen(
                command,
                cwd=TOP,
                env={**os.environ, "TMPDIR": str(self.temporary)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )

    def driver(self) -> subprocess.Popen[str]:
        return self.start([sys.executable, "-c", DRIVER, str(self.data), str(self.results)])

    def cli(self) -> subprocess.Popen[str]:
        words = ["run", "xpath", "html_text", "inscriptis", "--gold", f"folder:{self.data}"]
        places = ["--results", str(self.results), "--reports", str(self.top / "reports")]
        return self.start([sys.executable, "-m", "bench.cli.main", *words, *places, "--quiet"])

    @property
    def folder(self) -> RunFolder:
        """The one run that is there."""
        (path,) = (path for path in self.results.iterdir() if (path / "manifest.json").exists())
        return RunFolder(path)

    def journalled(self) -> int:
        """How many lines the rows' journals hold."""
        lines = 0
        for path in self.results.glob("*/journal/*.jsonl"):
            with contextlib.suppress(FileNotFoundError):  # folded in this moment
                lines += path.read_bytes().count(b"\n") if path.stem != "samples" else 0
        return lines

    def wait_for_cells(self, process: subprocess.Popen[str], count: int) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while self.journalled() < count:
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.002)


def outcome(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, words = process.communicate(timeout=DEADLINE_S)
    return process.returncode, words


def tables(folder: RunFolder) -> dict[str, Any]:
    """All that a run says, usage aside, and the order in which texts were written."""
    # On a busy machine an answer may lie waiting, which flags its clock.
    cells = folder.cells().drop(columns=[*USAGE, "flags"])
    return {
        "cells": cells.to_csv(index=False),
        "texts": folder.texts(cells["text_hash"]),
        "scores": (folder.path / "scores" / "ngram.parquet").read_bytes(),
    }


def check_complete(folder: RunFolder, rows: int) -> None:
    cells = folder.cells()
    assert not cells.duplicated(["row", "page", "repeat"]).any()
    assert len(cells) == rows * PAGES
    assert set(cells["outcome"]) <= {"ok", "empty"}
    assert folder.manifest.status == "finished"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pages(tmp_path_factory.mktemp("data") / "pages")


@pytest.mark.parametrize("most", [6, pytest.param(20, marks=pytest.mark.slow)])
def test_kills_at_random_moments(tmp_path: Path, data: Path, most: int) -> None:
    """Killed at random moments and resumed each time, a run says what it would have said.

    A run that ends before its kill comes is compared as well, and the next begins.
    """
    undisturbed = Place(tmp_path / "undisturbed", data)
    began = time.monotonic()
    assert outcome(undisturbed.driver()) == (0, "")
    whole_s = time.monotonic() - began
    wanted = tables(undisturbed.folder)
    check_complete(undisturbed.folder, rows=3)

    moments = random.Random(SEED)
    runs, kills, midway = 0, 0, 0
    while kills < most:
        runs += 1
        place = Place(tmp_path / f"run-{runs}", data)
        while True:
            process = place.driver()
            if kills == most:
                process.wait(DEADLINE_S)
            elif kills % 2:
                # Any moment: while starting, running, folding, scoring.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(moments.uniform(0, 1) * whole_s)
            else:
                # A moment at which cells are being written.
                enough = place.journalled() + moments.randint(1, PAGES)
                while process.poll() is None and place.journalled() < enough:
                    time.sleep(0.001)
            if process.poll() is not None:
                break
            midway += place.journalled() > 0
            process.kill()
            process.communicate()
            kills += 1
        assert outcome(process) == (0, "")
        check_complete(place.folder, rows=3)
        assert tables(place.folder) == wanted
        assert rogues.left_over(place.temporary) == []
        assert [path.name for path in place.folder.path.iterdir() if path.name[0] == "."] == [
            ".lock"
        ]
    print(f"{kills} kills over {runs} runs of {whole_s:.1f} s, {midway} with cells on disk")
    assert midway >= most / 4


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["TERM", "INT"]
)
def test_signals_end_a_run_cleanly(
    tmp_path: Path, data: Path, number: signal.Signals, status: int
) -> None:
    place = Place(tmp_path, data)
    process = place.cli()
    place.wait_for_cells(process, 5)
    process.send_signal(number)
    ended, words = outcome(process)
    assert ended == status
    assert "Traceback" not in words
    assert "the same command goes on from there" in words
    assert place.folder.manifest.status == "interrupted"
    kept = place.journalled()
    assert kept >= 5
    assert rogues.left_over(place.temporary) == []

    ended, words = outcome(place.cli())
    assert ended == 0, words
    assert f"going on with {place.folder.id}" in words
    check_complete(place.folder, rows=3)
    assert rogues.left_over(place.temporary) == []


def test_second_command_does_not_disturb_the_first(tmp_path: Path, data: Path) -> None:
    """The same command given twice at once: one runs, the other says so."""
    place = Place(tmp_path, data)
    first = place.cli()
    place.wait_for_cells(first, 5)
    # Asleep for as long as the second needs; it holds its lock all the same.
    first.send_signal(signal.SIGSTOP)
    ended, words = outcome(place.cli())
    first.send_signal(signal.SIGCONT)
    assert ended == 1
    assert "Traceback" not in words
    assert "is under way in another process" in words
    assert outcome(first)[0] == 0
    check_complete(place.folder, rows=3)


def mount(*words: str) -> bool:
    done = subprocess.run(["mount", *words], capture_output=True, check=False)
    return done.returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with room for a few cells."""
    where = tmp_path / "disk"
    where.mkdir()
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("mounting needs root")
    try:
        if not mount("-t", "tmpfs", "-o", "size=128k", "tmpfs", str(where)):
            pytest.skip("mounting is not allowed here")
    except FileNotFoundError:
        pytest.skip("no mount command")
    yield where
    subprocess.run(["umount", "--lazy", str(where)], check=False)


def test_full_disk(tmp_path: Path, data: Path, small_disk: Path) -> None:
    place = Place(tmp_path / "place", data)
    place.results = small_disk / "results"
    ended, words = outcome(place.cli())
    assert ended == 1
    assert "Traceback" not in words
    assert len(words.strip().splitlines()) == 1, words
    assert "free space" in words
    assert rogues.left_over(place.temporary) == []
    kept = place.journalled()
    assert kept > 0
    before = journal_lines(place)

    # Still full: said again, and nothing is lost.
    ended, words = outcome(place.cli())
    assert ended == 1
    assert "Traceback" not in words
    assert place.journalled() >= kept

    assert mount("-o", "remount,size=64m", str(small_disk))
    ended, words = outcome(place.cli())
    assert ended == 0, words
    check_complete(place.folder, rows=3)
    # What was measured before the disk was full was not measured again.
    cells = place.folder.cells().set_index(["row", "page"])
    for each in before:
        assert cells.loc[(each["row"], each["page"])]["wall_s"] == each["wall_s"]


def journal_lines(place: Place) -> list[dict[str, Any]]:
    folder = place.folder
    return [line for row in folder.manifest.rows for line in folder.journalled(row.key)]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions are POSIX's")
def test_lost_write_permission(tmp_path: Path, data: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    place = Place(tmp_path, data)
    place.results.mkdir(mode=0o555)
    ended, words = outcome(place.cli())
    assert ended == 1
    assert len(words.strip().splitlines()) == 1
    assert "cannot be written" in words


def test_torn_last_line_is_run_again(tmp_path: Path, data: Path) -> None:
    """A line that a power cut tore is dropped, never guessed at."""
    place = Place(tmp_path, data)
    process = place.driver()
    place.wait_for_cells(process, 10)
    process.kill()
    process.communicate()
    journal = next(p for p in place.results.glob("*/journal/*.jsonl") if p.stem != "samples")
    content = journal.read_bytes()
    journal.write_bytes(content[: content.rstrip(b"\n").rfind(b"\n") + 20])
    assert outcome(place.driver()) == (0, "")
    check_complete(place.folder, rows=3)


def test_journals_are_not_folded_twice(tmp_path: Path, data: Path) -> None:
    """A finished run is found: no cell is measured again."""
    place = Place(tmp_path, data)
    assert outcome(place.driver()) == (0, "")
    before = place.folder.cells()
    assert outcome(place.driver()) == (0, "")
    pd.testing.assert_frame_equal(place.folder.cells(), before)
