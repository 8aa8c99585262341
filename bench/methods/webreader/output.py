"""Prints documents: as normalised text, and as XML.

Normalised text has for each section its name after a dot on a line of its own, its content, and an
empty line (figures 2 to 4). In the other form (section 3), here XML, each section is an element of
that name, and ignored tags are text in it as the page spells them.

Decided here: a line of content that begins with a dot gets a second one, as in mail (RFC 5321,
4.5.2), so that no content reads as a heading.
"""

from __future__ import annotations

import re
from typing import Iterable
from xml.sax.saxutils import escape, quoteattr

from bench.methods.webreader.document import Document

_UNSAFE = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold, and the other control characters, which a terminal would obey."""


def text(document: Document) -> str:
    """Return a document as normalised text."""
    lines = []
    for section in document.sections:
        lines.append("." + section.name)
        content = _clean(section.marked)
        for line in content.split("\n") if content else ():
            lines.append("." + line if line.startswith(".") else line)
        lines.append("")
    return "".join(line + "\n" for line in lines)


def xml(documents: Iterable[Document]) -> str:
    """Return documents as one XML text."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<documents>"]
    for document in documents:
        lines.append(f"<document url={quoteattr(_clean(document.url))}>")
        for section in document.sections:
            lines.append(f"<{section.name}>{escape(_clean(section.marked))}</{section.name}>")
        lines.append("</document>")
    lines.append("</documents>\n")
    return "\n".join(lines)


def _clean(value: str) -> str:
    return _UNSAFE.sub("\ufffd", value)
