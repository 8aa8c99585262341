"""From marks to text: which mark decides, and the one rule for white space, lists and tables.

docs/labels.md states the rule for readers.
"""

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from bench.label.tree import BLOCKS, CELLS, PREFORMATTED, Tree

Part = Literal["out", "main", "comments"]
"""What a mark makes of its text: left out, main text, or readers' comments, which are kept apart."""
PARTS: tuple[Part, ...] = ("out", "main", "comments")
_SPACES = re.compile(r"[ \t\n\f\r]+")


class Claim(NamedTuple):
    """A stretch of the page's text that is claimed for a part, with what decides between claims."""

    start: int
    end: int
    part: Part
    depth: int = 0
    """Elements around the element that is marked."""
    is_range: bool = False
    is_marked: bool = True
    """False for what is left out because the source hides it."""

    @property
    def weight(self) -> tuple[int, ...]:
        """What orders claims: the last decides."""
        leaves_out = -PARTS.index(self.part)
        place = self.start - self.end, self.is_range, self.depth, self.is_marked
        return (*place, leaves_out, self.start)


def painted(tree: Tree, claims: Iterable[Claim]) -> bytearray:
    """Return for each code point of the page's text its part, as its place in ``PARTS``.

    The claim on the least text decides, in whatever order they come: of several on the same text a
    range, then the innermost element, then what leaves out. Hidden elements are left out unless a
    mark on them, or in them, says otherwise.
    """
    hidden = (
        Claim(node.start, node.end, "out", node.depth, is_marked=False)
        for node in tree.nodes
        if node.hidden
    )
    paint = bytearray(len(tree.text))
    for claim in sorted((*hidden, *claims), key=lambda claim: claim.weight):
        part = bytes([PARTS.index(claim.part)])
        paint[claim.start : claim.end] = part * (claim.end - claim.start)
    return paint


def text_of(tree: Tree, paint: bytearray, part: Part = "main") -> str:
    """Return the text of a part: lines, each ended; empty where nothing is of that part."""
    wanted = re.compile(re.escape(bytes([PARTS.index(part)])) + b"+")
    lines = _Lines()
    open_: list[int] = []
    preformatted = 0
    for number, node in enumerate(tree.nodes):
        while open_ and tree.nodes[open_[-1]].last < number:
            name = tree.nodes[open_.pop()].name
            preformatted -= name in PREFORMATTED
            if name in BLOCKS:
                lines.end()
        if not node.name:
            for run in wanted.finditer(paint, node.start, node.end):
                add = lines.add_preformatted if preformatted else lines.add
                add(tree.text[run.start() : run.end()])
            continue
        open_.append(number)
        preformatted += node.name in PREFORMATTED
        if node.name in BLOCKS or node.name == "br":
            lines.end()
        if node.name == "tr":
            lines.begin_row()
        elif node.name in CELLS:
            lines.begin_cell()
    return lines.text()


class _Lines:
    """Lines of text as they grow."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._line: list[str] = []
        self._gap = ""
        """What stands before the next word, where there is a line that it can join."""
        self._row = 0
        """Number of the line that the table row began on."""
        self._cell_is_empty = False

    def add(self, text: str) -> None:
        """Add text in which white space means no more than that words end."""
        for at, words in enumerate(_SPACES.split(text)):
            if at:
                self._gap = self._gap or " "
            self._put(words)

    def add_preformatted(self, text: str) -> None:
        """Add text whose white space counts."""
        for at, words in enumerate(text.split("\n")):
            if at:
                self.end()
            self._put(words)

    def end(self) -> None:
        """Have the next word begin a line, unless it is the first of a cell."""
        if not self._cell_is_empty:
            self._gap = "\n"

    def begin_row(self) -> None:
        """Begin a row of a table."""
        self._row = len(self._done) + bool(self._line)

    def begin_cell(self) -> None:
        """Have the next word follow a tab, where the row's cells so far are on one line."""
        self._cell_is_empty = False
        self.end()
        if self._line and len(self._done) == self._row:
            self._gap, self._cell_is_empty = "\t", True

    def _put(self, words: str) -> None:
        if not words:
            return
        if self._gap == "\n" and self._line:
            self._done.append("".join(self._line))
            self._line = []
        self._line += [self._gap if self._line else "", words]
        self._gap, self._cell_is_empty = "", False

    def text(self) -> str:
        """Return the lines, each ended; empty ones are left out."""
        lines = (line.rstrip() for line in (*self._done, "".join(self._line)))
        return "".join(f"{line}\n" for line in lines if line)
