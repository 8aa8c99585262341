"""Marks become text by one rule, in whatever order, and are found again under other numbers."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.label import labels
from bench.label.labels import ElementMark, Label, Mark, Point, RangeMark
from bench.label.text import painted, text_of
from bench.label.tree import DEEPEST, PARSER, Tree
from bench.model import BenchError, Page
from tests.conftest import ROOT

WORDS = st.text("abc \n é😀<&", max_size=8).map(lambda text: text.replace("<", "&lt;"))
TAGS = st.sampled_from(["p", "div", "b", "li", "td", "table", "pre", "span", "br", "template", "a"])
HIDDEN = st.sampled_from(["", "", "", " hidden"])
HTML = st.recursive(
    WORDS,
    lambda inner: st.builds(
        lambda tag, hidden, parts, close: (
            f"<{tag}{hidden}>{''.join(parts)}" + (f"</{tag}>" if close else "")
        ),
        TAGS, HIDDEN, st.lists(inner, max_size=4), st.booleans(),
    ),
    max_leaves=12,
)  # fmt: skip


def tree_of(html: str) -> Tree:
    return Tree(Page("page", html.encode()))


def number(tree: Tree, name: str, nth: int = 0) -> int:
    return [n for n, node in enumerate(tree.nodes) if node.name == name][nth]


def element(tree: Tree, name: str, part: Any = "main", nth: int = 0) -> Mark:
    return labels.quoted(ElementMark(part=part, node=number(tree, name, nth)), tree)


def stretch(tree: Tree, words: str, part: Any = "main") -> Mark:
    at = tree.text.index(words)
    start, end = labels.point(tree, at), labels.point(tree, at + len(words), ends=True)
    return labels.quoted(RangeMark(part=part, start=start, end=end), tree)


def text(tree: Tree, *marks: Mark, part: Any = "main") -> str:
    return text_of(tree, painted(tree, labels.claims(marks, tree)), part)


def label(tree: Tree, marks: Sequence[Mark]) -> Label:
    return Label(
        page=tree.page_id, page_sha256=tree.sha256, parser=PARSER, marks=list(marks), saved="now"
    )


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<p>One  two\n three<br>four<p>five", ["One two three", "four", "five"]),
        ("<p>un<b>brok</b>en and <i>spaced </i> out", ["unbroken and spaced out"]),
        ("<ul><li>a<li>b<ol><li>c</ol></ul>", ["a", "b", "c"]),
        ("<table><caption>T</caption><tr><th>a <th> b<tr><td>c<td><p>d", ["T", "a\tb", "c\td"]),
        ("<table><tr><td><p>a</p><p>b</p></td><td>c", ["a", "b", "c"]),
        (
            "<table><tr><td>a<td><p>b</p><p>c</p></td><td>d<td>e<tr><td>f",
            ["a\tb", "c", "d", "e", "f"],
        ),
        ("<pre>  x = 1\n\n    y\n</pre>z", ["  x = 1", "    y", "z"]),
        ("<dl><dt>k<dd>v</dl><hr>w", ["k", "v", "w"]),
        ("a<script>no()</script>b<style>no{}</style><!-- no -->c<iframe>no</iframe>", ["abc"]),
        ("<p>a<p hidden>b<p style='display : none'>c<template>d</template>", ["a"]),
        ("<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>", ["漢字(かんじ)"]),
        ("a<select><option>b</select><textarea>c</textarea><noscript>d</noscript>", ["a"]),
        ("a&nbsp;b<img alt=picture>", ["a\xa0b"]),
    ],
)
def test_text_follows_one_rule(html: str, lines: list[str]) -> None:
    tree = tree_of(html)
    assert text(tree, element(tree, "body")).splitlines() == lines


def test_the_mark_on_the_least_text_decides() -> None:
    tree = tree_of("<main><h1>T</h1><div><p>one <b>two</b> three</p></div><p>four</p></main>")
    main, out = element(tree, "main"), element(tree, "div", "out")
    assert text(tree, main, out) == "T\nfour\n"
    assert text(tree, main, out, element(tree, "b")) == "T\ntwo\nfour\n"
    # The paragraph holds the same text and lies deeper; a range is more precise still.
    assert text(tree, main, out, element(tree, "p")) == "T\none two three\nfour\n"
    assert text(tree, element(tree, "p"), stretch(tree, "one two three", "out")) == ""
    assert text(tree, main, stretch(tree, "wo thr", "out")) == "T\none tee\nfour\n"
    comments = element(tree, "div", "comments")
    assert text(tree, main, comments) == "T\nfour\n"
    assert text(tree, main, comments, part="comments") == "one two three\n"


def test_what_is_hidden_is_taken_only_by_itself() -> None:
    tree = tree_of("<div>a<p hidden>b <i>c</i></p><title>t</title></div>")
    div = element(tree, "div")
    assert text(tree, div) == "a\n" + "t\n"
    assert text(tree, div, element(tree, "i")) == "a\nc\nt\n"
    assert text(tree, div, element(tree, "p")) == "a\nb c\nt\n"
    alone = tree_of("<div><p hidden>b</p></div>")
    assert text(alone, element(alone, "div")) == ""


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, Tree, list[Mark]]:
    html = draw(HTML)
    tree = tree_of(html)
    marks: list[Mark] = []
    parts = st.sampled_from(["main", "main", "out", "comments"])
    for _ in range(draw(st.integers(0, 5))):
        if draw(st.booleans()):
            elements = [n for n, node in enumerate(tree.nodes) if node.name]
            mark: Mark = ElementMark(part=draw(parts), node=draw(st.sampled_from(elements)))
        elif tree.text:
            a, b = sorted(draw(st.tuples(*[st.integers(0, len(tree.text))] * 2)))
            start, end = labels.point(tree, a), labels.point(tree, b, ends=True)
            mark = RangeMark(part=draw(parts), start=start, end=end)
        else:
            continue
        try:
            marks.append(labels.quoted(mark, tree))
        except BenchError as error:
            assert "holds no text" in str(error) or "ends before" in str(error)  # noqa: PT017
    return html, tree, marks


@given(marked(), st.randoms(use_true_random=False))
def test_order_does_not_matter(case: tuple[str, Tree, list[Mark]], random: Any) -> None:
    _, tree, marks = case
    before = text(tree, *marks)
    random.shuffle(marks)
    assert text(tree, *marks) == before


@given(marked())
def test_a_label_is_read_as_it_was_written(case: tuple[str, Tree, list[Mark]]) -> None:
    html, tree, marks = case
    written = label(tree, marks)
    again = labels.read(labels.write(written), "x")
    assert again == written
    assert text(tree_of(html), *labels.anchored(again, tree_of(html), "x")) == text(tree, *marks)


@given(marked())
def test_text_has_no_word_twice_and_no_other(case: tuple[str, Tree, list[Mark]]) -> None:
    _, tree, marks = case
    letters = "".join(text(tree, *marks).split())
    rest = iter(tree.letters)
    assert all(letter in rest for letter in letters)  # in the page's order
    lines = text(tree, *marks).split("\n")
    assert all(line == line.rstrip(" \t") and line for line in lines[:-1])
    assert lines[-1] == ""


@given(st.lists(st.sampled_from(["one two", "three", "same same", "four"]), min_size=1, max_size=6),
       st.integers(0, 3), st.data())  # fmt: skip
def test_marks_are_found_again_under_other_numbers(
    paragraphs: list[str], more: int, data: st.DataObject
) -> None:
    tree = tree_of("".join(f"<p>{each}</p>" for each in paragraphs))
    nth = data.draw(st.integers(0, len(paragraphs) - 1))
    words = data.draw(st.sampled_from(paragraphs))
    marks = [element(tree, "p", nth=nth), stretch(tree, words, "out")]
    # What another parser might see: elements more, texts apart, other white space.
    other = tree_of(
        "<i></i>" * more
        + "<div>".join(f"<p> <u></u>{each.replace('e', 'e<u></u>')} </p>" for each in paragraphs)
    )
    moved = msgspec.structs.replace(label(tree, marks), page_sha256=other.sha256, parser="other 2")
    found = labels.anchored(moved, other, "x")
    assert text(other, *found) == text(tree, *marks)
    assert found[0].before == marks[0].before, "of twins the one at the same place"


def test_the_schema_in_the_docs_is_the_readers() -> None:
    path = ROOT / "docs" / "labels.schema.json"
    schema = msgspec.json.schema(Label)
    if os.environ.get("BENCH_UPDATE_GOLDEN"):
        path.write_text(json.dumps(schema, indent=2) + "\n", "utf-8")
    assert json.loads(path.read_text("utf-8")) == schema
    document = path.with_name("labels.md").read_text("utf-8")
    fields = {*schema["$defs"]["Label"]["properties"], *schema["$defs"]["RangeMark"]["properties"]}
    told = {"page", "schema", "title", "author", "date", "annotator", "saved", "part", "kind"}
    assert [name for name in sorted(fields - told) if f"`{name}`" not in document] == []


def test_marks_that_fit_stay_as_they_are() -> None:
    tree = tree_of("<p>same</p><p>same</p>")
    marks = [element(tree, "p", nth=1)]
    assert labels.anchored(label(tree, marks), tree, "x") == marks


def test_errors_say_what_and_where() -> None:
    tree, other = tree_of("<p>one</p>"), tree_of("<p>two</p>")
    kept = label(tree, [element(tree, "p")])
    with pytest.raises(BenchError, match=r"^x is of another page than page is now; put"):
        labels.anchored(kept, other, "x")
    moved = msgspec.structs.replace(kept, page_sha256=other.sha256, parser="other 2")
    with pytest.raises(BenchError, match=r"^x \(by other 2\): the text 'one' is not where"):
        labels.anchored(moved, other, "x")
    for damaged in (b"", b"{", b"[]", b'{"schema": 2}', labels.write(kept).replace(b"main", b"?")):
        with pytest.raises(BenchError, match=r"^x is no label file of schema 1 \("):
            labels.read(damaged, "x")
    for mark in (
        ElementMark(part="main", node=99),
        ElementMark(part="main", node=number(tree, "head")),
        RangeMark(part="main", start=Point(99, 0), end=Point(99, 0)),
        RangeMark(part="main", start=Point(4, 2), end=Point(4, 1)),
        RangeMark(part="main", start=Point(4, 0), end=Point(4, 4)),
    ):
        with pytest.raises(BenchError):
            labels.quoted(mark, tree)


def test_a_page_too_deep_is_refused_at_once() -> None:
    with pytest.raises(BenchError, match=r"page page nests .* leave it out"):
        tree_of("<div>" * (DEEPEST + 1))
    deep = tree_of("<div>" * 1000 + "x")
    assert text(deep, element(deep, "body")) == "x\n"
    assert len({parent for _, parent, *_ in deep.drawing()}) < 1000


def test_the_drawing_lets_nothing_through() -> None:
    tree = tree_of(
        "<base href=//evil><meta http-equiv=refresh content=0><body onload=x() dir=rtl>"
        "<script>x()</script><iframe src=//evil></iframe><img src=//evil onerror=x() alt=Bild>"
        "<p style='position:fixed;background:url(//evil)' onclick=x() id=a class='b c d'>t</p>"
        "<x-evil>u</x-evil><form action=//evil><input value=v></form><a href=javascript:x()>l</a>"
    )
    drawing = tree.drawing()
    assert "evil" not in str([row for row in drawing if "x-evil" not in str(row)])
    tags = {row[2] for row in drawing if len(row) == 7}
    assert tags == {"div", "p", "span", "a"}
    assert [row[6] for row in drawing if len(row) == 7 and row[6]] == [
        "frame", "picture: Bild", "field: v",
    ]  # fmt: skip
    assert ["p", "p#a.b.c", False, ""] in [row[2:6] for row in drawing]
    assert "rtl" in [row[5] for row in drawing if len(row) == 7]
