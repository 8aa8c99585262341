"""The light tree of a page, and what both Dorosz methods promise of any tree and any page."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import justext
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from bench.datasets import catalogue
from bench.methods.dorosz import energy, links
from bench.methods.dorosz import tree as trees
from bench.methods.dorosz.tree import Text, Tree
from bench.worker.decode import decode
from tests.conftest import ROOT

Method = Callable[[Tree], dict[int, float]]

Nested = Any
"""A text, or a tag with what is in it."""

HIDDEN = "ancestor::script or ancestor::style or ancestor::noscript or ancestor::template"
TEXTS: Any = etree.XPath(f".//text()[not({HIDDEN})]", smart_strings=False)
STOP_LIST = justext.get_stoplist("English")


def by_energy(measure: energy.Measure, reading: str, p: float) -> Method:
    return lambda tree: energy.ranked(tree, measure, reading, p)


def by_links(large: int) -> Method:
    return lambda tree: links.ranked(tree, large)


METHODS: dict[str, Method] = {
    "energy, prose": by_energy(energy.words, energy.PROSE, energy.P),
    "energy, formula": by_energy(energy.characters, energy.FORMULA, 12),
    "energy, formula, small p": by_energy(energy.words, energy.FORMULA, 2),
    "energy, stop words": by_energy(energy.words_in(STOP_LIST), energy.PROSE, energy.P),
    "links": by_links(links.LARGE),
    "links, all texts large": by_links(1),
}


def grown(nested: Nested) -> Any:
    """Return an lxml element for nested tags and texts, of any shape and not only those parsed."""
    tag, inner = nested
    top = etree.Element(tag, href="/a") if tag == "a" else etree.Element(tag)
    for each in inner:
        if isinstance(each, str):
            if len(top):
                top[-1].tail = (top[-1].tail or "") + each
            else:
                top.text = (top.text or "") + each
        elif each is None:
            top.append(etree.Comment("no text"))
        else:
            top.append(grown(each))
    return top


WORDS = st.sampled_from(
    ["", " ", "\n", "|", "Home", "the river and the", "Salt is rubbed into the rind. " * 4]
)
TAGS = st.sampled_from(["div", "p", "a", "ul", "li", "b", "span", "td", "h1", "script", "br"])
NESTED = st.recursive(
    WORDS | st.none(),
    lambda inner: st.tuples(TAGS, st.lists(inner, max_size=5)),
    max_leaves=40,
)
BODIES = st.lists(NESTED, max_size=6).map(lambda inner: ("body", inner))


def holds(tree: Tree, method: Method) -> None:
    """Check that coherent nodes never contain one another, and each text lies in exactly one."""
    nodes = list(method(tree))
    wanted, over = set(nodes), [0] * len(tree.tag)
    for node, above in enumerate(tree.parent):
        over[node] = (node in wanted) + (over[above] if above >= 0 else 0)
    assert nodes == sorted(nodes)
    assert max(over, default=0) <= 1
    assert all(over[leaf] == 1 for leaf, text in enumerate(tree.text) if text)


@given(BODIES)
def test_the_tree_is_the_body(nested: Nested) -> None:
    body = grown(nested)
    tree = trees.of(body)
    assert [text for text in tree.text if text] == [text for text in TEXTS(body) if text]
    elements = [e for e in body.iter(etree.Element) if not e.xpath(f"self::script or {HIDDEN}")]
    assert [tag for tag in tree.tag if tag] == [e.tag for e in elements]
    for node in range(1, len(tree.tag)):
        above = tree.parent[node]
        assert above < node < tree.end[node] <= tree.end[above]
        assert tree.depth[node] == tree.depth[above] + 1
        assert tree.tag[above]
        assert tree.tag[tree.block[node]]


@given(nested=BODIES)
def test_each_text_of_any_tree_lies_in_one_coherent_node(nested: Nested) -> None:
    tree = trees.of(grown(nested))
    for method in METHODS.values():
        holds(tree, method)


def aeb_pages() -> Iterator[str]:
    for path in sorted((ROOT.parent / "shared" / "gold" / "aeb" / "html").glob("*.html.gz")):
        yield gzip.decompress(path.read_bytes()).decode("utf-8")


def starter_pages() -> Iterator[str]:
    for item in catalogue.open_gold("starter"):
        yield decode(item.page.html, item.page.encoding)


def check(html: str) -> None:
    """Check a page with its tree as ``trees.parse`` has it and its texts as lxml has them."""
    root = etree.HTML(html.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8"))
    (body,) = root.iter("body")
    tree = trees.parse(html)
    assert [text for text in tree.text if text] == TEXTS(body)
    for method in METHODS.values():
        holds(tree, method)
    path = trees.paths(tree)
    for node, text in enumerate(tree.text):
        if text or node == len(tree.tag) - 1:
            (place,) = root.xpath(path(node), smart_strings=False)
            assert place == text or place.tag == tree.tag[node]
    whole = "".join("".join(tree.text).split())
    for name in ("energy, prose", "links"):
        texts = trees.texts(tree, METHODS[name](tree))
        assert "".join("".join(each.text for each in texts).split()) == whole


def test_each_text_of_a_starter_page_lies_in_one_coherent_node() -> None:
    pages = list(starter_pages())
    assert len(pages) == 62
    for html in pages:
        check(html)


def test_each_text_of_an_aeb_page_lies_in_one_coherent_node(shared: Path) -> None:
    pages = list(aeb_pages())
    assert len(pages) == 181
    for html in pages:
        check(html)


def test_a_text_has_a_line_for_each_block() -> None:
    tree = trees.parse(
        "<body><p>One <b>wo</b>rd,\n two.</p><div>Three<ul><li>four</li> <li>five</li></ul>"
        "six<br>seven</div><script>no()</script>eight<!-- no -->.</body>"
    )
    assert tree.read(0) == "One word, two.\nThree\nfour\nfive\nsix\nseven\neight."


def test_main_text_is_the_best_or_all_that_have_a_share_of_it() -> None:
    tree = trees.parse("<body><p>a</p><p>b</p><p> </p><p>d</p></body>")
    energies = {1: 5.0, 3: 10.0, 5: 10.0, 7: 1.0}
    assert [tree.tag[node] for node in energies] == ["p"] * 4
    assert trees.main_text(tree, energies, 1.0) == "b"
    assert trees.main_text(tree, {5: 10.0, 7: 1.0}, 1.0) == ""
    assert trees.main_text(tree, energies, 0.5) == "a\n\nb"
    assert trees.main_text(tree, {}, 0.5) == ""
    assert trees.texts(tree, energies) == [Text("a", 5.0), Text("b", 10.0), Text("d", 1.0)]


@pytest.mark.parametrize(
    "html",
    [
        "",
        " \n",
        "<html></html>",
        "<body></body>",
        "<body> <p></p>\n</body>",
        "<html><frameset><frame src='/a'></frameset></html>",
        "<body><script>let text</script><!-- a comment --></body>",
    ],
)
def test_an_empty_body_has_no_texts(html: str) -> None:
    assert energy.coherent(html) == []
    assert links.coherent(html) == []


def deep(levels: int) -> Any:
    """Return a body with one element in the other, and a text and a link in every hundredth."""
    body = at = etree.Element("body")
    for level in range(levels):
        at = etree.SubElement(at, "div")
        if level % 100 == 0:
            at.text = f"Level {level} has a word or two."
            etree.SubElement(at, "a", href=f"/{level}").text = "on"
    at.text = "The bottom."
    return body


def wide(texts: int) -> Any:
    """Return a body with so many texts, every other in a link of a list."""
    body = etree.Element("body")
    for number in range(texts // 2):
        item = etree.SubElement(body, "li")
        etree.SubElement(item, "a", href=f"/{number}").text = f"Story {number}"
        item[0].tail = "as told on the river"
    return body


def lines_run(call: Callable[[], Any]) -> int:
    """Count the lines of the methods' source that a call runs: its work, whatever the clock says."""
    folder = str(Path(trees.__file__).parent)
    count = 0

    def local(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        count += event == "line"
        return local

    def entered(frame: FrameType, event: str, _: object) -> Any:
        return local if frame.f_code.co_filename.startswith(folder) else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize(("shape", "size"), [(deep, 1000), (wide, 2000)])
def test_work_grows_with_the_page(shape: Callable[[int], Any], size: int, method: Method) -> None:
    def work(body: Any) -> None:
        tree = trees.of(body)
        trees.texts(tree, method(tree))

    small, large = shape(size), shape(4 * size)
    once, four_times = lines_run(lambda: work(small)), lines_run(lambda: work(large))
    assert size < once
    assert four_times < 4.2 * once


@cache
def deepest() -> Tree:
    return trees.of(deep(10_000))


@cache
def widest() -> Tree:
    return trees.of(wide(200_000))


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_tree_ten_thousand_deep(method: Method) -> None:
    assert deepest().height == 10_001
    holds(deepest(), method)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_two_hundred_thousand_texts(method: Method) -> None:
    assert sum(map(bool, widest().text)) == 200_000
    holds(widest(), method)


@pytest.mark.parametrize("coherent", [energy.coherent, links.coherent])
def test_a_page_ten_thousand_deep_is_read_as_far_as_the_parser_goes(
    coherent: Callable[[str], list[Text]],
) -> None:
    texts = coherent("<body><p>Before.</p>" + "<div>" * 10_000 + "At the bottom.")
    assert [each.text for each in texts] == ["Before."]
