"""Runs on disk: torn lines, whole files, folding, versions."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.model import BenchError, Cell, Outcome, Usage, UsageError
from bench.runs.store import journal, manifest, runs, schema
from bench.runs.store.journal import Journal
from bench.runs.store.manifest import Status
from bench.runs.store.runs import RunFolder
from bench.util import atomic
from tests import manifests

ROWS = [manifests.row("k1", "one", version="1"), manifests.row("k2", "two", variant="v")]
PLACES = {"a": 0, "b": 1, "c": 2}
MANIFEST = manifests.manifest(*ROWS)


def cell(row: str, page: str, text: str = "text", repeat: int = 0, **changed: Any) -> Cell:
    outcome = Outcome.OK if text else Outcome.EMPTY
    usage = changed.pop("usage", Usage(wall_s=0.5, cpu_s=0.25, rss_peak_bytes=1 << 20))
    facts = {"outcome": outcome, "text": text, "usage": usage, **changed}
    return Cell(row=row, page_id=page, page_hash=f"hash-{page}", repeat=repeat, **facts)


def journalled(folder: RunFolder, *cells: Cell) -> None:
    for each in cells:
        with folder.journal(each.row) as lines:
            lines.append(runs.record(each))


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = runs.create(tmp_path / "results", "folder:my pages/x")
    made.write_manifest(MANIFEST)
    return made


# -- journals -------------------------------------------------------------------------------


def test_what_is_appended_is_read(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    records = [{"n": n, "text": "line\nbreak \u2028 é \x00"} for n in range(5)]
    with Journal(path) as lines:
        for each in records:
            lines.append(each)
        assert list(journal.read(path)) == records, "readable while it is open"
    assert list(journal.read(path)) == records
    assert list(journal.read(tmp_path / "none.jsonl")) == []


def test_a_torn_line_is_dropped_and_written_over(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    whole = b'{"n":0}\n{"n":1}\n'
    torn = b'{"n":2,"text":"caf\xc3'
    for cut in range(1, len(torn) + 1):
        path.write_bytes(whole + torn[:cut])
        assert list(journal.read(path)) == [{"n": 0}, {"n": 1}]
        with Journal(path) as lines:
            lines.append({"n": 3})
        assert list(journal.read(path)) == [{"n": 0}, {"n": 1}, {"n": 3}]


def test_a_journal_of_one_torn_line_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"n":0')
    with Journal(path) as lines:
        lines.append({"n": 1})
    assert list(journal.read(path)) == [{"n": 1}]


@given(st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20)), max_size=5), st.data())
def test_any_cut_leaves_a_beginning(records: list[dict[str, str]], data: st.DataObject) -> None:
    path = Path(f"{os.environ['BENCH_HOME']}/cut.jsonl")
    path.unlink(missing_ok=True)
    with Journal(path) as lines:
        for each in records:
            lines.append(each)
    size = path.stat().st_size
    os.truncate(path, data.draw(st.integers(0, size)))
    left = list(journal.read(path))
    assert left == records[: len(left)]


WRITER = """
import sys
from pathlib import Path
from bench.runs.store.journal import Journal
with Journal(Path(sys.argv[1])) as lines:
    n = 0
    while True:
        lines.append({"n": n, "text": "x" * 5000})
        n += 1
        if n == 50:
            print("going", flush=True)
"""


def test_a_killed_writer_loses_at_most_the_line_it_was_writing(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(0.02)
        os.kill(writer.pid, signal.SIGKILL)
    numbers = [each["n"] for each in journal.read(path)]
    assert len(numbers) >= 50
    assert numbers == list(range(len(numbers)))


def test_a_journal_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(BenchError, match="file"):
        Journal(tmp_path / "file" / "j.jsonl")


# -- whole files ----------------------------------------------------------------------------


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.txt"
    atomic.write_text(path, "old")

    def fail() -> None:
        with atomic.replacing(path) as temporary:
            temporary.write_text("half of the new", encoding="utf-8")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert path.read_text(encoding="utf-8") == "old"
    assert [p.name for p in path.parent.iterdir()] == ["file.txt"]
    atomic.write_text(path, "new é")
    assert path.read_text(encoding="utf-8") == "new é"
    assert path.stat().st_mode & 0o777 == 0o644


def test_json_is_valid_json(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    with pytest.raises(ValueError, match="JSON"):
        atomic.write_json(path, {"x": float("nan")})
    assert not path.exists()
    atomic.write_json(path, {"é": 1})
    assert json.loads(path.read_text(encoding="utf-8")) == {"é": 1}


@pytest.mark.parametrize("place", ["file/below", "/proc/none/below"])
def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(BenchError) as caught:
        atomic.write_text(tmp_path / place / "x", "x")
    assert "\n" not in str(caught.value)
    assert place.rsplit("/", maxsplit=1)[-1] in str(caught.value)


# -- runs -----------------------------------------------------------------------------------


def test_a_run_gets_a_folder_of_its_own(tmp_path: Path) -> None:
    made = [runs.create(tmp_path, "folder:a b/../c") for _ in range(3)]
    assert len({run.path for run in made}) == 3
    assert all(run.path.parent == tmp_path for run in made)


def test_folding_orders_by_row_page_and_repeat(folder: RunFolder) -> None:
    journalled(
        folder,
        cell("k2", "c", "z"),
        cell("k2", "a", "x", repeat=1),
        cell("k2", "a", "x"),
        cell("k1", "b", ""),
        cell("k1", "a", "x"),
    )
    folder.fold(MANIFEST, PLACES)
    table = folder.cells()
    order = list(table[["row", "page", "repeat"]].itertuples(index=False, name=None))
    assert order == [
        ("k1", "a", 0), ("k1", "b", 0), ("k2", "a", 0), ("k2", "a", 1), ("k2", "c", 0),
    ]  # fmt: skip
    assert list(table["extractor"]) == ["one", "one", "two", "two", "two"]
    assert list(table["text_hash"])[1] == ""
    assert list(table.columns) == schema.CELLS.names
    assert folder.finished
    assert not (folder.path / "journal").exists()
    assert {p.name for p in folder.path.iterdir()} == {
        "manifest.json", "cells.parquet", "texts.parquet", "samples.parquet",
    }  # fmt: skip


def test_equal_texts_are_stored_once(folder: RunFolder) -> None:
    journalled(folder, cell("k1", "a", "same"), cell("k2", "a", "same"), cell("k2", "b", ""))
    folder.fold(MANIFEST, PLACES)
    assert pq.read_table(folder.path / "texts.parquet").num_rows == 1
    name = runs.text_hash("same")
    assert folder.texts({name, ""}) == {name: "same", "": ""}
    assert folder.texts(set()) == {}


@pytest.mark.parametrize("written", ["cells", "cells texts", "cells texts samples"])
def test_folding_again_after_being_killed_gives_the_same(folder: RunFolder, written: str) -> None:
    """Killed in the middle: some tables stand, the journals too, the manifest says running."""
    journalled(folder, *(cell(k, p, f"{k} {p}") for k in ("k1", "k2") for p in PLACES))
    kept = folder.path.parent / "kept"
    shutil.copytree(folder.path, kept)
    folder.fold(MANIFEST, PLACES)
    tables = {path.name: path.read_bytes() for path in folder.path.glob("*.parquet")}

    again = RunFolder(kept)
    for name in written.split():
        (kept / f"{name}.parquet").write_bytes(tables[f"{name}.parquet"])
    assert not again.finished
    again.fold(MANIFEST, PLACES)
    assert again.finished
    assert again.cells().equals(folder.cells())
    names = set(folder.cells()["text_hash"])
    assert len(names) == 6
    assert again.texts(names) == folder.texts(names)
    assert not [p for p in kept.iterdir() if p.name.startswith(".") or p.is_dir()]


def test_a_cell_that_was_journalled_twice_counts_once(folder: RunFolder) -> None:
    journalled(folder, cell("k1", "a", "first"), cell("k1", "a", "second"), cell("k1", "z", "gone"))
    folder.fold(MANIFEST, PLACES)
    assert list(folder.cells()["text_hash"]) == [runs.text_hash("second")]


def test_records_are_the_same_from_journal_and_tables(folder: RunFolder) -> None:
    cells = [
        cell("k1", "a", "text é \x00 \u2028"),
        cell("k1", "b", "", usage=Usage(0.0, 0.0), diagnostics="x\ny", outcome=Outcome.CRASH),
        cell("k1", "c", "text", usage=Usage(1.0, 2.0, 3, 4, 5.0, 6.0), network_attempts=7),
    ]
    journalled(folder, *cells)
    before = list(folder.records("k1"))
    folder.fold(MANIFEST, PLACES)
    after = list(folder.records("k1"))
    assert after == before
    assert list(folder.records("none")) == []


def test_a_run_may_hold_no_cell(folder: RunFolder) -> None:
    folder.fold(MANIFEST, PLACES)
    assert folder.cells().empty
    assert list(folder.cells().columns) == schema.CELLS.names
    assert folder.samples().empty


def test_scores_are_derived_and_replaceable(folder: RunFolder) -> None:
    line = {"row": "k1", "page": "a", "outcome": "ok", "tp": 1.0, "fp": 0.0, "fn": 0.0}
    for exact in (1.0, 0.0):
        table = pd.DataFrame([{**line, "exact": exact}])
        columns = schema.scores(["tp", "fp", "fn", "exact"])
        folder.write_scores("ngram", table, columns, "1")
    table = pq.read_table(folder.path / "scores" / "ngram.parquet")
    assert table.column("exact").to_pylist() == [0.0]
    assert schema.version_of(table.schema) == schema.VERSION
    kept = folder.scores("ngram", "1")
    assert kept is not None
    assert not kept["exact"].any()
    assert folder.scores("ngram", "2") is None, "another scorer's scores are not used"
    (folder.path / "scores" / "ngram.parquet").write_bytes(b"torn")
    assert folder.scores("ngram", "1") is None, "a damaged file is computed again"


# -- versions and damage --------------------------------------------------------------------


def test_every_file_carries_its_version(folder: RunFolder) -> None:
    journalled(folder, cell("k1", "a"))
    folder.fold(MANIFEST, PLACES)
    for path in folder.path.glob("*.parquet"):
        assert pq.read_schema(path).metadata[b"bench.schema"] == str(schema.VERSION).encode()
    written = json.loads((folder.path / "manifest.json").read_text(encoding="utf-8"))
    assert written["schema"] == manifest.VERSION


def test_what_a_newer_bench_wrote_is_refused(folder: RunFolder) -> None:
    folder.fold(MANIFEST, PLACES)
    newer = schema.CELLS.with_metadata({b"bench.schema": str(schema.VERSION + 1).encode()})
    pq.write_table(pa.Table.from_pylist([], schema=newer), folder.path / "cells.parquet")
    with pytest.raises(BenchError, match="newer bench"):
        folder.cells()
    facts = json.loads((folder.path / "manifest.json").read_text(encoding="utf-8"))
    atomic.write_json(folder.path / "manifest.json", {**facts, "schema": manifest.VERSION + 1})
    with pytest.raises(BenchError, match="newer bench"):
        _ = RunFolder(folder.path).manifest


@pytest.mark.parametrize("text", ["", "{", "{}", "[]", "null", '{"schema": "one"}', "\xff"])
def test_a_damaged_manifest_is_named(folder: RunFolder, text: str) -> None:
    (folder.path / "manifest.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(BenchError, match=r"manifest\.json"):
        _ = RunFolder(folder.path).manifest


@pytest.mark.parametrize("damage", [b"", b"PAR1 and then nothing", None])
def test_a_damaged_table_is_named(folder: RunFolder, damage: bytes | None) -> None:
    folder.fold(MANIFEST, PLACES)
    path = folder.path / "cells.parquet"
    path.unlink() if damage is None else path.write_bytes(damage)
    with pytest.raises(BenchError, match=r"cells\.parquet.*remove"):
        folder.cells()


# -- finding --------------------------------------------------------------------------------


def test_runs_are_found_by_their_beginning(tmp_path: Path) -> None:
    for name, status in (("20260101T1-x", Status.FINISHED), ("20260102T1-x", Status.RUNNING)):
        (tmp_path / name).mkdir()
        RunFolder(tmp_path / name).write_manifest(manifests.manifest(status=status))
    (tmp_path / "no run").mkdir()
    assert [run.id for run in runs.all_runs(tmp_path)] == ["20260102T1-x", "20260101T1-x"]
    assert runs.find(tmp_path, None).id == "20260101T1-x", "the latest that is finished"
    assert runs.find(tmp_path, "20260102").id == "20260102T1-x"
    for word in ("2026", "2027", ""):
        with pytest.raises(UsageError, match="bench runs"):
            runs.find(tmp_path, word)
    with pytest.raises(UsageError, match="no finished run"):
        runs.find(tmp_path / "none", None)
