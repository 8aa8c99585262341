"""A page as a light tree: nodes in document order, in arrays, so that no walk needs recursion.

Node 0 is the body. The nodes below node i are i + 1 to ``end[i]`` - 1, so that a walk that skips
what it has finished with can neither visit a node twice nor return one inside another.

Decisions of ours, where the paper speaks of "the DOM tree" only: the root is the body; scripts,
styles, templates, noscript elements, comments and processing instructions are no text; text of
white space alone is kept, because it separates words.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from lxml import etree

_WITHOUT_TEXT = frozenset(("script", "style", "noscript", "template"))
_INLINE = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn"),
        *("em", "font", "i", "ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "small"),
        *("span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    )
)


class Text(NamedTuple):
    """One coherent text of a page."""

    text: str
    """Plain, one line for each block."""
    energy: float
    """What ranks it among the texts of its page; the unit depends on the method."""


class Tree(NamedTuple):
    """A page's body; all lists have one entry for each node, in document order."""

    tag: list[str]
    """Name of an element; empty for a text."""
    text: list[str]
    """Characters of a text; empty for an element."""
    parent: list[int]
    """Node above; -1 for the body."""
    end: list[int]
    """One past the last node below."""
    depth: list[int]
    """Steps from the body."""
    block: list[int]
    """The nearest element, itself or above, that begins a line of its own."""
    target: dict[int, str]
    """Where each link (``a`` with ``href``) leads."""

    @property
    def height(self) -> int:
        """Steps from the body to its deepest node."""
        return max(self.depth, default=0)

    def read(self, node: int) -> str:
        """Return the text of a node and all below: white space single, one line for each block."""
        lines: list[list[str]] = []
        last = -1
        for at in range(node, self.end[node]):
            text = self.text[at]
            if not text:
                if self.tag[at] == "br":
                    last = -1
                continue
            if self.block[at] != last:
                last = self.block[at]
                lines.append([])
            lines[-1].append(text)
        joined = (" ".join("".join(line).split()) for line in lines)
        return "\n".join(line for line in joined if line)


def coherent_nodes(tree: Tree, is_coherent: Callable[[int], bool]) -> list[int]:
    """Return, in document order, each coherent node that is not below another.

    Those without any text are included; ``is_coherent`` is asked from the body downwards.
    """
    nodes = []
    node, end = 0, tree.end
    while node < len(end):
        if is_coherent(node):
            nodes.append(node)
            node = end[node]
        else:
            node += 1
    return nodes


def texts(tree: Tree, energies: dict[int, float]) -> list[Text]:
    """Return the texts of nodes with their energies; those of white space alone are left out."""
    all_texts = (Text(tree.read(node), energy) for node, energy in energies.items())
    return [text for text in all_texts if text.text]


def paths(tree: Tree) -> Callable[[int], str]:
    """Return what says where a node stands in the page as libxml2 reads it: XPath from the root."""
    counts: dict[tuple[int, str], int] = {}
    places = []
    for kind in zip(tree.parent, tree.tag):
        counts[kind] = counts.get(kind, 0) + 1
        places.append(counts[kind])

    def path(node: int) -> str:
        steps = []
        while node:
            steps.append(f"/{tree.tag[node] or 'text()'}[{places[node]}]")
            node = tree.parent[node]
        return "/html/body" + "".join(reversed(steps))

    return path


def main_text(tree: Tree, energies: dict[int, float], share: float) -> str:
    """Return the text with most energy; with a share below 1 all that have that share of it.

    ``energies`` are those of the coherent nodes in document order; so are the texts, one empty
    line apart. Of equals the first is the main one.
    """
    least = share * max(energies.values(), default=0.0)
    rich_texts = []
    for node, energy in energies.items():
        text = tree.read(node) if energy >= least else ""
        if text and share >= 1:
            return text
        if text:
            rich_texts.append(text)
    return "\n\n".join(rich_texts)


def parse(html: str) -> Tree:
    """Return the body of a page as a tree; one without nodes where the page has no body.

    libxml2 stops reading a page below 2,048 levels; what came before is the page.
    """
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    # Bytes, because lxml refuses a str that declares an encoding.
    root = etree.HTML(html.encode("utf-8", "replace"), parser)
    body = None if root is None else root.find("body")
    return Tree([], [], [], [], [], [], {}) if body is None else of(body)


def of(body: Any) -> Tree:
    """Return an lxml element and all below as a tree."""
    tree = Tree([], [], [], [], [], [], {})
    tag, text, parent, end, depth, block, target = tree
    above, level, line = -1, 0, 0

    walk = etree.iterwalk(body, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        if event == "start":
            name = element.tag
            if name in _WITHOUT_TEXT:
                walk.skip_subtree()
                continue
            here = len(tag)
            if name not in _INLINE:
                line = here
            elif name == "a":
                href = element.get("href")
                if href is not None:
                    target[here] = href
            tag.append(name)
            text.append("")
            parent.append(above)
            depth.append(level)
            block.append(line)
            end.append(0)
            above = here
            level += 1
            characters = element.text
        else:
            if event == "end" and element.tag not in _WITHOUT_TEXT:
                end[above] = len(tag)
                above = parent[above]
                level -= 1
                line = block[above] if above >= 0 else 0
            # What follows the body is not in it.
            characters = element.tail if above >= 0 else None
        if characters:
            tag.append("")
            text.append(characters)
            parent.append(above)
            depth.append(level)
            block.append(line)
            end.append(len(tag))
    return tree
