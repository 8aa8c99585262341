"""WCXB's layout: splits, page types, stale charset declarations, damage."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.datasets import catalogue, readers
from bench.datasets.fetch import install
from bench.datasets.readers.base import GoldError
from bench.model import BenchError, UsageError
from tests.conftest import html_of

WcxbCopy = Callable[..., Path]
HTML = html_of("<p>née</p>").replace("utf-8", "windows-1251").encode()
FACTS = {
    "url": "https://example.org/1",
    "_internal": {"page_type": {"primary": "forum", "confidence": "verified"}},
    "ground_truth": {
        "title": "A page",
        "author": None,
        "publish_date": "2025-01-15",
        "main_content": "née",
        "with": ["née"],
        "without": ["Home", "All stories"],
    },
}


@pytest.fixture
def wcxb_copy(tmp_path: Path) -> WcxbCopy:
    """A small data set in WCXB's layout, written for this test."""

    def build(name: str = "wcxb-copy", **splits: dict[str, Any]) -> Path:
        folder = tmp_path / name
        for split, pages in (splits or {"dev": {"0001": FACTS, "0002": FACTS}}).items():
            for part in ("ground-truth", "html"):
                (folder / split / part).mkdir(parents=True)
            for key, facts in pages.items():
                gold = folder / split / "ground-truth" / f"{key}.json"
                gold.write_text(json.dumps(facts), encoding="utf-8")
                (folder / split / "html" / f"{key}.html.gz").write_bytes(gzip.compress(HTML))
        (folder / "LICENSE").write_text("CC-BY-4.0", encoding="utf-8")
        return folder

    return build


def test_a_page_and_its_gold(wcxb_copy: WcxbCopy) -> None:
    reader = readers.open_folder("wcxb", wcxb_copy())
    assert list(reader.ids) == ["0001", "0002"]
    item = reader.read("0001")
    assert item.page.html == HTML
    assert item.page.url == "https://example.org/1"
    assert item.page.page_type == "forum"
    assert dict(item.page.meta) == {"title": "A page", "publish_date": "2025-01-15"}
    assert item.gold.text == "née"
    assert item.gold.with_snippets == ("née",)
    assert item.gold.without_snippets == ("Home", "All stories")


def test_a_stale_charset_declaration_is_overruled(wcxb_copy: WcxbCopy) -> None:
    folder = wcxb_copy()
    (folder / "dev" / "html" / "0002.html.gz").write_bytes(gzip.compress(b"n\xe9e"))
    reader = readers.open_folder("wcxb", folder)
    assert reader.read("0001").page.encoding == "utf-8"
    assert reader.read("0002").page.encoding is None, "bytes that are not UTF-8 get no such label"


@pytest.mark.parametrize(
    ("internal", "expected"),
    [
        ({"page_type": "product"}, "product"),
        ({"page_type": {"primary": "category"}}, "collection"),
        ({}, None),
        (None, None),
    ],
)
def test_page_types_in_every_form(wcxb_copy: WcxbCopy, internal: Any, expected: str | None) -> None:
    folder = wcxb_copy(dev={"0001": {**FACTS, "_internal": internal}})
    assert readers.open_folder("wcxb", folder).read("0001").page.page_type == expected


def test_gold_may_be_absent_or_null(wcxb_copy: WcxbCopy) -> None:
    folder = wcxb_copy(
        dev={"1": {"ground_truth": {}}, "2": {"ground_truth": {"main_content": None, "with": None}}}
    )
    for item in map(readers.open_folder("wcxb", folder).read, "12"):
        assert item.gold.text == ""
        assert item.gold.with_snippets == ()


def test_splits_are_data_sets_of_their_own(wcxb_copy: WcxbCopy, bench_home: Path) -> None:
    """The same id means other pages in the two splits."""
    other = {**FACTS, "url": "https://example.org/test"}
    folder = wcxb_copy(dev={"0001": FACTS}, test={"0001": other, "0003": other})
    with pytest.raises(BenchError, match="bench gold fetch wcxb:test"):
        catalogue.open_gold("wcxb:test")
    install.add("wcxb", folder)
    install.add("wcxb:test", folder)
    assert len(catalogue.open_gold("wcxb:test")) == 2
    assert catalogue.open_gold("wcxb:test").read("0001").page.url == "https://example.org/test"
    for name in ("wcxb", "wcxb:dev"):
        assert list(catalogue.open_gold(name).ids) == ["0001"]
    copied = {str(p.relative_to(bench_home / "gold")) for p in bench_home.rglob("LICENSE")}
    assert copied == {"wcxb/LICENSE", "wcxb-test/LICENSE"}
    for name in ("aeb:dev", "wcxb:train"):
        with pytest.raises(UsageError, match="no data set is called"):
            catalogue.open_gold(name)


def test_pairs_that_do_not_match_are_told(wcxb_copy: WcxbCopy) -> None:
    folder = wcxb_copy(dev=dict.fromkeys(("1", "2", "3"), FACTS))
    (folder / "dev" / "html" / "1.html.gz").unlink()
    (folder / "dev" / "ground-truth" / "2.json").unlink()
    reader = readers.open_folder("wcxb", folder)
    assert list(reader.ids) == ["3"]
    assert [each.split(" (")[0] for each in reader.problems] == [
        "gold without a page: 1",
        "page without gold: 2",
    ]


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "{}",
        '{"ground_truth": 5}',
        '{"ground_truth": {"main_content": 5}}',
        '{"ground_truth": {"with": "née"}}',
        '{"ground_truth": {"without": [1]}}',
        '{"ground_truth": {}, "url": 5}',
        '{"ground_truth": {}, "_internal": {"page_type": 5}}',
        '{"ground_truth": {}, "_internal": [1]}',
    ],
)
def test_damaged_gold_is_named(wcxb_copy: WcxbCopy, content: str) -> None:
    folder = wcxb_copy()
    (folder / "dev" / "ground-truth" / "0002.json").write_text(content, encoding="utf-8")
    reader = readers.open_folder("wcxb", folder)
    reader.read("0001")
    with pytest.raises(GoldError, match=r"0002\.json"):
        reader.read("0002")


@pytest.mark.parametrize("missing", ["dev", "dev/html", "dev/ground-truth"])
def test_another_layout_is_told(wcxb_copy: WcxbCopy, missing: str) -> None:
    folder = wcxb_copy()
    (folder / missing).rename(folder / "elsewhere")
    with pytest.raises(GoldError, match="not in WCXB's layout"):
        readers.open_folder("wcxb", folder)


def test_the_real_development_split(shared: Path) -> None:
    root = shared / "gold" / "wcxb"
    if not root.is_dir():
        pytest.skip(f"{root} is not here")
    reader = readers.open_folder("wcxb", root)
    items = [reader.read(page_id) for page_id in reader.ids]
    assert Counter(item.page.page_type for item in items) == {
        "article": 793,
        "service": 165,
        "product": 119,
        "collection": 117,
        "forum": 113,
        "listing": 99,
        "documentation": 91,
    }
    assert {item.page.encoding for item in items} == {"utf-8"}
    assert sum(not (item.gold.text or "").strip() for item in items) == 21
    assert sum(item.page.url is None for item in items) == 1
