"""A page's tree: one pinned HTML5 parser over the page's bytes, every node with a number.

Elements and texts are numbered together in document order, comments left out. html5lib is exact by
the HTML Standard, written in Python alone, and has not changed since 2020: numbers stay what they are.
"""

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import html5lib

from bench.datasets import page_text
from bench.model import Page, UsageError
from bench.worker.decode import decode

PARSER = f"html5lib {html5lib.__version__}"
DEEPEST = 2000
"""Elements in each other from which on a page is refused: the parser's time grows with the square."""
_SHOWN_DEPTH = 300
"""What lies deeper is shown as if it lay here, because browsers end at some depth."""

BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form",
    "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html",
    "legend", "li", "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p", "plaintext",
    "pre", "search", "section", "summary", "table", "tbody", "tfoot", "thead", "title", "tr", "ul",
    "xmp",
})  # fmt: skip
"""They begin and end a line of text."""
CELLS = frozenset({"td", "th"})
PREFORMATTED = frozenset({"listing", "plaintext", "pre", "textarea", "xmp"})
CODE = frozenset({"iframe", "noembed", "noframes", "script", "style"})
"""What stands in them is no text of the page, and is not shown: their text nodes count as empty."""
_HIDDEN = frozenset({
    "audio", "canvas", "datalist", "head", "noscript", "object", "select", "svg", "template",
    "textarea", "video",
})  # fmt: skip
_SHOWN_AS_THEY_ARE = (BLOCKS | CELLS) - {
    "body", "details", "dialog", "fieldset", "form", "frameset", "head", "html", "legend", "listing",
    "optgroup", "option", "plaintext", "search", "summary", "title", "xmp",
} | {
    "a", "abbr", "b", "bdi", "bdo", "big", "br", "cite", "code", "col", "colgroup", "del", "dfn",
    "em", "i", "ins", "kbd", "mark", "q", "rp", "rt", "ruby", "s", "samp", "small", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
}  # fmt: skip
_BOXES = {"img": "picture", "input": "field", "embed": "embedded", "iframe": "frame"}


@dataclass(frozen=True, slots=True)
class Node:
    """An element or a text; its text is ``Tree.text[start:end]``."""

    parent: int
    """Number of the element it is in; -1 for the root."""
    name: str
    """The element's, in lower case; empty for a text."""
    attributes: dict[str, str]
    depth: int
    start: int
    end: int
    """Code points of the page's text before the node, and before what follows it."""
    last: int
    """Number of the last node in it; its own if it holds none."""

    @property
    def hidden(self) -> bool:
        """Whether the source itself, style sheets left aside, says that readers do not see it."""
        style = self.attributes.get("style", "").lower().replace(" ", "")
        return (
            self.name in _HIDDEN
            or "hidden" in self.attributes
            or "display:none" in style
            or "visibility:hidden" in style
            or (self.name == "dialog" and "open" not in self.attributes)
        )


class Tree:
    """The nodes of a page by number, and its text: of all text nodes, one after the other."""

    def __init__(self, page: Page) -> None:
        """Parse a page. Raises ``UsageError`` for one that nests too deep."""
        source = decode(page.html, page.encoding)
        if (depth := page_text.parse(source).depth) > DEEPEST:
            raise UsageError(
                f"page {page.id} nests {depth:,} elements in each other, more than {DEEPEST:,}; "
                "leave it out"
            )
        self.page_id = page.id
        self.sha256 = hashlib.sha256(page.html).hexdigest()
        self.nodes: list[Node] = []
        self._pieces: list[str] = []
        self._build(html5lib.parse(source, namespaceHTMLElements=False))
        self.text = "".join(self._pieces)

    def _build(self, root: Any) -> None:
        """Number the nodes; without recursion, because pages nest as deep as they like."""
        at = 0
        path: list[tuple[int, Iterator[Any]]] = []
        drafts: list[list[Any]] = []  # as Node's fields

        def add_text(text: str | None) -> None:
            nonlocal at
            if text:
                parent = path[-1][0]
                text = "" if drafts[parent][1] in CODE else text
                drafts.append([parent, "", {}, len(path), at, at + len(text), len(drafts)])
                self._pieces.append(text)
                at += len(text)

        def open_element(element: Any) -> None:
            name = element.tag.rpartition("}")[2].lower()
            parent = path[-1][0] if path else -1
            drafts.append([parent, name, dict(element.attrib), len(path), at, at, len(drafts)])
            path.append((len(drafts) - 1, iter(element)))
            add_text(element.text)

        open_element(root)
        tails = [None]
        while path:
            number, children = path[-1]
            child = next(children, None)
            if child is None:
                drafts[number][5:] = [at, len(drafts) - 1]
                path.pop()
                tail = tails.pop()
                if path:
                    add_text(tail)
            elif isinstance(child.tag, str):
                tails.append(child.tail)
                open_element(child)
            else:  # a comment
                add_text(child.tail)
        self.nodes = [Node(*draft) for draft in drafts]

    @cached_property
    def letters_before(self) -> list[int]:
        """How many characters other than white space stand before each place of the text."""
        return list(accumulate((not c.isspace() for c in self.text), initial=0))

    @cached_property
    def letters(self) -> str:
        """The text without white space: what is the same under every parser."""
        return "".join(self.text.split())

    def place_of_letter(self, letter: int) -> int:
        """Return where in the text a letter stands, by its number."""
        return bisect_right(self.letters_before, letter) - 1

    @cached_property
    def text_nodes(self) -> list[int]:
        """Numbers of the text nodes."""
        return [number for number, node in enumerate(self.nodes) if not node.name]

    def text_node_at(self, place: int, *, ends: bool = False) -> int:
        """Return the number of the text node that a place of the text is in, or ends."""
        starts = self._starts
        at = bisect_left(starts, place) if ends else bisect_right(starts, place)
        return self.text_nodes[max(0, at - 1)]

    @cached_property
    def _starts(self) -> list[int]:
        return [self.nodes[number].start for number in self.text_nodes]

    def drawing(self) -> list[list[Any]]:
        """Return what a browser builds the page from, flat and in document order.

        ``[number, parent, text]`` for texts; ``[number, parent, tag, label, hidden, dir, words]`` for
        elements, where ``words`` stand in place of what is not shown. No other attribute is passed on.
        """
        shown: dict[int, int] = {}  # the element that children of a number are put in
        flat: list[list[Any]] = []
        unseen = -1
        for number, node in enumerate(self.nodes):
            if number <= unseen:
                continue
            parent = shown.get(node.parent, -1)
            if not node.name:
                flat.append([number, parent, self.text[node.start : node.end]])
                continue
            shown[number] = number if node.depth < _SHOWN_DEPTH else parent
            if node.name in CODE:
                unseen = node.last
                if node.name != "iframe":
                    continue
            tag = node.name if node.name in _SHOWN_AS_THEY_ARE else _stand_in(node.name)
            words = node.attributes.get("alt", "") or node.attributes.get("value", "")
            if kind := _BOXES.get(node.name):
                words = f"{kind}: {words}" if words else kind
            direction = node.attributes.get("dir", "").lower()
            flat.append([
                number, parent, tag, _label(node), node.hidden,
                direction if direction in ("ltr", "rtl", "auto") else "", words if kind else "",
            ])  # fmt: skip
        return flat


def _stand_in(name: str) -> str:
    return "pre" if name in PREFORMATTED else "div" if name in BLOCKS else "span"


def _label(node: Node) -> str:
    """Return how the element is called in a path: name, id and first classes."""
    ids = node.attributes.get("id", "").split()[:1]
    classes = node.attributes.get("class", "").split()[:2]
    label = node.name + "".join(f"#{word}" for word in ids) + "".join(f".{w}" for w in classes)
    return label[:60]
