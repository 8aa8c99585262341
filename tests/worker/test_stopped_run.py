"""A page that stops the harness itself does not keep the others from being run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from bench.adapters import registry
from bench.datasets import catalogue
from bench.runs import new_run, runner
from bench.runs.plan import Plan
from bench.runs.store.runs import RunFolder
from bench.runs.supervise import Worker
from tests import rogues
from tests.conftest import write_pages

ROWS = ("html_text", "xpath")
PAGES = ("a", "b", "c", "d")
STOPS = {"b", "c"}
"""Pages on which the harness stops, in the first row alone."""


def sitting(top: Path, how: str) -> RunFolder:
    """Run what is still to do; on some pages the harness ends as if it had a bug, or were killed."""
    extract = Worker.extract

    def stops(worker: Worker, payload: bytes, *words: object, **more: object) -> object:
        if how != "nothing" and worker._row.label == ROWS[0] and b"STOPS" in payload:
            if how == "killed":
                os._exit(9)
            raise RuntimeError("a bug")
        return extract(worker, payload, *words, **more)  # type: ignore[arg-type]

    plan = Plan(registry.rows(ROWS), catalogue.open_gold(f"folder:{top / 'pages'}"))
    results = top / "results"
    folder = new_run.find_same(plan, results) or new_run.start(plan, results, reuse=False)
    with mock.patch.object(Worker, "extract", stops):
        runner.execute(plan, folder, rogues.Silent())
    return folder


def stop_once(top: Path, how: str) -> dict[str, set[str]]:
    """Let a sitting be stopped; return the pages of each row that are on disk."""
    if how == "killed":
        code = "from tests.worker.test_stopped_run import *; sitting(Path(sys.argv[1]), 'killed')"
        done = subprocess.run([sys.executable, "-c", code, str(top)], check=False)
        assert done.returncode == 9
    else:
        with pytest.raises(RuntimeError, match="a bug"):
            sitting(top, how)
    (path,) = (top / "results").glob("2*")
    rows = RunFolder(path).manifest.rows
    journals = {row.label: path / "journal" / f"{row.key}.jsonl" for row in rows}
    return {
        label: {json.loads(line)["page"] for line in journal.read_text().splitlines()}
        for label, journal in journals.items()
        if journal.exists()
    }


@pytest.mark.parametrize("how", ["raised", "killed"])
def test_a_page_that_stopped_the_harness_comes_last(tmp_path: Path, how: str) -> None:
    html = "<html><body><p>{} says something.</p></body></html>"
    pages = {page: (html.format("STOPS" if page in STOPS else page), page) for page in PAGES}
    write_pages(tmp_path / "pages", pages)
    first, second = ROWS
    assert stop_once(tmp_path, how) == {first: {"a"}, second: set()}
    assert stop_once(tmp_path, how) == {first: {"a"}, second: set()}  # the other page that stops it
    every = {first: set(PAGES) - STOPS, second: set(PAGES)}
    assert stop_once(tmp_path, how) == every
    assert stop_once(tmp_path, how) == every
    whole = sitting(tmp_path, "nothing")
    assert whole.finished
    assert set(whole.cells()["outcome"]) == {"ok"}
    assert whole.manifest.rows[0].put_off == ["b", "c"]


def test_damaged_lines_of_a_journal_are_run_again_and_said(tmp_path: Path) -> None:
    html = "<html><body><p>{} says something.</p></body></html>"
    pages = {page: (html.format("STOPS" if page == "d" else page), page) for page in PAGES}
    write_pages(tmp_path / "pages", pages)
    assert stop_once(tmp_path, "raised") == {ROWS[0]: {"a", "b", "c"}, ROWS[1]: set()}
    (folder,) = tmp_path.glob("results/2*")
    journal = RunFolder(folder).journal_path(RunFolder(folder).manifest.rows[0].key)
    lines = journal.read_bytes().splitlines(keepends=True)
    not_utf8 = lines[2].replace(b"says something", b"says \xff something")
    assert not_utf8 != lines[2]
    journal.write_bytes(b"".join([lines[0], lines[1][:40] + b"\n", not_utf8, b"null\n"]))
    whole = sitting(tmp_path, "nothing")
    assert whole.finished
    assert len(whole.cells()) == len(ROWS) * len(PAGES)
    assert [line for line in whole.manifest.warnings if "damaged" in line] == [
        f"3 damaged lines of {ROWS[0]}'s journal were left out; cells that they held were run again"
    ]
