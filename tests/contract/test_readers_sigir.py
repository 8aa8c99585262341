"""The SIGIR 2023 study's layout: eight sets in one copy, each by itself and all together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.datasets import catalogue, readers
from bench.datasets.fetch import install
from bench.datasets.readers import sigir
from bench.datasets.readers.base import GoldError
from bench.model import BenchError
from tests.layouts import write, write_lines

CP1251 = b'<meta charset="windows-1251"><p>'


def part(folder: Path, name: str, ids: str, **facts: Any) -> None:
    records = [
        {"page_id": i, "plaintext": f"{name} {i}", "url": f"http://{name}/{i}", "source": [name, i]}
        for i in ids
    ]
    write_lines(folder / "ground-truth" / f"{name}.jsonl", [{**each, **facts} for each in records])
    for i in ids:
        write(folder / "html" / name / f"{i}.html", f"<p>{name} {i}")


def test_a_page_and_its_gold(tmp_path: Path) -> None:
    part(tmp_path, "cetd", "ab")
    write(tmp_path / "html" / "cetd" / "a.html", CP1251 + "née".encode())
    write(tmp_path / "html" / "cetd" / "b.html", b"<p>n\xe9e")
    first, second = map(readers.open_folder("sigir:cetd", tmp_path).read, "ab")
    assert first.page.html == CP1251 + "née".encode()
    assert first.page.encoding == "utf-8", "the study's conversion counts, not the declaration"
    assert second.page.encoding is None
    assert first.page.url == "http://cetd/a"
    assert dict(first.page.meta) == {"dataset": "cetd", "source": "cetd/a"}
    assert first.gold.text == "cetd a"


def test_one_copy_serves_all(tmp_path: Path, bench_home: Path) -> None:
    source = tmp_path / "datasets" / "combined"
    part(source, "cetd", "ab")
    part(source, "readability", "bc")
    with pytest.raises(BenchError, match="bench gold fetch sigir:cetd"):
        catalogue.open_gold("sigir:cetd")
    install.add("sigir:cetd", tmp_path)
    assert [p.name for p in (bench_home / "gold").iterdir() if p.is_dir()] == ["sigir"]
    assert list(catalogue.open_gold("sigir:cetd").ids) == ["a", "b"]
    assert list(catalogue.open_gold("sigir:readability").ids) == ["b", "c"]
    whole = catalogue.open_gold("sigir")
    assert list(whole.ids) == ["cetd-a", "cetd-b", "readability-b", "readability-c"]
    assert [item.page.meta["dataset"] for item in whole] == ["cetd"] * 2 + ["readability"] * 2
    assert whole.read("readability-b").gold.text == "readability b"
    with pytest.raises(GoldError, match=r"no ground-truth/dragnet\.jsonl"):
        catalogue.open_gold("sigir:dragnet")


def test_there_is_a_card_for_each_part_and_they_add_up() -> None:
    cards = catalogue.all_cards()
    counts = [cards[f"sigir:{name}"][0].pages for name in sigir.PARTS]
    assert len(counts) == 8
    assert sum(counts) == cards["sigir"][0].pages


def test_a_page_that_occurs_twice_counts_once(tmp_path: Path) -> None:
    part(tmp_path, "cetd", "aab")
    reader = readers.open_folder("sigir:cetd", tmp_path)
    assert list(reader.ids) == ["a", "b"]
    assert list(reader.problems) == ["a in cetd.jsonl, line 2: its id occurs before"]


@pytest.mark.parametrize("page_id", ["../../etc/passwd", "/etc/passwd", "..", "a\\b", "a\0"])
def test_an_id_that_leads_elsewhere_is_left_out(tmp_path: Path, page_id: str) -> None:
    part(tmp_path, "cetd", "a")
    records = [{"page_id": i, "plaintext": "x"} for i in ("a", page_id)]
    write_lines(tmp_path / "ground-truth" / "cetd.jsonl", records)
    reader = readers.open_folder("sigir:cetd", tmp_path)
    assert list(reader.ids) == ["a"]
    assert ["cannot be a file's name" in line for line in reader.problems] == [True]


@pytest.mark.parametrize("facts", [{"plaintext": 5}, {"url": 5}, {"source": 5}, {"page_id": 5}])
def test_a_value_of_the_wrong_kind_is_named(tmp_path: Path, facts: dict[str, Any]) -> None:
    part(tmp_path, "cetd", "a", **facts)
    with pytest.raises(GoldError, match=r"cetd\.jsonl, line 1"):
        readers.open_folder("sigir", tmp_path)


def test_gold_may_be_null(tmp_path: Path) -> None:
    part(tmp_path, "cetd", "a", plaintext=None, url=None, source=None)
    item = readers.open_folder("sigir:cetd", tmp_path).read("a")
    assert item.gold.text == ""
    assert item.page.url is None
