"""Nothing that an extractor does ends a run, spoils another's cells, or stays behind."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.datasets import catalogue
from bench.datasets.catalogue import DataSet
from bench.model import Limits
from bench.runs import new_run, process, runner
from bench.runs.plan import Plan
from bench.runs.store.runs import RunFolder
from tests import rogues

HONEST = ("xpath", "html_text")
LIMITS = Limits(page_s=2.0, load_s=3.0, memory_bytes=512 << 20, grace_s=0.2)
PAGES = 6
BAD_PAGE = "page-3"
TIMED_OUT = {"hangs:asleep", "hangs:deaf", "hangs:stopped"}

# The outcome of the page that says MISBEHAVE; every other page is ok.
ON_BAD_PAGE = {
    "hangs:asleep": "timeout",
    "hangs:deaf": "timeout",
    "hangs:stopped": "timeout",
    "dies:segfault": "crash",
    "dies:exit": "crash",
    "dies:abort": "crash",
    "dies:group": "crash",
    "raises:value_error": "error",
    "raises:system_exit": "error",
    "raises:keyboard_interrupt": "error",
    "raises:base_exception": "error",
    "raises:recursion": "error",
    "raises:memory": "oom",
    "raises:mute": "error",
    "raises:surrogate": "error",
    "orphans:forked": "ok",
    "orphans:session": "ok",
    "orphans:twice": "ok",
    "orphans:program": "ok",
    "orphans:nameless": "ok",
    "fork_returns:returns": "ok",
    "fork_returns:raises": "ok",
    "threads:daemon": "ok",
    "threads:lasting": "ok",
    "allocates:itself": "oom",
    "allocates:child": "oom",
    "leaks": "ok",
    "prints:only": "ok",
    "prints:then_exits": "crash",
    "closes_descriptors:all": "crash",
    "closes_descriptors:streams": "ok",
    "closes_descriptors:takes": "ok",
    "garbles": "crash",
    "moves:away": "ok",
    "moves:homeless": "ok",
    "signals": "ok",
    "connects:python": "ok",
    "connects:compiled": "ok",
    "connects:by_name": "ok",
    "connects:raises": "error",
    "returns:bytes": "error",
    "returns:none": "error",
    "returns:number": "error",
    "returns:much": "ok",
    "returns:surrogates": "ok",
    "returns:blank": "empty",
    "returns:nul": "ok",
    "returns:shy": "ok",
    "cheats:text_for_wall": "crash",
    "cheats:null_for_wall": "crash",
    "cheats:nan": "crash",
    "cheats:negative": "crash",
    "cheats:huge": "crash",
    "cheats:nested": "crash",
    "cheats:surrogates": "crash",
    "cheats:no_keys": "crash",
    "cheats:stops_clock": "ok",
    "cheats:hides_cpu": "ok",
    "cheats:reads_gold": "ok",
    "cheats:writes_gold": "ok",
    "cheats:kills_harness": "ok",
    "cheats:kills_all": "ok",
    "cheats:goes_by_path": "ok",
    "cheats:stays": "ok",
}
# The page after the bad one is asked for when an answer waits already.
TWICE = "cheats:answers_twice"
AFTER_BAD_PAGE = "page-4"
ON_EVERY_PAGE = {"always:exits": "crash", "always:hangs": "timeout", "always:raises": "error"}
UNAVAILABLE = {
    "fails_to_load:raises": "RuntimeError: no model",
    "fails_to_load:missing": "no_such_module_at_all",
    "fails_to_load:hangs": "not loaded within 3 s",
    "fails_to_load:exits": "crash while loading",
    "fails_to_load:stops": "SystemExit: stop",
    "fails_to_load:unprintable": "ValueError",
    "cannot_be_read": "a broken adapter file",
}


class Gathered(rogues.Silent):
    """Keeps what a run tells."""

    def __init__(self) -> None:
        self.cells: list[tuple[str, str]] = []
        self.unavailable: dict[str, str] = {}

    def cell_done(self, row: Row, page_id: str) -> None:
        self.cells.append((row.label, page_id))

    def row_unavailable(self, row: Row, reason: str) -> None:
        self.unavailable[row.label] = reason


@dataclasses.dataclass
class Done:
    """A finished run and what it told."""

    folder: RunFolder
    events: Gathered
    temporary: Path

    @property
    def cells(self) -> pd.DataFrame:
        table = self.folder.cells()
        labels = {row.key: row.label for row in self.folder.manifest.rows}
        return table.assign(label=table["row"].map(labels)).set_index(["label", "page"])

    def of(self, label: str) -> pd.DataFrame:
        table = self.cells.reset_index()
        return table[table["label"] == label].set_index("page")

    def bad(self, label: str) -> Any:
        return self.cells.loc[(label, BAD_PAGE)]

    def text(self, label: str, page: str = BAD_PAGE) -> str:
        name = str(self.cells.at[(label, page), "text_hash"])
        return self.folder.texts([name])[name]


def pages(folder: Path) -> DataSet:
    folder.mkdir()
    for number in range(1, PAGES + 1):
        deed = "MISBEHAVE" if f"page-{number}" == BAD_PAGE else "behave"
        body = f"<html><body><p>Page {number}: {deed}, please.</p><p>Naïve text</p></body></html>"
        (folder / f"page-{number}.html").write_text(body, encoding="utf-8")
        (folder / f"page-{number}.txt").write_text(f"Page {number}: {deed}, please.")
    return catalogue.open_gold(f"folder:{folder}")


def run(top: Path, rows: list[Row], *, repeats: int = 1, jobs: int = 1) -> Done:
    temporary = top / "tmp"
    temporary.mkdir()
    plan = Plan(rows, pages(top / "pages"), limits=LIMITS, repeats=repeats, jobs=jobs)
    events = Gathered()
    before, tempfile.tempdir = tempfile.tempdir, str(temporary)
    try:
        folder = new_run.start(plan, top / "results", reuse=False)
        runner.execute(plan, folder, events)
    finally:
        tempfile.tempdir = before
    return Done(folder, events, temporary)


def mingled() -> list[Row]:
    """Return all rogues with honest rows first, in the middle and last."""
    first, *others = registry.rows(HONEST)
    gallery = rogues.rows()
    middle = len(gallery) // 2
    return [first, *gallery[:middle], *others[:1], *gallery[middle:], *others[1:]]


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Done:
    return run(tmp_path_factory.mktemp("gallery"), mingled(), jobs=2)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Done:
    return run(tmp_path_factory.mktemp("alone"), registry.rows(HONEST))


def test_run_ends_and_every_cell_is_there_once(gallery: Done) -> None:
    labels = {*HONEST, *ON_BAD_PAGE, *ON_EVERY_PAGE, TWICE}
    assert gallery.folder.finished
    assert gallery.cells.index.is_unique
    assert set(gallery.cells.index) == {
        (label, f"page-{number}") for label in labels for number in range(1, PAGES + 1)
    }
    assert len(gallery.events.cells) == len(labels) * PAGES


@pytest.mark.parametrize("label", sorted(ON_BAD_PAGE))
def test_outcome_of_each_page(gallery: Done, label: str) -> None:
    expected = {f"page-{number}": "ok" for number in range(1, PAGES + 1)}
    expected[BAD_PAGE] = ON_BAD_PAGE[label]
    rows = gallery.cells.loc[label]
    assert rows["outcome"].to_dict() == expected, rows["diagnostics"].to_dict()


def test_an_answer_that_nobody_asked_for_is_a_crash(gallery: Done) -> None:
    rows = gallery.cells.loc[TWICE]
    assert rows["outcome"].to_dict() == {
        f"page-{number}": "crash" if f"page-{number}" == AFTER_BAD_PAGE else "ok"
        for number in range(1, PAGES + 1)
    }
    assert rows.at[AFTER_BAD_PAGE, "flags"] == "protocol"


def test_the_harness_has_clocks_of_its_own(gallery: Done) -> None:
    slept = gallery.bad("cheats:stops_clock")
    assert slept["flags"] == "clock"
    assert slept["wall_s"] >= 0.5
    flags = {row.label: row.flags for row in gallery.folder.manifest.rows}
    assert flags["cheats:hides_cpu"] == ["clock"]
    assert not any(flags[label] for label in HONEST)


def test_gold_is_as_it_was(gallery: Done) -> None:
    root = Path(gallery.folder.manifest.gold.root)
    assert (root / f"{BAD_PAGE}.txt").read_text() == "Page 3: MISBEHAVE, please."
    assert rogues.has_ended("61.7")


@pytest.mark.parametrize("label", sorted(ON_EVERY_PAGE))
def test_failing_on_every_page_is_not_unavailable(gallery: Done, label: str) -> None:
    assert set(gallery.cells.loc[label]["outcome"]) == {ON_EVERY_PAGE[label]}


def test_unavailable_with_reason_and_remedy(gallery: Done) -> None:
    told = gallery.events.unavailable
    assert set(told) == set(UNAVAILABLE)
    for facts in gallery.folder.manifest.rows:
        if facts.label in UNAVAILABLE:
            assert UNAVAILABLE[facts.label] in facts.problem
            assert len(facts.problem) < 2000
            assert facts.remedy
            assert not facts.available


def test_honest_rows_equal_a_run_without_rogues(gallery: Done, alone: Done) -> None:
    columns = ["page_hash", "outcome", "text_hash", "text_chars", "diagnostics", "network_attempts"]
    for label in HONEST:
        pd.testing.assert_frame_equal(gallery.of(label)[columns], alone.of(label)[columns])
        for number in range(1, PAGES + 1):
            page = f"page-{number}"
            assert gallery.text(label, page) == alone.text(label, page) != ""


def test_nothing_is_left(gallery: Done, alone: Done) -> None:
    for done in (gallery, alone):
        assert rogues.left_over(done.temporary) == []
        assert {path.name for path in done.folder.path.iterdir()} == {
            ".lock",
            "manifest.json",
            "cells.parquet",
            "texts.parquet",
            "samples.parquet",
        }


@pytest.mark.parametrize(
    ("label", "message", "line"),
    [
        ("raises:value_error", "ValueError: bad value", "raises.py:"),
        ("raises:system_exit", "SystemExit: 0", "raises.py:"),
        ("raises:keyboard_interrupt", "KeyboardInterrupt", "raises.py:"),
        ("raises:base_exception", "BaseException: base", "raises.py:"),
        ("raises:recursion", "RecursionError", "raises.py:"),
        ("raises:mute", "Mute", "raises.py:"),
        ("raises:surrogate", "ValueError: ?", "raises.py:"),
        ("connects:raises", "Network", "connects.py:"),
        ("returns:bytes", "bytes, not str", ""),
        ("returns:none", "NoneType, not str", ""),
        ("dies:segfault", "ended by SIGSEGV", "last words of segfault"),
        ("dies:exit", "exited with status 3", "last words of exit"),
        ("dies:abort", "ended by SIGABRT", "last words of abort"),
        ("dies:group", "ended by SIGKILL", "last words of group"),
        ("prints:then_exits", "exited with status 7", "the very last line"),
        ("allocates:itself", "over the memory cap of 512 MiB", ""),
        ("allocates:child", "over the memory cap of 512 MiB", ""),
        ("returns:surrogates", "lone surrogates", ""),
    ],
)
def test_diagnostics(gallery: Done, label: str, message: str, line: str) -> None:
    diagnostics = gallery.bad(label)["diagnostics"]
    if label == "connects:raises":  # the wording is the system's
        message = "OSError" if "OSError" in diagnostics else message
    assert message in diagnostics.split("\n")[0]
    assert line in diagnostics
    assert len(diagnostics) <= process.DIAGNOSTICS_BYTES + 100


def test_texts_of_odd_returns(gallery: Done) -> None:
    assert gallery.text("returns:surrogates") == "before \ufffd after"
    assert gallery.text("returns:nul") == "a\0b\r\n\u2028c"
    assert len(gallery.text("returns:much")) == 50_000_000
    assert gallery.text("returns:shy") == "shy"
    for label in ("fork_returns:returns", "fork_returns:raises"):
        assert "MISBEHAVE" in gallery.text(label)


@pytest.mark.parametrize(("label", "least"), [("python", 3), ("by_name", 1), ("raises", 1)])
def test_network_attempts_are_counted(gallery: Done, label: str, least: int) -> None:
    row = gallery.cells.loc[f"connects:{label}"]["network_attempts"]
    assert row[BAD_PAGE] >= least
    assert row.drop(BAD_PAGE).eq(0).all()


def test_network_attempts_of_compiled_code_are_counted(gallery: Done) -> None:
    counted = {row.label: row.network_attempts for row in gallery.folder.manifest.rows}
    if gallery.folder.manifest.network == ["namespace"]:
        assert counted["connects:compiled"] >= 1
    assert counted["connects:python"] >= 3
    assert not any(counted[label] for label in (*HONEST, "moves:away", "returns:much"))


def test_usage_of_the_failed(gallery: Done) -> None:
    for label in TIMED_OUT:
        assert LIMITS.page_s <= gallery.bad(label)["wall_s"] < LIMITS.page_s + 0.5
    for label in ("allocates:itself", "allocates:child"):
        # Killed within a look or two of the sampler.
        assert 0.9 < gallery.bad(label)["rss_peak_bytes"] / LIMITS.memory_bytes < 1.5


def test_leak_is_measured(gallery: Done) -> None:
    idle = gallery.cells.loc["leaks"]["rss_idle_bytes"]
    assert (idle.iloc[-1] - idle.iloc[0]) / (PAGES - 1) / (1 << 20) == pytest.approx(1, abs=0.1)


@pytest.fixture
def few(tmp_path: Path) -> Done:
    rows = [*registry.rows(HONEST), *rogues.rows("dies", "raises", "orphans")]
    return run(tmp_path, rows, repeats=2)


def test_rows_that_take_turns(few: Done) -> None:
    """In a measured pass all workers live at once, and repeats agree."""
    by_repeat = few.cells.set_index("repeat", append=True)["outcome"].unstack()
    assert by_repeat[0].equals(by_repeat[1])
    outcomes: dict[Any, str] = by_repeat[0].to_dict()
    for (label, page), outcome in outcomes.items():
        wanted = ON_BAD_PAGE.get(label, "ok") if page == BAD_PAGE else "ok"
        assert outcome == wanted, (label, page)
    assert rogues.left_over(few.temporary) == []


def test_cells_of_failed_rows_are_taken_over(few: Done) -> None:
    """Rows with empty figures (a killed worker has no idle size) go into a later run as they are."""
    root = Path(few.folder.manifest.gold.root)
    rows = [*registry.rows(HONEST), *rogues.rows("dies", "raises")]
    plan = Plan(rows, catalogue.open_gold(f"folder:{root}"), limits=LIMITS, repeats=2)
    later = new_run.start(plan, few.folder.path.parent, reuse=True)
    runner.execute(plan, later, rogues.Silent())
    cells, before = later.cells(), few.folder.cells()
    assert set(cells["carried_from"]) == {few.folder.id}
    before = before[before["row"].isin(set(cells["row"]))].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        cells.drop(columns="carried_from"), before.drop(columns="carried_from")
    )
