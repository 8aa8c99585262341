r"""An extraction held against its gold, word by word: what is the same, missing, surplus.

Words are compared as the scorer compares them (``\w+``, case kept); what stands between two words
goes with the one before. How they are aligned: ``bench.report.alignment``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import count
from typing import NamedTuple

from bench.report.alignment import MISSING, SAME, SURPLUS, Kind, aligned

LEFT_OUT: Kind = "left out"

_WORD = re.compile(r"(\w+)")


class Span(NamedTuple):
    """A stretch of one kind.

    ``same`` and ``surplus`` together are the extraction, character by character; ``missing`` is
    the gold's. ``left out`` (after ``abridged``) says how many words stood there.
    """

    kind: Kind
    text: str


class Numbers(defaultdict[str, int]):
    """A number for each different word, in the order in which they come."""

    def __init__(self) -> None:
        super().__init__(count().__next__)


class Words:
    """A text cut at its words, each with what follows it, and with its number.

    What stands before the first word goes with it; a text without a word is one that is empty.
    """

    def __init__(self, text: str, numbers: Numbers) -> None:
        # One pass: words at odd places, what stands between them at even ones.
        parts = _WORD.split(text)
        self.tokens = list(map(numbers.__getitem__, parts[1::2]))
        """Numbers of its words."""
        self.numbers = self.tokens or ([numbers[""]] if text else [])
        """What is aligned: the same, or of a text without a word its one piece."""
        self._parts = [parts[0] + parts[1], *parts[2:]] if self.tokens else parts

    def __len__(self) -> int:
        return len(self.numbers)

    def text(self, start: int, end: int) -> str:
        """Return what some words are in the text, with what stands between and after them."""
        return "".join(self._parts[2 * start : 2 * end])


def spans(gold: str, text: str) -> list[Span]:
    """Return the spans of an extraction and what it lacks of its gold, in reading order."""
    numbers = Numbers()
    wanted, found = Words(gold, numbers), Words(text, numbers)
    made = {MISSING: "", SURPLUS: "", SAME: ""}
    told: list[Span] = []

    def tell() -> None:
        told.extend(Span(kind, made[kind]) for kind in made if made[kind])
        made.update(dict.fromkeys(made, ""))

    for kind, start, end in aligned(wanted.numbers, found.numbers):
        if start == end:
            continue
        # Between two stretches of the same all that is missing comes first, then all surplus.
        if kind is not SAME and made[SAME]:
            tell()
        if kind is SAME and (made[MISSING] or made[SURPLUS]):
            tell()
        made[kind] += (wanted if kind is MISSING else found).text(start, end)
    tell()
    return told


def abridged(marked: Iterable[Span], context: int = 12) -> list[Span]:
    """Return spans with long ``same`` stretches cut down to ``context`` words at either end."""
    made: list[Span] = []
    for span in marked:
        words = Words(span.text if span.kind is SAME else "", Numbers())
        left_out = len(words) - 2 * context
        if left_out <= 20:
            made.append(span)
            continue
        made += [
            Span(SAME, words.text(0, context)),
            Span(LEFT_OUT, f"{left_out:,} words the same"),
            Span(SAME, words.text(len(words) - context, len(words))),
        ]
    return made
