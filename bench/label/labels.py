"""Stand-off labels: what a person marked on a page, and how it is found again under another parser.

The page is never changed. A mark has the number of its node, and beside it what does not depend on the
parser: how many characters other than white space stand before it, and its text's two ends.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from bench.label.text import Claim, Part
from bench.label.tree import Node, Tree
from bench.model import BenchError

SCHEMA = 1
_QUOTED = 48
"""Characters of a quotation."""
_MOST = 2000
"""Marks on a page."""

Count = Annotated[int, Meta(ge=0)]
Short = Annotated[str, Meta(max_length=1000)]


class Point(Struct, frozen=True, forbid_unknown_fields=True):
    """A place in a text node."""

    node: Annotated[Count, Meta(description="number of the text node")]
    offset: Annotated[Count, Meta(description="code points of it before the place")]


class _Quoted(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What finds a mark again where nodes have other numbers."""

    part: Annotated[Part, Meta(description="what the mark makes of its text")]
    before: Annotated[
        Count, Meta(description="characters of the page other than white space before it")
    ] = 0
    length: Annotated[Count, Meta(description="the same in it")] = 0
    begins: Annotated[Short, Meta(description="its text's beginning, white space collapsed")] = ""
    ends: Annotated[Short, Meta(description="its text's end")] = ""


class ElementMark(_Quoted, frozen=True, kw_only=True, tag_field="kind", tag="element"):
    """An element and everything in it."""

    node: Annotated[Count, Meta(description="number of the element")]
    name: Annotated[Short, Meta(description="its name")] = ""


class RangeMark(_Quoted, frozen=True, kw_only=True, tag_field="kind", tag="range"):
    """A stretch of text, which may begin and end in different elements."""

    start: Point
    end: Point


Mark = ElementMark | RangeMark
Chosen = Literal["random", "hand", "disputed"]


class Draft(Struct, kw_only=True, forbid_unknown_fields=True):
    """What a person says of a page."""

    page: Annotated[str, Meta(description="id of the page")]
    page_sha256: Annotated[str, Meta(description="of the page's bytes")]
    marks: Annotated[list[Mark], Meta(max_length=_MOST)] = []
    no_main_content: Annotated[
        bool, Meta(description="the page has no main content, which is gold as well")
    ] = False
    chosen: Annotated[
        Chosen,
        Meta(description="why this page: random are those that every ranking may count"),
    ] = "random"
    title: Short | None = None
    author: Short | None = None
    date: Short | None = None
    with_snippets: Annotated[
        list[Short], Meta(max_length=100, description="texts that an extraction must have")
    ] = []
    without_snippets: Annotated[
        list[Short], Meta(max_length=100, description="texts that it must not have")
    ] = []


class Label(Draft, kw_only=True, forbid_unknown_fields=True):
    """One page's label as it is kept in ``ID.labels.json``."""

    schema: Literal[1] = 1
    parser: Annotated[str, Meta(description="whose numbers nodes have, with its version")]
    annotator: Annotated[str | None, Meta(description="who labelled")] = None
    prefill: Annotated[
        str | None, Meta(description="the extractor whose text was marked beforehand")
    ] = None
    saved: Annotated[str, Meta(description="when, UTC, ISO 8601")]


def read(data: bytes, name: str) -> Label:
    """Return the label in a file. Raises ``BenchError`` for one that is damaged, or newer."""
    try:
        return msgspec.json.decode(data, type=Label)
    except msgspec.MsgspecError as error:
        raise BenchError(
            f"{name} is no label file of schema {SCHEMA} ({error}); fix it, or move it away and "
            "label the page again"
        ) from error


def write(label: Label) -> bytes:
    """Return the content of a label file."""
    return msgspec.json.format(msgspec.json.encode(label), indent=2) + b"\n"


# -- marks on a tree --------------------------------------------------------------------------


def quoted(mark: Mark, tree: Tree) -> Mark:
    """Return a mark with its quotations. Raises ``BenchError`` for one that is on no text."""
    start, end = _stretch(mark, tree)
    words = " ".join(tree.text[start:end].split())
    if not words:
        raise BenchError("a mark holds no text; mark what holds some")
    before, after = tree.letters_before[start], tree.letters_before[end]
    mark = msgspec.structs.replace(
        mark, before=before, length=after - before, begins=words[:_QUOTED], ends=words[-_QUOTED:]
    )
    if isinstance(mark, ElementMark):
        mark = msgspec.structs.replace(mark, name=tree.nodes[mark.node].name)
    return mark


def anchored(label: Label, tree: Tree, name: str) -> list[Mark]:
    """Return a label's marks with the numbers that nodes have in a tree.

    Raises ``BenchError`` where it is of other bytes, or a mark's text is not to be found.
    """
    if label.page_sha256 != tree.sha256:
        raise BenchError(
            f"{name} is of another page than {tree.page_id} is now; put the page back as it was, or "
            "move the label away and label it again"
        )
    return [_anchored(mark, tree, f"{name} (by {label.parser})") for mark in label.marks]


def claims(marks: Iterable[Mark], tree: Tree) -> Iterator[Claim]:
    """Yield what marks claim of a page's text."""
    for mark in marks:
        start, end = _stretch(mark, tree)
        if isinstance(mark, ElementMark):
            yield Claim(start, end, mark.part, tree.nodes[mark.node].depth)
        else:
            yield Claim(start, end, mark.part, is_range=True)


def _stretch(mark: Mark, tree: Tree) -> tuple[int, int]:
    """Return the text that a mark covers. Raises ``BenchError`` for one on no node of the page."""
    if isinstance(mark, ElementMark):
        element = _node(mark.node, tree)
        if not element.name:
            raise BenchError(f"node {mark.node} of page {tree.page_id} is a text, not an element")
        return element.start, element.end
    start, end = (_place(point, tree) for point in (mark.start, mark.end))
    if start > end:
        raise BenchError("a range ends before it starts")
    return start, end


def _place(place: Point, tree: Tree) -> int:
    node = _node(place.node, tree)
    if node.name or place.offset > node.end - node.start:
        raise BenchError(
            f"node {place.node} of page {tree.page_id} is no text of {place.offset} characters"
        )
    return node.start + place.offset


def _node(number: int, tree: Tree) -> Node:
    if number >= len(tree.nodes):
        raise BenchError(f"page {tree.page_id} has no node {number}")
    return tree.nodes[number]


def _anchored(mark: Mark, tree: Tree, name: str) -> Mark:
    """Return the mark itself where its quotations fit, else the nearest place where they do."""
    try:
        if quoted(mark, tree) == mark:
            return mark
    except BenchError:  # numbers are another parser's
        pass
    nearest = _elements(mark, tree) if isinstance(mark, ElementMark) else _range(mark, tree)
    if nearest is None:
        raise BenchError(
            f"{name}: the text {mark.begins!r} is not where it was marked, nor elsewhere on the "
            "page; move the file away and label the page again"
        )
    return nearest


def _elements(mark: ElementMark, tree: Tree) -> Mark | None:
    """Return the mark on the element of that name and text that is nearest to its place."""
    begins, ends = ("".join(quote.split()) for quote in (mark.begins, mark.ends))
    nearest: tuple[int, int, int] | None = None
    for number, node in enumerate(tree.nodes):
        if node.name != mark.name:
            continue
        start, end = tree.letters_before[node.start], tree.letters_before[node.end]
        if (
            end - start >= len(begins)
            and tree.letters.startswith(begins, start)
            and tree.letters.endswith(ends, start, end)
        ):
            distance = abs(start - mark.before) + abs(end - start - mark.length)
            # Of elements with the same text, the one whose number is nearest.
            candidate = (distance, abs(number - mark.node), number)
            nearest = min(nearest, candidate) if nearest else candidate
    if nearest is None:
        return None
    return quoted(msgspec.structs.replace(mark, node=nearest[-1]), tree)


def _range(mark: RangeMark, tree: Tree) -> Mark | None:
    """Return the mark on the stretch that begins and ends with its quotations, nearest to its place."""
    begins, ends = ("".join(quote.split()) for quote in (mark.begins, mark.ends))
    start = _nearest(begins, tree.letters, mark.before)
    if start is None:
        return None
    end = _nearest(ends, tree.letters[start:], mark.length - len(ends))
    if end is None:
        return None
    first = tree.place_of_letter(start)
    after = tree.place_of_letter(start + end + len(ends) - 1) + 1
    return quoted(
        msgspec.structs.replace(mark, start=point(tree, first), end=point(tree, after, ends=True)),
        tree,
    )


def _nearest(quote: str, text: str, to: int) -> int | None:
    places = (match.start() for match in re.finditer(f"(?={re.escape(quote)})", text))
    return min(places, key=lambda place: abs(place - to), default=None)


def point(tree: Tree, place: int, *, ends: bool = False) -> Point:
    """Return a place of the page's text as a point in a text node; ``ends`` where a range ends."""
    node = tree.text_node_at(place, ends=ends)
    return Point(node, place - tree.nodes[node].start)
