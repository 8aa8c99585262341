"""Runs on disk: torn lines, whole files, folding, versions."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.adapters import registry
from bench.datasets import catalogue
from bench.model import BenchError, Outcome, UsageError
from bench.runs import new_run
from bench.runs.plan import Plan
from bench.runs.store import journal, manifest, runs, tables
from bench.runs.store.journal import CellRecord, Journal
from bench.runs.store.manifest import Status
from bench.runs.store.runs import RunFolder
from bench.util import atomic
from tests import manifests

ROWS = [manifests.row("k1", "one", version="1"), manifests.row("k2", "two", variant="v")]
PLACES = {"a": 0, "b": 1, "c": 2}
MANIFEST = manifests.manifest(*ROWS)


def cell(row: str, page: str, text: str = "text", repeat: int = 0, **changed: Any) -> CellRecord:
    record: dict[str, Any] = {
        "row": row, "page": page, "page_hash": f"hash-{page}", "repeat": repeat,
        "outcome": Outcome.OK if text else Outcome.EMPTY, "wall_s": 0.5, "cpu_s": 0.25,
        "rss_peak_bytes": 1 << 20, "rss_idle_bytes": None, "decode_s": 0.0, "handover_s": 0.0,
        "text_hash": journal.text_hash(text), "text_chars": len(text), "diagnostics": "",
        "network_attempts": 0, "carried_from": "", "text": text, "flags": "", **changed,
    }  # fmt: skip
    return cast(CellRecord, record)


def journalled(folder: RunFolder, *cells: CellRecord) -> None:
    for record in cells:
        with folder.journal(record["row"]) as lines:
            lines.append(record)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [record for _, record in journal.read(path, dict)]


def complete(folder: RunFolder, repeats: int = 1) -> None:
    """Journal the cells that are missing, each with a text of its own, and fold."""
    manifest = replace(MANIFEST, repeats=repeats)
    for row in ROWS:
        there = {(each["page"], each["repeat"]) for each in folder.journalled(row.key)}
        wanted = {(page, repeat) for page in PLACES for repeat in range(repeats)} - there
        journalled(folder, *(cell(row.key, page, f"{row.key} {page}", n) for page, n in wanted))
    folder.fold(manifest, PLACES)


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
        assert lines_of(path) == records, "readable while it is open"
    assert lines_of(path) == records
    assert lines_of(tmp_path / "none.jsonl") == []


def test_a_torn_line_is_dropped_and_written_over(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    whole = b'{"n":0}\n{"n":1}\n'
    torn = b'{"n":2,"text":"caf\xc3'
    for cut in range(1, len(torn) + 1):
        path.write_bytes(whole + torn[:cut])
        assert lines_of(path) == [{"n": 0}, {"n": 1}]
        with Journal(path) as lines:
            lines.append({"n": 3})
        assert lines_of(path) == [{"n": 0}, {"n": 1}, {"n": 3}]


def test_a_journal_of_one_torn_line_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"n":0')
    with Journal(path) as lines:
        lines.append({"n": 1})
    assert lines_of(path) == [{"n": 1}]


@given(st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20)), max_size=5), st.data())
def test_any_cut_leaves_a_beginning(records: list[dict[str, str]], data: st.DataObject) -> None:
    path = Path(f"{os.environ['BENCH_HOME']}/cut.jsonl")
    path.unlink(missing_ok=True)
    with Journal(path) as lines:
        for each in records:
            lines.append(each)
    size = path.stat().st_size
    os.truncate(path, data.draw(st.integers(0, size)))
    left = lines_of(path)
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
    numbers = [each["n"] for each in lines_of(path)]
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


KILLED = """
import os, signal, sys
from pathlib import Path
from bench.util import atomic

with atomic.replacing(Path(sys.argv[1])) as temporary:
    temporary.write_text("half of it")
    if sys.argv[2] == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    print("writing", flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_writer_left_goes_with_the_next(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    words = [sys.executable, "-c", KILLED, str(path)]
    assert subprocess.run([*words, "dies"], check=False).returncode == -signal.SIGKILL
    assert len([*tmp_path.iterdir()]) == 1
    with subprocess.Popen(
        [*words, "lives"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "writing\n"
        atomic.write_text(path, "whole")
        other.communicate("")
    assert other.returncode == 0, "one that is at work is left in peace"
    assert [each.name for each in tmp_path.iterdir()] == ["file.txt"]
    assert path.read_text() == "half of it"


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
    complete(folder, repeats=2)
    table = folder.cells()
    order = list(table[["row", "page", "repeat"]].itertuples(index=False, name=None))
    assert order == [(row, page, n) for row in ("k1", "k2") for page in "abc" for n in range(2)]
    assert list(table["extractor"]) == ["one"] * 6 + ["two"] * 6
    assert list(table["text_hash"])[2] == ""
    assert list(table.columns) == tables.CELLS.names
    some = folder.cells("page", "row", "machine")
    pd.testing.assert_frame_equal(some, table[["page", "row", "machine"]])
    one = folder.cells("page", "repeat", row="k2", page="a")
    assert list(one.itertuples(index=False, name=None)) == [("a", 0), ("a", 1)]
    assert folder.finished
    assert not (folder.path / "journal").exists()
    assert {p.name for p in folder.path.iterdir()} == {
        "manifest.json", "cells.parquet", "texts.parquet", "samples.parquet",
    }  # fmt: skip


def test_equal_texts_are_stored_once(folder: RunFolder) -> None:
    journalled(folder, *(cell(row, page, "same") for row in ("k1", "k2") for page in "ab"))
    journalled(folder, cell("k1", "c", ""), cell("k2", "c", ""))
    complete(folder)
    assert pq.read_table(folder.path / "texts.parquet").num_rows == 1
    name = journal.text_hash("same")
    assert folder.texts({name, ""}) == {name: "same", "": ""}


@pytest.mark.parametrize("written", ["cells", "cells texts", "cells texts samples"])
def test_folding_again_after_being_killed_gives_the_same(folder: RunFolder, written: str) -> None:
    """Killed in the middle: some tables stand, the journals too, the manifest says running."""
    journalled(folder, *(cell(k, p, f"{k} {p}") for k in ("k1", "k2") for p in PLACES))
    kept = folder.path.parent / "kept"
    shutil.copytree(folder.path, kept)
    complete(folder)
    parts = {path.name: path.read_bytes() for path in folder.path.glob("*.parquet")}

    again = RunFolder(kept)
    for name in written.split():
        (kept / f"{name}.parquet").write_bytes(parts[f"{name}.parquet"])
    assert not again.finished
    complete(again)
    assert again.finished
    assert again.cells().equals(folder.cells())
    names = set(folder.cells()["text_hash"])
    assert len(names) == 6
    assert again.texts(names) == folder.texts(names)
    assert not [p for p in kept.iterdir() if p.name.startswith(".") or p.is_dir()]


def test_a_cell_that_was_journalled_twice_counts_once(folder: RunFolder) -> None:
    journalled(folder, cell("k1", "a", "first"), cell("k1", "a", "second"), cell("k1", "z", "gone"))
    complete(folder)
    cells = folder.cells()
    assert list(cells[cells["row"] == "k1"]["page"]) == ["a", "b", "c"]
    assert cells["text_hash"].iloc[0] == journal.text_hash("second")


def test_records_are_the_same_from_journal_and_tables(folder: RunFolder) -> None:
    cells = [
        cell("k1", "a", "text é \x00 \u2028"),
        cell(
            "k1",
            "b",
            "",
            wall_s=0.0,
            cpu_s=0.0,
            rss_peak_bytes=None,
            diagnostics="x\ny",
            outcome=Outcome.CRASH,
        ),
        cell(
            "k1",
            "c",
            "text",
            rss_peak_bytes=3,
            rss_idle_bytes=4,
            decode_s=5.0,
            handover_s=6.0,
            network_attempts=7,
        ),
    ]
    journalled(folder, *cells)
    before = list(folder.records("k1"))
    complete(folder)
    after = list(folder.records("k1"))
    assert after == before
    assert list(folder.records("none")) == []


def test_no_part_of_the_texts_is_empty(folder: RunFolder) -> None:
    cells = (cell(row, page, repeat=n) for row in ("k1", "k2") for page in PLACES for n in range(2))
    journalled(folder, *cells)
    folder.fold(replace(MANIFEST, repeats=2), PLACES)
    assert [len(part) for part in tables.in_parts(folder.path / "texts.parquet")] == [1]


def test_rows_are_put_in_order_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_ROWS_AT_ONCE", 2)
    table = pa.concat_tables(pa.table({"page": pages}) for pages in (["a", "b"], ["c", "d", "e"]))
    parts = list(tables.in_order(table, [4, 0, 3, 1, 2]))
    assert [part["page"].to_pylist() for part in parts] == [["e", "a"], ["d", "b"], ["c"]]


@pytest.mark.slow
def test_rows_that_hold_more_than_an_array_of_strings_are_put_in_order(tmp_path: Path) -> None:
    table = pa.concat_tables([pa.table({"diagnostics": ["x" * 4096] * 1000})] * 600)
    parts = tables.in_order(table, [599_999, 0])
    tables.write_parts(tmp_path / "cells.parquet", table.schema, parts)
    assert tables.read(tmp_path / "cells.parquet").num_rows == 2


def test_a_run_may_hold_no_cell(folder: RunFolder) -> None:
    folder.fold(replace(MANIFEST, rows=[]), PLACES)
    assert folder.cells().empty
    assert list(folder.cells().columns) == tables.CELLS.names
    assert folder.samples().empty


@pytest.mark.parametrize("lost", ["a cell", "a journal"])
def test_a_run_that_lacks_a_cell_is_not_finished(folder: RunFolder, lost: str) -> None:
    journalled(folder, *(cell(row, page) for row in ("k1", "k2") for page in PLACES))
    path = folder.journal_path("k2")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[1:])) if lost == "a cell" else path.unlink()
    with pytest.raises(BenchError, match=r"two has [02] of 3 cells; the same command runs those"):
        folder.fold(MANIFEST, PLACES)
    assert not RunFolder(folder.path).finished
    assert not list(folder.path.glob("*.parquet"))


def test_cells_of_a_row_that_could_not_be_run_again_are_kept(folder: RunFolder) -> None:
    """Its worker could be started once, and not when the run went on."""
    journalled(folder, *(cell("k1", page) for page in PLACES), cell("k2", "a", "kept"))
    gone = manifests.row("k2", "two", available=False, problem="it is gone")
    folder.fold(manifests.manifest(ROWS[0], gone), PLACES)
    assert set(folder.cells()["row"]) == {"k1"}
    assert [record["text"] for record in folder.records("k2")] == ["kept"]


BAD_LINES = [
    b"null", b"[]", b'{"page":"a"}', b"{", b"\xff", b"[" * 100_000,
    *(
        b"%s" % json.dumps({**cell("k1", "a"), **wrong}).encode()
        for wrong in (
            {"wall_s": "1"}, {"wall_s": None}, {"wall_s": float("nan")}, {"repeat": -1},
            {"network_attempts": 2**40}, {"rss_peak_bytes": 2**70}, {"outcome": "fine"},
            {"page": 1}, {"text": "\ud800"},
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize("line", BAD_LINES, ids=range(len(BAD_LINES)))
def test_a_line_that_is_no_cell_is_left_out(folder: RunFolder, line: bytes) -> None:
    journalled(folder, cell("k1", "a"))
    with folder.journal_path("k1").open("ab") as file:
        file.write(line + b"\n")
    journalled(folder, cell("k1", "b"))
    damaged: list[None] = []
    pages = [each["page"] for each in folder.journalled("k1", lambda: damaged.append(None))]
    assert (pages, len(damaged)) == (["a", "b"], 1)
    complete(folder)
    assert folder.finished


def test_folders_of_other_programs_do_not_stop_a_run(folder: RunFolder) -> None:
    for place in (folder.path, folder.path.parent):
        (place / ".ipynb_checkpoints").mkdir()
        (place / ".ipynb_checkpoints" / "x.ipynb").write_text("{}", encoding="utf-8")
    with folder.alone():
        complete(folder)
    assert (folder.path / ".ipynb_checkpoints" / "x.ipynb").exists()
    assert [run.id for run in runs.all_runs(folder.path.parent)] == [folder.id]


def test_scores_are_derived_and_replaceable(folder: RunFolder) -> None:
    line = {"row": "k1", "page": "a", "outcome": "ok", "tp": 1.0, "fp": 0.0, "fn": 0.0}
    for exact in (1.0, 0.0):
        columns = {name: [value] for name, value in {**line, "exact": exact}.items()}
        folder.write_scores("ngram", columns, "1")
    table = pq.read_table(folder.path / "scores" / "ngram.parquet")
    assert table.column("exact").to_pylist() == [0.0]
    kept = folder.scores("ngram", "1")
    assert kept is not None
    assert kept["exact"].to_pylist() == [0.0]
    assert folder.scores("ngram", "2") is None, "another scorer's scores are not used"
    (folder.path / "scores" / "ngram.parquet").write_bytes(b"torn")
    assert folder.scores("ngram", "1") is None, "a damaged file is computed again"


# -- versions and damage --------------------------------------------------------------------


def test_every_file_carries_its_version(folder: RunFolder) -> None:
    complete(folder)
    for path in folder.path.glob("*.parquet"):
        assert pq.read_schema(path).metadata[b"bench.schema"] == str(tables.VERSION).encode()
    written = json.loads((folder.path / "manifest.json").read_text(encoding="utf-8"))
    assert written["schema"] == manifest.VERSION


def test_what_a_newer_bench_wrote_is_refused(folder: RunFolder) -> None:
    complete(folder)
    newer = tables.CELLS.with_metadata({b"bench.schema": str(tables.VERSION + 1).encode()})
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


@pytest.mark.parametrize("where", ["kind", "files"])
def test_a_word_that_a_manifest_cannot_have_is_named(folder: RunFolder, where: str) -> None:
    folder.write_manifest(
        replace(MANIFEST, rows=[manifests.row("k1", "one", starts=[manifests.start()])])
    )
    facts = json.loads((folder.path / "manifest.json").read_text(encoding="utf-8"))
    row = facts["rows"][0]
    (row if where == "kind" else row["starts"][0])[where] = "fine"
    atomic.write_json(folder.path / "manifest.json", facts)
    with pytest.raises(BenchError, match=r"manifest\.json cannot be read \(.*fine"):
        _ = RunFolder(folder.path).manifest


@pytest.mark.parametrize("damage", [b"", b"PAR1 and then nothing", None])
def test_a_damaged_table_is_named(folder: RunFolder, damage: bytes | None) -> None:
    complete(folder)
    path = folder.path / "cells.parquet"
    path.unlink() if damage is None else path.write_bytes(damage)
    with pytest.raises(BenchError, match=r"cells\.parquet.*remove"):
        folder.cells()


@pytest.mark.parametrize("name", ["cells", "texts", "samples"])
def test_any_byte_that_is_changed_is_found(folder: RunFolder, name: str) -> None:
    """Or does no harm: what is read is what was written, or one line names the file."""
    text = "".join(random.Random(1).choices("abcdefgh ", k=5000))
    journalled(folder, *(cell("k1", page, f"{page} {text}") for page in PLACES))
    complete(folder)
    path = folder.path / f"{name}.parquet"

    def read() -> object:
        again = RunFolder(folder.path)
        cells = again.cells()
        return cells.to_dict(), again.samples().to_dict(), again.texts(cells["text_hash"])

    before, whole = repr(read()), path.read_bytes()
    for at in range(0, len(whole), max(1, len(whole) // 150)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x15]) + whole[at + 1 :])
        try:
            now = repr(read())
        except BenchError as error:
            now = str(error)
        assert now == before or (path.name in now and "\n" not in now), at


def test_texts_that_were_changed_are_named(folder: RunFolder) -> None:
    complete(folder)
    path = folder.path / "texts.parquet"
    texts = pq.read_table(path)
    changed = ["another text" for _ in range(texts.num_rows)]
    texts = texts.set_column(1, tables.TEXTS.field("text"), pa.array(changed, pa.large_string()))
    pq.write_table(texts, path)
    with pytest.raises(
        BenchError, match=r"texts\.parquet cannot be read .* not those that were st"
    ):
        folder.texts(folder.cells()["text_hash"])


# -- finding --------------------------------------------------------------------------------


def test_runs_are_found_by_their_beginning(tmp_path: Path) -> None:
    for name, status in (("20260101T1-x", Status.FINISHED), ("20260102T1-x", Status.RUNNING)):
        (tmp_path / name).mkdir()
        RunFolder(tmp_path / name).write_manifest(manifests.manifest(status=status))
    (tmp_path / "no run").mkdir()
    assert [run.id for run in runs.all_runs(tmp_path)] == ["20260102T1-x", "20260101T1-x"]
    assert runs.find(tmp_path, None).id == "20260101T1-x", "the latest that is finished"
    assert runs.find(tmp_path, "20260102").id == "20260102T1-x"
    for word, reason in (
        ("2026", "give more of the id"),
        ("2027", "bench runs"),
        ("", "give more"),
    ):
        with pytest.raises(UsageError, match=reason):
            runs.find(tmp_path, word)
    (tmp_path / "20250101T1-x").mkdir()
    (tmp_path / "20250101T1-x" / "manifest.json").touch()
    assert runs.find(tmp_path, None).id == "20260101T1-x", "an older one may be damaged"
    (tmp_path / "20260102T1-x" / "manifest.json").write_text("{}")
    with pytest.raises(BenchError, match=r"0102T1-x.* cannot be read .*; remove the folder"):
        runs.find(tmp_path, None)
    assert runs.find(tmp_path, "20260101").id == "20260101T1-x"
    with pytest.raises(UsageError, match="no finished run"):
        runs.find(tmp_path / "none", None)


def _opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the files below results that are opened, by name."""
    names: Counter[str] = Counter()
    read_bytes, read_table = Path.read_bytes, pq.read_table

    def counted_bytes(path: Path) -> bytes:
        names[path.name] += 1
        return read_bytes(path)

    def counted_table(path: Path, **options: Any) -> pa.Table:
        names[path.name] += 1
        return read_table(path, **options)

    monkeypatch.setattr(Path, "read_bytes", counted_bytes)
    monkeypatch.setattr(pq, "read_table", counted_table)
    return names


@pytest.mark.parametrize("row", ["changed", "same"])
def test_starting_among_many_runs_opens_each_manifest_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str
) -> None:
    """And the tables of one of those that hold the same cells, however many these are."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for page in PLACES:
        (pages / f"{page}.html").write_text(f"<p>{page}</p>", encoding="utf-8")
        (pages / f"{page}.txt").write_text(page, encoding="utf-8")
    plan = Plan(registry.rows(["xpath"]), catalogue.open_gold(f"folder:{pages}"), repeats=2)
    results = tmp_path / "results"
    first = new_run.start(plan, results, reuse=False)
    key = plan.rows[0].key if row == "same" else "another"
    first.manifest.rows[0].key = key
    hashes = plan.data_set.hashes.pages
    # Half of what is wanted: every run with this row might have the rest.
    first.manifest.repeats = 1
    for page in PLACES:
        journalled(first, cell(key, page, page_hash=hashes[page].page))
    first.fold(first.manifest, PLACES)
    for number in range(30):
        copy = shutil.copytree(first.path, results / f"20250101T{number:06}-pages")
        RunFolder(copy).write_manifest(replace(first.manifest, id=copy.name, plan="another"))
    names = _opened(monkeypatch)
    new = new_run.start(plan, results, reuse=True)
    assert names["manifest.json"] <= 32
    assert names["cells.parquet"] == (row == "same")
    assert len(list(new.journalled(key))) == (3 if row == "same" else 0)
