"""The layout of Trafilatura's evaluation set: snippets, two folders of pages, names that lead out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.datasets import readers
from bench.datasets.readers.base import GoldError, Reader
from tests.layouts import write

LAYOUT = "trafilatura-eval"
ENTRY = {"file": "a.html", "with": ["one", "two"], "without": ["Home"], "author": "A. Author"}


def opened(folder: Path, entries: dict[str, Any] | Any, at: str = "") -> Reader:
    write(folder / at / "evaldata.json", json.dumps(entries))
    return readers.open_folder(LAYOUT, folder)


def test_a_page_and_its_snippets(tmp_path: Path) -> None:
    write(tmp_path / "cache" / "a.html", b"<p>n\xe9e")
    item = opened(tmp_path, {"https://example.org/": ENTRY}).read("a")
    assert item.gold.text is None
    assert item.gold.with_snippets == ("one", "two")
    assert item.gold.without_snippets == ("Home",)
    assert item.page.html == b"<p>n\xe9e"
    assert item.page.url == "https://example.org/"
    assert item.page.encoding is None
    assert dict(item.page.meta) == {"author": "A. Author"}


def test_cache_comes_before_eval_and_files_without_annotation_stay_out(tmp_path: Path) -> None:
    for folder in ("cache", "eval"):
        write(tmp_path / folder / "a.html", folder)
    write(tmp_path / "eval" / "waiting.html", "x")
    reader = opened(tmp_path, {"https://example.org/": ENTRY})
    assert list(reader.ids) == ["a"]
    assert list(reader.problems) == []
    assert reader.read("a").page.html == b"cache"


def test_the_librarys_repository_will_do(tmp_path: Path) -> None:
    write(tmp_path / "tests" / "eval" / "a.html", "x")
    write(tmp_path / "LICENSE", "Apache-2.0")
    reader = opened(tmp_path, {"https://example.org/": ENTRY}, "tests")
    assert set(map(str, reader.files())) == {
        "LICENSE",
        "tests/evaldata.json",
        "tests/eval/a.html",
    }


def test_a_page_of_two_addresses_counts_once(tmp_path: Path) -> None:
    write(tmp_path / "eval" / "a.html", "x")
    reader = opened(tmp_path, {"https://example.org/1": ENTRY, "https://example.org/2": ENTRY})
    assert reader.read("a").page.url == "https://example.org/1"
    assert ["https://example.org/2" in line for line in reader.problems] == [True]


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "x/y.html", "..", "", "a\\b", "a\0b", None, 5, "\ud800"],
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: Any) -> None:
    write(tmp_path / "eval" / "a.html", "x")
    with pytest.raises(GoldError, match=r"evaldata\.json"):
        opened(tmp_path, {"https://example.org/": {**ENTRY, "file": name}})


@pytest.mark.parametrize(
    "entries",
    [[], 5, None, "x", {"u": 5}, {"u": {}}, {"u": {**ENTRY, "with": "one"}},
     {"u": {**ENTRY, "without": [1]}}],
)  # fmt: skip
def test_damaged_annotations_are_named(tmp_path: Path, entries: Any) -> None:
    write(tmp_path / "eval" / "a.html", "x")
    with pytest.raises(GoldError, match=r"evaldata\.json"):
        opened(tmp_path, entries)
