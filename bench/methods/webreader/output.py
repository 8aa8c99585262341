"""Prints documents: as normalised text, and as XML.

Normalised text has the section's name after a dot on a line of its own, then its content. Decided
here: a line of content that begins with a dot gets a second one, as in mail (RFC 5321, 4.5.2), so
that no content reads as a heading. In XML each section is an element of that name; ignored tags are
elements within.
"""

from __future__ import annotations

import re
from typing import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from bench.methods.webreader.document import Document, Section

DEEPEST = 200
"""Ignored tags within one another that XML shows; of deeper ones it has the text. Parsers give up
at 256 levels."""

_UNSAFE = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold, and the other control characters, which a terminal would obey."""


def text(document: Document) -> str:
    """Return a document as normalised text."""
    return "".join(line + "\n" for line in _text_lines(document))


def xml(documents: Iterable[Document]) -> str:
    """Return documents as one XML text."""
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<documents>\n']
    for document in documents:
        parts.append(f"<document url={quoteattr(_clean(document.url))}>\n")
        parts += map(_element, document.sections)
        parts.append("</document>\n")
    parts.append("</documents>\n")
    return "".join(parts)


def _text_lines(document: Document) -> Iterator[str]:
    for section in document.sections:
        yield "." + section.name
        for line in _clean(section.marked).split("\n"):
            yield "." + line if line.startswith(".") else line


def _element(section: Section) -> str:
    if all(isinstance(piece, str) for piece in section.pieces):
        content = escape(_clean(section.text))
    else:
        content = "".join(_elements(section)).strip()
    return f"<{section.name}>{content}</{section.name}>\n"


def _elements(section: Section) -> Iterator[str]:
    depth = 0
    for piece in section.pieces:
        if isinstance(piece, str):
            yield escape(_clean(piece))
        elif piece.attributes is None:
            if depth <= DEEPEST:
                yield f"</{piece.tag}>"
            depth -= 1
        else:
            depth += 1
            if depth <= DEEPEST:
                pairs = (f" {name}={quoteattr(_clean(v))}" for name, v in piece.attributes)
                yield f"<{piece.tag}{''.join(pairs)}>"


def _clean(value: str) -> str:
    return _UNSAFE.sub("\ufffd", value)
