"""What is remembered is bounded: what was not asked for longest goes."""

import os
from pathlib import Path

import pytest

from bench.util import remembered


def answer(key: str, asked: list[str], text: str = "") -> str:
    def find() -> str:
        asked.append(key)
        return text or key

    remembered._make_room.cache_clear()  # as in a process of its own
    return remembered.remembered("tests", key, find, dump=str.encode, load=bytes.decode)


def grow_older() -> None:
    """Have everything that is kept be two months older."""
    for path in remembered.folder("tests").iterdir():
        before = path.stat().st_mtime_ns - 60 * 86400 * 10**9
        os.utime(path, ns=(before, before))


@pytest.mark.parametrize("limit", ["_ANSWERS", "_BYTES"])
def test_what_was_not_asked_for_longest_goes(
    monkeypatch: pytest.MonkeyPatch, bench_home: Path, limit: str
) -> None:
    monkeypatch.setattr(remembered, limit, 2 if limit == "_ANSWERS" else 250)
    asked: list[str] = []
    for key in ("a", "b", "a", "c"):
        answer(key, asked, text=key * 40)
        grow_older()
    assert asked == ["a", "b", "c"]
    answer("a", asked)
    answer("c", asked)
    assert asked == ["a", "b", "c"]
    answer("b", asked)
    assert asked == ["a", "b", "c", "b"]


@pytest.mark.parametrize("limit", ["_ANSWERS", "_BYTES"])
def test_more_than_there_is_room_for_is_found_once(
    monkeypatch: pytest.MonkeyPatch, bench_home: Path, limit: str
) -> None:
    monkeypatch.setattr(remembered, limit, 2)
    asked: list[str] = []
    for _ in range(2):  # one after the other, as the files of a data set are
        for key in "abc":
            answer(key, asked)
    assert asked == ["a", "b", "c"]


def test_what_cannot_be_written_to_is_read(
    monkeypatch: pytest.MonkeyPatch, bench_home: Path
) -> None:
    asked: list[str] = []
    answer("a", asked)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    for name in ("utime", "open"):  # of somebody else, or on a disk that is mounted to be read
        monkeypatch.setattr(os, name, refuse)
    answer("a", asked)
    assert asked == ["a"]
