"""The normalised document that a page becomes: sections with their content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterable, Iterator, NamedTuple, Union

BODY = ("CUERPO", "BODY")
"""Sections, in any case of letters, that hold the main text."""

_SPACE = re.compile(r"\s+")


class Mark(NamedTuple):
    """What stands in a section where a tag stood: an ignored one as it is spelt, or a line's end."""

    spelt: str
    breaks: bool
    """Whether what comes next is on another line in a browser."""


LINE_END = Mark("\n", True)

Piece = Union[str, Mark]


@dataclass(frozen=True)
class Section:
    """A section: its name, and its content as text and marks in the order of the page."""

    name: str
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The content without marks; one block of the page a line."""
        parts = (_shown(piece) for piece in self.pieces)
        lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
        return "\n".join(filter(None, lines))

    @property
    def marked(self) -> str:
        """The content as the page has it, with ignored tags and white space.

        What is white at its two ends, and at the end of a line, is left out; of empty lines one stays.
        """
        content = "".join(p if isinstance(p, str) else p.spelt for p in self.pieces)
        lines = [line.rstrip() for line in content.strip().split("\n")]
        return "\n".join(_without_repeated_empty(lines))


@dataclass(frozen=True)
class Document:
    """What a specification makes of one page."""

    url: str
    site: str = ""
    link: str = ""
    """Names of the site and link whose rules were applied."""
    sections: tuple[Section, ...] = ()
    """Those appended, the outermost first, then those of the page in the order that it opens them."""
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


def _shown(piece: Piece) -> str:
    if isinstance(piece, str):
        return _SPACE.sub(" ", piece)
    return "\n" if piece.breaks else ""


def _without_repeated_empty(lines: Iterable[str]) -> Iterator[str]:
    before = "-"
    for line in lines:
        if line or before:
            yield line
        before = line
