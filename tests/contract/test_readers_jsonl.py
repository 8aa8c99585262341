"""Lines of JSON by offset: any bytes, any chunks, gzipped or not, remembered, never all held."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.datasets.readers import jsonl
from bench.datasets.readers.base import GoldError
from bench.datasets.readers.jsonl import JsonLines
from tests.layouts import write_lines


def anything(_: dict[str, Any]) -> str | None:
    return None


def opened(path: Path) -> JsonLines:
    return JsonLines(path, path.parent, "id", anything)


RECORDS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    st.text(max_size=300),
    max_size=12,
)


@given(RECORDS, st.integers(1, 70), st.booleans(), st.integers(0, 3))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    records: dict[str, str],
    chunk: int,
    ascii_only: bool,
    members: int,
) -> None:
    lines = [
        json.dumps({"id": i, "text": text}, ensure_ascii=ascii_only).encode() + b"\r\n"
        for i, text in records.items()
    ]
    folder = tmp_path_factory.mktemp("lines")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "_CHUNK_BYTES", chunk)
        if members:
            # A gzip file may be several, one after the other.
            path = folder / "x.jsonl.gz"
            parts = [b"".join(lines[at::members]) for at in range(members)]
            path.write_bytes(b"".join(map(gzip.compress, parts)))
        else:
            path = folder / "x.jsonl"
            path.write_bytes(b"".join(lines))
        for _ in "listed", "remembered":
            found = opened(path)
            assert set(found.places) == set(records)
            for page_id, text in reversed(records.items()):
                assert found.read(page_id) == {"id": page_id, "text": text}


def test_the_last_line_may_lack_its_end(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'\n{"id": "a"}\n\n  \n{"id": "b", "n": 1}')
    assert opened(path).read("b") == {"id": "b", "n": 1}


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "7", "null", '"a"', "{}", '{"id": 5}', '{"id": ""}', '{"id": "\\ud800"}', "\xff",
     "[" * 100_000],
)  # fmt: skip
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"id": "a"}\n' + line.encode("latin-1") + b"\n")
    with pytest.raises(GoldError, match=r"x\.jsonl, line 2: .*put a whole copy"):
        opened(path)


def test_unfit_and_repeated_lines_are_told(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write_lines(path, [{"id": "a", "n": 1}, {"id": "b"}, {"id": "a", "n": 2}, {"id": "c", "n": 3}])
    for _ in "listed", "remembered":
        found = JsonLines(
            path, path.parent, "id", lambda record: None if record.get("n") else "no n"
        )
        assert list(found.places) == ["a", "c"]
        assert found.read("a")["n"] == 1, "the first counts"
        assert found.problems == [
            "b in x.jsonl, line 2: no n",
            "a in x.jsonl, line 3: its id occurs before",
        ]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"places": {"a": 1}}', '{"places": {}}'])
def test_a_memory_that_is_damaged_does_not_matter(
    tmp_path: Path, bench_home: Path, damage: str
) -> None:
    path = tmp_path / "x.jsonl"
    write_lines(path, [{"id": "a"}, {"id": "a"}, {"id": "b"}])
    opened(path)
    (memory,) = (bench_home / "cache" / "lines").iterdir()
    memory.write_text(damage, encoding="utf-8")
    found = opened(path)
    assert found.read("b") == {"id": "b"}
    assert len(found.problems) == 1


def test_a_file_that_changed_is_listed_again(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write_lines(path, [{"id": "a"}])
    assert list(opened(path).places) == ["a"]
    write_lines(path, [{"id": "a"}, {"id": "b"}])
    assert list(opened(path).places) == ["a", "b"]


def test_a_file_that_changed_unseen_is_never_read_wrong(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write_lines(path, [{"id": "a"}, {"id": "b"}])
    found = opened(path)
    stat = path.stat()
    write_lines(path, [{"id": "b"}, {"id": "a"}])
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with pytest.raises(GoldError, match=r"x\.jsonl cannot be read"):
        found.read("a")


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz"])
def test_a_line_that_is_too_long_is_named(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "LINE_BYTES", 2**20)
    path = tmp_path / name
    with gzip.open(path, "wt", 1) if name.endswith(".gz") else path.open("w") as file:
        file.write('{"id": "a"}\n')
        for _ in range(40):
            file.write(" " * 2**20)
    tracemalloc.start()
    with pytest.raises(GoldError, match=r"has a line of over 1 MiB; leave it out"):
        opened(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**23


def test_a_packed_file_can_be_read_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": "a"}\n{"id": "b"}\n'))
    lines = opened(path)
    assert pickle.loads(pickle.dumps(lines)).read("b") == lines.read("b") == {"id": "b"}


def test_what_unpacks_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "UNPACKED_BYTES", 1 << 20)
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n" * 2**20) * 2)
    with pytest.raises(GoldError, match=r"is longer than 1 MiB; leave it out"):
        opened(path)


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, name: str) -> None:
    """24 MB of lines, a megabyte each."""
    path = tmp_path / name
    line = "x" * 1_000_000
    with gzip.open(path, "wt", 1) if name.endswith(".gz") else path.open("w") as file:
        for at in range(24):
            file.write(json.dumps({"id": f"{at:02}", "text": line}) + "\n")
    tracemalloc.start()
    try:
        found = opened(path)
        sizes = {len(found.read(page_id)["text"]) for page_id in reversed(list(found.places))}
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sizes == {1_000_000}
    assert peak < 8_000_000
