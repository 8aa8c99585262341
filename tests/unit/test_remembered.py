"""What is remembered is bounded: what was not asked for longest goes."""

import os
from pathlib import Path

import pytest

from bench.util import remembered


def answer(key: str, asked: list[str], text: str = "") -> str:
    def find() -> str:
        asked.append(key)
        return text or key

    return remembered.remembered("tests", key, find, dump=str, load=str)


def grow_older() -> None:
    """Have everything that is kept be a minute older."""
    for path in remembered.folder("tests").iterdir():
        before = path.stat().st_mtime_ns - 60 * 10**9
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


def test_one_larger_than_all_room_is_kept(
    monkeypatch: pytest.MonkeyPatch, bench_home: Path
) -> None:
    monkeypatch.setattr(remembered, "_BYTES", 10)
    asked: list[str] = []
    assert [answer("a", asked), answer("a", asked)] == ["a", "a"]
    assert asked == ["a"]
