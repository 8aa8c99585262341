"""WebMainBench's layout: which gold, page types, and the marks of the tool taken out."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.datasets import readers
from bench.datasets.readers import annotation, webmainbench
from bench.datasets.readers.base import GoldError
from tests.layouts import write_layout, write_lines

MARKED = """<html lang="en"><head>
<style id="cc-extraStyle" name="cc">
        .cc-unloaded:not(iframe) { width: 100px; }
        .mark-selected { outline: 2px dashed #0d6efd !important; }
    </style>
<title>A page</title></head><body class="wide" data-anno-uid="anno-uid-4r3" style="user-select: none;">
<nav data-anno-uid="anno-uid-1">Home</nav><h1 cc-select="true" class="OXQ mark-selected" \
data-anno-uid="anno-uid-2" style="">Title</h1>
<p cc-select="true" class="mark-selected" data-anno-uid="anno-uid-3" style="">One
<marked-tail class="mark-selected" data-anno-uid="anno-uid-4" style="" cc-select="true"> two \
</marked-tail><br data-anno-uid="anno-uid-5"></p>
<img class="cc-unloaded logo" data-anno-uid="anno-uid-6" src='a.png' style="width: 1px"/>
<script data-anno-uid="anno-uid-7">if (a<b) { "class='x'" }</script></body></html>"""
CLEAN = """<html lang="en"><head>
<title>A page</title></head><body class="wide">
<nav>Home</nav><h1 class="OXQ">Title</h1>
<p>One
 two <br></p>
<img class="logo" src='a.png' style="width: 1px"/>
<script>if (a<b) { "class='x'" }</script></body></html>"""
RECORD = {
    "track_id": "0b7f2636",
    "url": "https://example.org/page",
    "html": MARKED,
    "main_html": "<h1>Title</h1>",
    "convert_main_content": "# Title\n\nOne two",
    "groundtruth_content": "# Title\n\nOne  two.",
    "meta": {
        "language": "en",
        "style": "Content Listing",
        "level": "mid",
        "table": [],
        "code": ["inline"],
    },
}


def one(folder: Path, layout: str = "webmainbench", **changes: Any) -> Any:
    name = "WebMainBench_545.jsonl" if layout.endswith("545") else "webmainbench.jsonl"
    write_lines(folder / name, [{**RECORD, **changes}])
    return readers.open_folder(layout, folder).read("0b7f2636")


def test_a_page_and_its_facts(tmp_path: Path) -> None:
    page = one(tmp_path).page
    assert page.html.decode() == CLEAN
    assert page.url == "https://example.org/page"
    assert page.language == "en"
    assert page.page_type == "listing"
    assert page.encoding == "utf-8"
    assert dict(page.meta) == {"style": "Content Listing", "level": "mid", "code": ["inline"]}


@pytest.mark.parametrize(
    ("layout", "changes", "expected"),
    [
        ("webmainbench", {}, "# Title\n\nOne two"),
        ("webmainbench:545", {}, "# Title\n\nOne  two."),
        ("webmainbench", {"convert_main_content": None}, "# Title\n\nOne  two."),
        ("webmainbench:545", {"groundtruth_content": None}, "# Title\n\nOne two"),
        ("webmainbench", {"convert_main_content": ""}, ""),
    ],
)
def test_the_set_and_its_subset_have_gold_of_their_own(
    tmp_path: Path, layout: str, changes: dict[str, Any], expected: str
) -> None:
    assert one(tmp_path, layout, **changes).gold.text == expected


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("Article", "article"),
        ("Forum_or_Article_with_commentsection", "forum"),
        ("Other", "other"),
        ("Something New", "something new"),
        (None, None),
    ],
)
def test_page_types(tmp_path: Path, style: str | None, expected: str | None) -> None:
    assert one(tmp_path, meta={"style": style}).page.page_type == expected


def test_a_page_may_lack_its_facts_and_hold_half_a_character(tmp_path: Path) -> None:
    page = one(tmp_path, meta=None, url=None, html="<p>\ud83d</p>").page
    assert page.html == b"<p>?</p>"
    assert (page.url, page.language, page.page_type, dict(page.meta)) == (None, None, None, {})


@pytest.mark.parametrize(
    "changes",
    [{"html": 5}, {"url": []}, {"meta": 5}, {"meta": {"style": 5}}, {"convert_main_content": 5}],
)
def test_a_value_of_the_wrong_kind_is_named(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(GoldError, match=r"webmainbench\.jsonl, line 1"):
        one(tmp_path, **changes)


def test_the_file_may_lie_in_data(tmp_path: Path) -> None:
    write_lines(tmp_path / "data" / "webmainbench.jsonl", [RECORD], packed=True)
    reader = readers.open_folder("webmainbench", tmp_path)
    assert list(reader.ids) == ["0b7f2636"]
    assert list(reader.files()) == [Path("data/webmainbench.jsonl.gz")]


# -- the marks ------------------------------------------------------------------------------


def test_marks_are_taken_out_and_nothing_else() -> None:
    assert annotation.strip(MARKED) == CLEAN
    assert annotation.strip(CLEAN) == CLEAN


@pytest.mark.parametrize(
    ("marked", "clean"),
    [
        ("<p cc-select='true'>x", "<p>x"),
        ("<p cc-select=true>x", "<p>x"),
        ("<p cc-select>x", "<p>x"),
        ("<br cc-select='true'/>", "<br/>"),
        ('<p class="a mark-selected b">', '<p class="a b">'),
        ('<p class="mark-selected a">', '<p class="a">'),
        ('<p class="mark-selected cc-unloaded">', "<p>"),
        ("<p class='a mark-selected'>", "<p class='a'>"),
        ("<p class=mark-selected>", "<p>"),
        ("<MARKED-INLINE DATA-ANNO-UID='x'>a</MARKED-INLINE>", "a"),
        ("<p\n data-anno-uid='x'\n id='y'>", "<p\n id='y'>"),
    ],
)
def test_marks_in_other_spellings(marked: str, clean: str) -> None:
    assert annotation.strip(marked) == clean


@pytest.mark.parametrize(
    "html",
    [
        '<p class="remark-selected">',
        '<p class="mark-selected-x y">',
        '<p class="bookmark-selected mark-selection">',
        "<p>class mark-selected, cc-select</p>",
        '<p data-style="" style="color: red" class="">',
        "<remarked-text>x</remarked-text>",
        '<div style="user-select: none;">',
        "<p data-cc-select='x'>",
        "a < b cc-selection = c > d",
    ],
)
def test_what_only_looks_like_a_mark_stays(html: str) -> None:
    assert annotation.strip(html) == html


NAMES = st.from_regex(re.compile(r"[a-z]{1,6}(-[a-z]{1,4})?"), fullmatch=True)
VALUES = st.text(
    st.characters(exclude_characters='"&<>', exclude_categories=["Cs", "Cc"]), min_size=1
)
ELEMENTS = st.lists(
    st.tuples(
        st.sampled_from(["p", "div", "h1", "marked", "td"]),
        st.lists(NAMES, max_size=3),
        st.dictionaries(NAMES.map(lambda n: f"data-{n}"), VALUES, max_size=3),
        st.text(st.characters(exclude_characters="<>&", exclude_categories=["Cs"])),
    ),
    max_size=6,
)


@given(ELEMENTS, st.integers(0, 2**32))
def test_any_page_that_is_marked_and_stripped_is_as_before(
    elements: list[tuple[str, list[str], dict[str, str], str]], seed: int
) -> None:
    chance = random.Random(seed)
    before, marked = [], []
    for tag, names, attributes, text in elements:
        own = [f' class="{" ".join(names)}"'] if names else []
        own += [f' {name}="{value}"' for name, value in attributes.items()]
        before.append(f"<{tag}{''.join(own)}>{text}</{tag}>")
        with_marks = list(own)
        if chance.random() < 0.7:
            token = chance.choice(["mark-selected", "cc-unloaded"])
            if names:
                with_marks[0] = f' class="{" ".join([*names, token])}"'
            else:
                with_marks.append(f' class="{token}"')
            with_marks += [' cc-select="true"', ' style=""']
        with_marks.append(f' data-anno-uid="anno-uid-{chance.getrandbits(40):x}"')
        around = (
            ("<marked-tail cc-select>", "</marked-tail>") if chance.random() < 0.3 else ("", "")
        )
        marked.append(f"<{tag}{''.join(with_marks)}>{text.join(around)}</{tag}>")
    assert annotation.strip("".join(marked)) == "".join(before)


def test_a_page_that_is_too_long_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webmainbench, "FILE_BYTES", 2**20)
    pages = {"a": (b"x", "x"), "long": (("é" * 600_000).encode(), "x")}
    reader = readers.open_folder("webmainbench", write_layout("webmainbench", tmp_path, pages))
    assert list(reader.ids) == ["a"]
    assert reader.problems == ["long in webmainbench.jsonl, line 2: its page is longer than 1 MiB"]
