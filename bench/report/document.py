"""What a report consists of, whatever it is shown on: headings, paragraphs, lists, tables.

A report is built once, as blocks. ``terminal``, ``markdown``, ``latex`` and ``html`` turn blocks into
text, and each escapes strangers' strings as its medium needs. What one medium alone shows is marked in
place: ``Only`` around blocks, ``Column.media`` for columns.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Self, TypeVar

Medium = Literal["terminal", "markdown", "latex", "html"]
TERMINAL: tuple[Medium, ...] = ("terminal",)
MARKDOWN: tuple[Medium, ...] = ("markdown",)
LATEX: tuple[Medium, ...] = ("latex",)
HTML: tuple[Medium, ...] = ("html",)
WRITTEN: tuple[Medium, ...] = ("markdown", "latex")
EVERYWHERE: tuple[Medium, ...] = ("terminal", "markdown", "latex", "html")

T = TypeVar("T")


@dataclass(frozen=True)
class Heading:
    """A title; 1 is a whole chapter's."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Sentences; indentation is a terminal's."""

    text: str
    style: str = ""
    indent: int = 0


@dataclass(frozen=True)
class Items:
    """A list; bullet and style are a terminal's."""

    texts: Sequence[str]
    bullet: str = "• "
    style: str = ""
    loose: bool = False
    """With a paragraph for each, in Markdown."""


@dataclass(frozen=True)
class Terms:
    """Words, each with what there is to say of it."""

    title: str
    pairs: Sequence[tuple[str, str]]
    strong: bool = False
    """Whether Markdown shows the words in bold."""


@dataclass(frozen=True)
class Column:
    """The head of a column, and how its cells stand."""

    title: str
    align: Literal["left", "right"] = "right"
    """Numbers stand to the right, and names to the left."""
    media: Collection[Medium] = EVERYWHERE
    optional: Collection[Medium] = ()
    """Where it is left out if all of its cells are empty."""
    short: str | None = None
    """The title on a terminal, if it is another there; it may have several lines."""
    fold: int = 0
    """Characters from which on a terminal may fold its cells; 0: it never does."""
    least: int = 0
    """How little it is needed: where a terminal lacks room the highest goes first, 0 never."""
    name: str = ""
    """What a terminal says below that it had no room for; nothing if it is empty."""
    sort: Literal["", "up", "down"] = ""
    """How a page sorts by it first, if it can."""
    key: str = ""
    """What a page's script knows it by."""


class Row(NamedTuple):
    """A cell for each column; a style for terminals."""

    cells: Sequence[str]
    style: str = ""
    facts: Mapping[str, str] = MappingProxyType({})
    """What a page filters by."""


class Interval(NamedTuple):
    """A value with its interval on an axis, in per cent of the axis; None for what there is not."""

    value: float | None
    lo: float | None
    hi: float | None


class Cell(str):
    """A cell with what some media show of it beside its text."""

    strong: bool
    """In bold, on a terminal."""
    name: bool
    """Whether it is the row's name, on a page."""
    sort: float | str | None
    """What a page sorts by in place of the text."""
    href: str
    shade: str
    """The class of its colour."""
    hover: str
    tag: str
    """A word beside it."""
    more: str
    """What stands after it, smaller."""
    interval: Interval | None
    """Drawn as dot and whisker before the text."""
    facts: Mapping[str, str]
    """What a page's script knows of it."""
    cite: str
    """What LaTeX cites after it."""

    def __new__(
        cls, text: str, *, strong: bool = False, name: bool = False,
        sort: float | str | None = None, href: str = "", shade: str = "", hover: str = "",
        tag: str = "", more: str = "", interval: Interval | None = None,
        facts: Mapping[str, str] = MappingProxyType({}), cite: str = "",
    ) -> Self:  # fmt: skip
        """Return a text with what is known of it."""
        cell = super().__new__(cls, text)
        cell.strong, cell.name, cell.sort, cell.href, cell.shade = strong, name, sort, href, shade
        cell.hover, cell.tag, cell.more, cell.interval, cell.facts = (
            hover,
            tag,
            more,
            interval,
            facts,
        )
        cell.cite = cite
        return cell


class Axis(NamedTuple):
    """What part of 0 to 1 a column of intervals shows."""

    low: float
    high: float

    @classmethod
    def around(cls, ends: Iterable[float | None], step: float = 0.05) -> Self:
        """Return the axis that holds these values, ending at multiples of a step."""
        known = [end for end in ends if end is not None] or [0.0, 1.0]
        low, high = math.floor(min(known) / step) * step, math.ceil(max(known) / step) * step
        return cls(max(0.0, low), min(1.0, max(high, low + step)))

    def at(self, *values: float | None) -> Interval:
        """Return value, low and high end as places on the axis; what lies outside stands at its end."""
        return Interval(
            *(
                None
                if value is None
                else 100 * min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))
                for value in values
            )
        )


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns."""

    columns: Sequence[Column]
    rows: Sequence[Row]
    space: tuple[int, int] = (1, 1)
    """Empty lines above and below, on a terminal."""
    blank: str = ""
    """What Markdown shows in an empty cell."""
    left_out: str = ""
    """What a terminal says below of columns that it has no room for, ``{}`` being their names."""
    caption: str = ""
    label: str = ""
    """What LaTeX, and a page's style sheet, refer to it by."""
    rules: Sequence[int] = ()
    """Rows with a rule above, in LaTeX."""
    cites: Sequence[str] = ()
    """What LaTeX cites in the caption."""
    ruled: bool = False
    """Whether a terminal draws a rule below its titles."""

    def columns_of(self, medium: Medium) -> tuple[list[Column], list[list[str]]]:
        """Return the columns that a medium shows, and their cells row by row."""
        places = [
            at
            for at, column in enumerate(self.columns)
            if medium in column.media
            and (medium not in column.optional or any(row.cells[at] for row in self.rows))
        ]
        cells = [[row.cells[at] for at in places] for row in self.rows]
        return [self.columns[at] for at in places], cells


@dataclass(frozen=True)
class Figure:
    """A chart; ``key`` names its files, and LaTeX refers to it by ``label``."""

    key: str
    caption: str
    label: str = ""
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Code:
    """Lines to be copied, in Markdown and HTML."""

    text: str
    language: str


@dataclass(frozen=True)
class Details:
    """Blocks that are folded away below a summary, where the medium can."""

    summary: str
    blocks: "Sequence[Block]"


@dataclass(frozen=True)
class Only:
    """Blocks that some media show."""

    media: Collection[Medium]
    blocks: "Iterable[Block]"


Block = Heading | Paragraph | Items | Terms | Table | Figure | Code | Details | Only


def shown(blocks: Iterable[Block], medium: Medium) -> Iterator[Block]:
    """Yield the blocks that a medium shows, none of them an ``Only``."""
    for block in blocks:
        if not isinstance(block, Only):
            yield block
        elif medium in block.media:
            yield from shown(block.blocks, medium)


def table(
    columns: Sequence[tuple[Column, Callable[[T], str]]],
    items: Iterable[T],
    style: Callable[[T], str] = lambda _: "",
    **look: Any,
) -> Table:
    """Return a table with a row for each item, of what the functions beside the columns say of it.

    ``look`` is what else there is to say of a ``Table``.
    """
    rows = [Row([cell(item) for _, cell in columns], style(item)) for item in items]
    return Table([column for column, _ in columns], rows, **look)


def listing(columns: Sequence[tuple[Column, Callable[[T], str]]], items: Iterable[T]) -> Table:
    """Return a table that stands by itself on a terminal, with a rule below its titles."""
    return table(columns, items, space=(0, 0), ruled=True)
