"""The normalised document that a page becomes: sections with their content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, NamedTuple, Union

BODY = ("CUERPO", "BODY")
"""Sections, in any case of letters, that hold the main text."""

VOID = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "source",
        "track",
        "wbr",
    ]
)
"""Tags that HTML never closes."""


class Mark(NamedTuple):
    """The start or the end of an ignored tag, which stays in the content as it is."""

    tag: str
    attributes: tuple[tuple[str, str], ...] | None
    """None for an end tag."""


Piece = Union[str, Mark]


@dataclass(frozen=True)
class Section:
    """A section: its name, and its content as text and marks in the order of the page."""

    name: str
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The content without marks; one block of the page a line."""
        return tidy("".join(piece for piece in self.pieces if isinstance(piece, str)))

    @property
    def marked(self) -> str:
        """The content with the ignored tags as they are."""
        return tidy("".join(map(_written, self.pieces)))


@dataclass(frozen=True)
class Document:
    """What a specification makes of one page."""

    url: str
    site: str = ""
    link: str = ""
    """Names of the site and link whose rules were applied."""
    sections: tuple[Section, ...] = ()
    """In the order in which the page opens them."""
    links: tuple[str, ...] = ()
    """Addresses to read next, of pages that the specification has rules for."""
    target: str | None = None
    """The file that the document is for."""
    append: bool = False
    """Whether it is added to that file."""

    @property
    def main_text(self) -> str:
        """The text of the body sections."""
        bodies = (s.text for s in self.sections if s.name.upper() in BODY)
        return "\n".join(text for text in bodies if text)


def tidy(text: str) -> str:
    """Return lines without surplus white space, and no empty ones."""
    return "\n".join(_lines(text))


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        words = line.split()
        if words:
            yield " ".join(words)


def _written(piece: Piece) -> str:
    if isinstance(piece, str):
        return piece
    if piece.attributes is None:
        return "" if piece.tag in VOID else f"</{piece.tag}>"
    quoted = (
        ' {}="{}"'.format(name, value.replace('"', "&quot;")) for name, value in piece.attributes
    )
    return "<{}{}>".format(piece.tag, "".join(quoted))
