"""From a page's bytes to a str, the way a careful reader would.

Order: a byte order mark; the charset that the transport stated; UTF-8, if the bytes are valid
UTF-8 and not all ASCII (text in another charset practically never is, while pages that declare
one and are UTF-8 are common); the charset that the page declares; UTF-8 if valid; windows-1252.
Labels mean what ``charsets`` says, the declaration is looked for as HTML says (first 1,024 bytes).
Standard library and Python 3.7 only: the worker imports it.
"""

from __future__ import annotations

import codecs
import re
from typing import Optional, Tuple

from bench.worker.charsets import CODECS

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARATION = re.compile(
    rb"<(?:meta|\?xml)\b[^>]*?\b(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.I
)
_PRESCAN_BYTES = 1024


def codec(label: str) -> Optional[str]:
    """Return the Python codec that a charset label means on the web, None if it means none."""
    return CODECS.get(label.strip().lower())


def declared(html: bytes) -> Optional[str]:
    """Return the charset label in the page's first 1,024 bytes, None if there is none."""
    match = _DECLARATION.search(html, 0, _PRESCAN_BYTES)
    return match.group(1).decode("ascii") if match else None


def charset(html: bytes, transport: Optional[str] = None) -> Tuple[str, int]:
    """Return the Python codec that a page is in, and the length of its byte order mark."""
    for mark, name in _MARKS:
        if html.startswith(mark):
            return name, len(mark)
    stated = codec(transport) if transport else None
    if stated:
        return stated, 0
    valid = is_utf8(html)
    if valid and not html.isascii():
        return "utf-8", 0
    label = declared(html)
    named = codec(label) if label else None
    return named or ("utf-8" if valid else "cp1252"), 0


def decode(html: bytes, transport: Optional[str] = None) -> str:
    """Return the page as text; bytes that do not fit become U+FFFD. Never raises."""
    name, skip = charset(html, transport)
    return html[skip:].decode(name, "replace")


def is_utf8(data: bytes) -> bool:
    """Whether bytes are valid UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
