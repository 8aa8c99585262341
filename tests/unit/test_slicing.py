"""Each page has a label in each dimension, remembered until the data set changes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from unittest.mock import Mock

import pytest

from bench.datasets import catalogue, facts
from bench.datasets.catalogue import DataSet
from bench.model import BenchError, UsageError
from bench.scoring import page_slices
from bench.util import paths
from tests.conftest import FolderGold

FACTS = [
    {"id": "a", "language": "en-GB", "page_type": "article", "site": "one", "paid": True},
    {"id": "b", "language": "de", "page_type": "forum", "site": "two", "tags": ["x"]},
    {"id": "c", "page_type": "article", "site": "one", "note": "c only"},
]


@pytest.fixture
def data_set(folder_gold: FolderGold) -> DataSet:
    links = "<a>" + "link " * 9 + "</a>"
    return opened(
        folder_gold(
            {
                "a": ("<html lang=en><p>all of this is gold", "all of this is gold"),
                "b": ("<html lang=fr><p>some gold" + " and more" * 9, "some gold"),
                "c": ("<html lang=FR-ca>" + "<div>" * 31 + links + "gold", "gold"),
                "d": ("", "gold"),
            }
        ),
        FACTS,
    )


def opened(folder: Path, lines: list[dict[str, object]]) -> DataSet:
    (folder / "pages.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return catalogue.open_gold(f"folder:{folder}")


def test_every_dimension_has_one_label_per_page(data_set: DataSet) -> None:
    known = page_slices.Dimensions(data_set)
    assert {name: list(labels) for name, labels in known.items()} == {
        "page_type": ["article", "forum", "article", None],
        "language": ["en", "de", "fr", None],
        "length": ["3+", "2-2", "0-1", "0-1"],
        "complexity": ["00-24", "75+", "75+", None],
        "link_density": ["00-09", "00-09", "50+", None],
        "depth": ["00-09", "00-09", "30+", "00-09"],
        "note": [None, None, "c only", None],
        "paid": ["true", None, None, None],
        "site": ["one", "two", "one", None],
    }
    assert list(page_slices.of(data_set, "site")) == ["one", "two", "one", None]


def test_an_unknown_dimension_is_told_with_what_there_is(data_set: DataSet) -> None:
    with pytest.raises(UsageError, match=r"did you mean language\?"):
        page_slices.of(data_set, "langauge")
    with pytest.raises(UsageError, match=r"page_type, language, .*site"):
        page_slices.of(data_set, "xyz")


def test_metadata_with_many_values_are_no_dimension(folder_gold: FolderGold) -> None:
    ids = [f"{n:02}" for n in range(page_slices.FEW + 1)]
    folder = folder_gold(dict.fromkeys(ids, ("<p>x", "x")))
    lines: list[dict[str, object]] = [
        {"id": page_id, "title": page_id, "half": n % 2} for n, page_id in enumerate(ids)
    ]
    known = page_slices.Dimensions(opened(folder, lines))
    assert "title" not in known
    assert Counter(known["half"]) == {"0": 11, "1": 10}


def test_only_what_is_asked_for_is_looked_at(data_set: DataSet) -> None:
    page_slices.of(data_set, "page_type")
    assert [path.name for path in (paths.home() / "cache").iterdir()] == ["stated"]


def test_facts_are_remembered_until_a_file_changes(
    data_set: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = page_slices.of(data_set, "complexity")
    root = data_set.reader.root
    data_set = catalogue.open_gold(f"folder:{root}")
    with monkeypatch.context() as patch:
        patch.setattr(type(data_set.reader), "read", lambda *_: pytest.fail("read again"))
        assert page_slices.of(data_set, "complexity") == before
        assert page_slices.of(data_set, "site") == ["one", "two", "one", None]
    (root / "a.txt").write_text("gold of another length", encoding="utf-8")
    assert page_slices.of(catalogue.open_gold(f"folder:{root}"), "complexity")[0] == "50-74"


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"format": 1, "pages": {}}', "null"])
def test_a_damaged_memory_is_made_again(data_set: DataSet, damage: str) -> None:
    before = page_slices.of(data_set, "depth")
    for path in (paths.home() / "cache").rglob("*.json"):
        path.write_text(damage, encoding="utf-8")
    again = catalogue.open_gold(f"folder:{data_set.reader.root}")
    assert page_slices.of(again, "depth") == before


def test_progress_is_told_once(data_set: DataSet) -> None:
    progress = Mock()
    page_slices.of(data_set, "depth", progress)
    page_slices.of(data_set, "depth", progress)
    assert progress.advance.call_count == 4


def test_pages_left_out_are_in_no_slice_and_change_the_fingerprint(data_set: DataSet) -> None:
    left = data_set.without({"b": "because"})
    assert list(left.ids) == ["a", "c", "d"]
    assert page_slices.of(left, "site") == ["one", "one", None]
    assert page_slices.of(left, "complexity") == ["00-24", "75+", None]
    assert left.hashes.fingerprint != data_set.hashes.fingerprint
    assert left.hashes.pages["a"] == data_set.hashes.pages["a"]
    assert left.facts["left_out"] == {"b": "because"}
    assert left.facts["pages"] == 3
    assert "left_out" not in data_set.facts
    assert left.without({"c": "too"}).left_out == {"b": "because", "c": "too"}
    assert data_set.without({}) is data_set
    with pytest.raises(BenchError, match="no page is left"):
        data_set.without(dict.fromkeys(data_set.ids, "all"))


def test_a_fingerprint_left_over_pages_is_no_longer_the_published_one() -> None:
    starter = catalogue.open_gold("starter")
    assert starter.without({starter.ids[0]: "x"}).as_published is None


def test_facts_of_the_starter_set() -> None:
    starter = catalogue.open_gold("starter")
    known = page_slices.Dimensions(starter)
    assert Counter(known["page_type"])["article"] == 30
    assert len(set(known["language"])) == 14
    assert all(each is not None for name in known for each in known[name])
    assert facts.primary(" EN_gb ") == "en"
    assert facts.primary("") is None
