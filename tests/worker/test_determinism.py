"""Extractors that contradict themselves are named, with the pages and how; honest ones are not."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.datasets import catalogue
from bench.datasets.catalogue import DataSet
from bench.model import Limits
from bench.runs import determinism, new_run, runner
from bench.runs.determinism import Difference
from bench.runs.plan import Plan
from bench.runs.process import LoadFailed
from bench.runs.store.runs import RunFolder
from tests import rogues
from tests.conftest import BenchCli, FolderGold, described, html_of

PAGES = {
    f"page-{n}": (html_of(f"<p>This is the text of page number {n}.</p>"), f"page {n}")
    for n in range(6)
}
LIMITS = Limits(page_s=5.0)

ADAPTER = '''"""{name}: written for a test."""

import os

from bench.extractor import Extractor


class It(Extractor):
    """Remembers."""

    name = "{name}"

    def load(self):
        self.calls, self.last, self.html = 0, "", ""

    def extract(self, html, url):
        self.calls += 1
        if html != self.html:
            self.last, self.html = self.html, html
        {extract}
'''
EXTRACT = {
    "honest": "return html",
    "counts": "return f'{html} {self.calls}'",
    "counts_on_one": "return f'{html} {self.calls}' if 'number 3' in html else html",
    # Says the same when asked twice in a row, but not after another page.
    "order": "return html + self.last",
    "chance": "return html + os.urandom(8).hex()",
    "empty": "return ''",
    "fails": "raise ValueError(self.calls)",
    "dies_again": "return os._exit(9) if self.calls > 8 else html",
}


@pytest.fixture
def adapters(tmp_path: Path) -> Callable[[str], Row]:
    """Return a function that writes an adapter and returns its row."""

    def make(name: str) -> Row:
        path = tmp_path / f"{name}.py"
        path.write_text(ADAPTER.format(name=name, extract=EXTRACT[name]), encoding="utf-8")
        (adapter,) = described(path)
        return Row(adapter, "default")

    return make


@pytest.fixture
def data_set(folder_gold: FolderGold) -> DataSet:
    return catalogue.open_gold(f"folder:{folder_gold(PAGES)}")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of workers, to see what stays in it."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def run(rows: list[Row], data_set: DataSet, tmp_path: Path) -> RunFolder:
    plan = Plan(rows=rows, data_set=data_set, limits=LIMITS)
    folder = new_run.start(plan, tmp_path / "results", reuse=False)
    runner.execute(plan, folder, rogues.Silent())
    return folder


def checked(row: Row, data_set: DataSet, tmp_path: Path) -> list[Difference]:
    """Run a row, and check it against that."""
    cells = run([row], data_set, tmp_path).cells()
    known = dict(zip(cells["page"], cells["text_hash"], strict=True))
    return determinism.check(
        row, Plan([row], data_set, limits=LIMITS), known, f"bench-test-{row.adapter.name}"
    )


@pytest.mark.parametrize("name", ["honest", "empty"])
def test_honest_ones_are_not_named(
    adapters: Callable[[str], Row], data_set: DataSet, tmp_path: Path, name: str, temporary: Path
) -> None:
    assert checked(adapters(name), data_set, tmp_path) == []
    assert rogues.left_over(temporary) == []


@pytest.mark.parametrize("name", ["xpath", "html_text", "nothing", "gold"])
def test_real_ones_are_not_named(data_set: DataSet, tmp_path: Path, name: str) -> None:
    (row,) = registry.rows([name])
    assert checked(row, data_set, tmp_path) == []


@pytest.mark.parametrize("name", ["counts", "chance"])
def test_a_text_that_changes_from_call_to_call(
    adapters: Callable[[str], Row], data_set: DataSet, tmp_path: Path, name: str
) -> None:
    found = checked(adapters(name), data_set, tmp_path)
    assert {(each.page_id, each.how) for each in found} == {
        (page_id, "called again") for page_id in PAGES
    }
    assert {each.label for each in found} == {name}
    assert len(found) == len(PAGES), "each page once"


def test_only_the_pages_concerned_are_named(
    adapters: Callable[[str], Row], data_set: DataSet, tmp_path: Path
) -> None:
    found = checked(adapters("counts_on_one"), data_set, tmp_path)
    assert found == [Difference("counts_on_one", "page-3", "called again")]


def test_a_text_that_depends_on_the_page_before(
    adapters: Callable[[str], Row], data_set: DataSet, tmp_path: Path
) -> None:
    found = checked(adapters("order"), data_set, tmp_path)
    # A page may follow the same one by chance, but not most of them.
    assert len(found) >= len(PAGES) - 2
    assert {each.how for each in found} == {"another order"}
    assert len({each.page_id for each in found}) == len(found)


def test_every_page_is_asked_for_and_told_of(
    adapters: Callable[[str], Row], data_set: DataSet
) -> None:
    progress = Mock()
    known = dict.fromkeys(list(PAGES)[:4], "")
    row = adapters("honest")
    plan = Plan([row], data_set, limits=LIMITS)
    found = determinism.check(row, plan, known, "bench-test-told", progress)
    assert progress.advance.call_count == 4
    # Pages without an answer in the run are left out; these had another text there.
    assert {each.page_id for each in found} == set(known)
    assert {each.how for each in found} == {"another order"}


def test_a_worker_that_dies_ends_nothing(
    adapters: Callable[[str], Row], data_set: DataSet, tmp_path: Path, temporary: Path
) -> None:
    found = checked(adapters("dies_again"), data_set, tmp_path)
    assert found, "a page that crashes when asked again is a contradiction"
    assert rogues.left_over(temporary) == []


def test_one_that_cannot_be_loaded_says_so(tmp_path: Path, data_set: DataSet) -> None:
    path = tmp_path / "absent.py"
    text = ADAPTER.format(name="absent", extract="return html")
    path.write_text(text.replace("self.calls, self.last", "import no_such_thing; self.calls, _"))
    row = Row(described(path)[0], "default")
    with pytest.raises(LoadFailed, match="no_such_thing"):
        determinism.check(row, Plan([row], data_set), dict.fromkeys(PAGES, ""), "bench-test-absent")


# -- the command -----------------------------------------------------------------------------


@pytest.fixture
def names(checkout: Path) -> list[str]:
    """Adapters in the checkout."""
    for name in ("honest", "counts", "order", "fails"):
        text = ADAPTER.format(name=name, extract=EXTRACT[name])
        (checkout / "extractors" / f"{name}.py").write_text(text, encoding="utf-8")
    return ["honest", "counts", "order", "fails"]


def board(
    bench_cli: BenchCli, checkout: Path, *words: str, status: int = 0
) -> tuple[dict[str, Any], str]:
    done = bench_cli("run", *words, "--quiet", "--json", checkout=checkout)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout), done.stderr


def test_the_command_names_them(
    bench_cli: BenchCli, folder_gold: FolderGold, checkout: Path, names: list[str], tmp_path: Path
) -> None:
    words = (*names, "--gold", f"folder:{folder_gold(PAGES)}")
    unchecked, _ = board(bench_cli, checkout, *words)
    assert unchecked["contradictions"] is None, "nobody looked"

    # The finished run is found, and checked.
    found, stderr = board(bench_cli, checkout, *words, "--check-determinism")
    assert found["run"] == unchecked["run"]
    assert "found " in stderr
    contradictions = found["contradictions"]
    assert set(contradictions) == {"counts", "order"}
    assert sorted(contradictions["counts"]) == [f"{page} (called again)" for page in PAGES]
    assert all(each.endswith("(another order)") for each in contradictions["order"])

    # It is kept with the run: the next look needs no check.
    again, _ = board(bench_cli, checkout, *words)
    assert again["contradictions"] == contradictions
    results = tmp_path / "here" / "results"
    kept = json.loads((results / found["run"] / "manifest.json").read_text(encoding="utf-8"))
    assert {each["label"] for each in kept["determinism"]} == {"counts", "order"}

    shown = bench_cli("run", *words, "--quiet", checkout=checkout)
    assert shown.returncode == 0, shown.stderr
    written = tmp_path / "here" / "reports" / "folder-pages" / "leaderboard.md"
    (note,) = (
        line
        for line in written.read_text("utf-8").splitlines()
        if "page-0" in line or "contradict" in line.lower() or "changed" in line.lower()
        if "counts" in line and "|" not in line
    )
    assert "page-" in note
    assert "honest" not in note


def test_honest_ones_are_said_to_be(
    bench_cli: BenchCli, folder_gold: FolderGold, checkout: Path, names: list[str]
) -> None:
    words = ("honest", "--gold", f"folder:{folder_gold(PAGES)}", "--check-determinism")
    found, _ = board(bench_cli, checkout, *words)
    assert found["contradictions"] == {}
