"""Drops fragments that are no sentence.

Paper as in ``symbols``. Decided here: a text is its paragraphs, one a line; lines that a program has
filled to one width (no first word of a line would have fitted on the line above) are one paragraph.
A paragraph is cut after marks that end a sentence, with the quotes and brackets that close after
them; the dot of a short capitalised word ("Mr.", "J.") or of one with dots inside ("U.S.") ends
none while the paragraph goes on. A piece is a sentence when it ends in such a mark and has at least
three words; a shorter one that ends in a mark stays beside a sentence of its paragraph ("Why not?").
In scripts that write no space between words, two letters count as a word. Thai, Lao, Khmer, Burmese
and Tibetan end sentences without a mark that pages keep to, so there the length alone decides.
"""

from __future__ import annotations

import re
from typing import Iterator

WORDS = 3
"""A sentence has at least so many words."""

LETTERS = 2
"""Letters that count as a word where words are not set apart."""

NARROWEST, WIDEST = 40, 100
"""Widths, in characters, to which programs fill lines."""

_STOPS = "。！？।॥؟"
"""Marks after which a sentence has ended whatever follows; the others need white space."""
_MARKS = re.compile(rf"[.!?…{_STOPS}][.!?…{_STOPS}\"'”’»›」』）)\]]*(?:\[\d+\])*")
_SHORT = re.compile(r"(?:[^\W\d_]\.)+|[^\W\d_]{1,3}\.")
_UNSPACED = re.compile("[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_UNMARKED = re.compile("[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff]")
_LONGEST_ABBREVIATION = 12


def sentences(text: str) -> str:
    """Return what ends like a sentence and has three words, that of one paragraph on one line."""
    kept = (_of_paragraph(paragraph) for paragraph in paragraphs(text))
    return "\n".join(line for line in kept if line)


def _of_paragraph(paragraph: str) -> str:
    cut = list(pieces(paragraph))
    if not any(ended and is_long_enough(piece) for piece, ended in cut):
        return ""
    return "".join(piece for piece, ended in cut if ended).strip()


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text; lines filled to one width are joined."""
    block: list[str] = []
    for line in [*text.split("\n"), ""]:
        stripped = line.strip()
        if stripped:
            block.append(stripped)
        elif block:
            if _filled(block):
                yield " ".join(block)
            else:
                yield from block
            block = []


def _filled(lines: list[str]) -> bool:
    width = max(map(len, lines))
    if len(lines) < 2 or not NARROWEST <= width <= WIDEST:
        return False
    return all(
        len(above) + 1 + len(below.split(None, 1)[0]) > width
        for above, below in zip(lines, lines[1:])
    )


def pieces(paragraph: str) -> Iterator[tuple[str, bool]]:
    """Yield a paragraph cut after the marks that end sentences, and whether each piece has ended.

    Together the pieces are the paragraph.
    """
    start = 0
    for match in _MARKS.finditer(paragraph):
        end = match.end()
        followed = paragraph[end : end + 1]
        stops = any(mark in _STOPS for mark in match.group())
        if not stops and followed and not followed.isspace():
            continue  # 3.14, example.org
        if followed and match.group() == "." and _abbreviates(paragraph, end):
            continue
        yield paragraph[start:end], True
        start = end
    if start < len(paragraph):
        rest = paragraph[start:]
        yield rest, _UNMARKED.search(rest) is not None


def _abbreviates(paragraph: str, end: int) -> bool:
    word = (
        paragraph[max(0, end - _LONGEST_ABBREVIATION) : end].rsplit(None, 1)[-1].lstrip("(\"'“‘«")
    )
    return word[:1].isupper() and _SHORT.fullmatch(word) is not None


def is_long_enough(piece: str) -> bool:
    """Return whether a piece has the words of a sentence."""
    words = sum(any(map(str.isalnum, word)) for word in piece.split())
    return max(words, len(_UNSPACED.findall(piece)) / LETTERS) >= WORDS
