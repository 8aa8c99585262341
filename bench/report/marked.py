r"""An extraction held against its gold, word by word: what is the same, missing, surplus.

Words are compared as the scorer compares them (``\w+``, case kept); what stands between two words
goes with the one before. How they are aligned: ``bench.report.alignment``.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, count
from typing import NamedTuple

from bench.metrics.texts.tokens import tokenize
from bench.report.alignment import MISSING, SAME, SURPLUS, Block, Kind, aligned

LEFT_OUT: Kind = "left out"
FEW = 20
"""Words that are shown rather than said to be left out."""

_PARTS = re.compile(r"(\w+)")
"""Cuts into what stands between words, at even places, and words."""

_LONG = 500
"""Characters of a line from which on a span probably ends in it."""


class Span(NamedTuple):
    """A stretch of one kind.

    ``same`` and ``surplus`` together are the extraction, character by character; ``missing`` is
    the gold's. ``left out`` (after ``abridged``) says how many words stood there.
    """

    kind: Kind
    text: str


class Lexicon:
    """A number for each different word of some texts, in the order in which they come.

    Texts of one page have most of their lines in common: each different one is cut once.
    """

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self.lines: dict[str, array[int]] = {}
        """The numbers of the words of each different line so far."""
        self._starts: dict[str, list[int]] = {}

    def __getitem__(self, word: str) -> int:
        return self._numbers[word]

    def line(self, line: str) -> array[int]:
        """Return the numbers of the words of a line that is not among ``lines`` yet."""
        cut = self.lines[line] = array("q", list(map(self._numbers.__getitem__, self._cut(line))))
        return cut

    def _cut(self, line: str) -> Sequence[str]:
        if line.isascii() or len(line) < _LONG:
            return tokenize(line)
        parts = _PARTS.split(line)
        self._starts[line] = _starts(parts)
        return parts[1::2]

    def starts(self, line: str) -> Sequence[int]:
        """Return where a line's words begin; asked of few lines, those at which a span ends."""
        found = self._starts.get(line)
        if found is None:
            found = self._starts[line] = _starts(_PARTS.split(line))
        return found


def _starts(parts: Sequence[str]) -> list[int]:
    return list(accumulate(map(len, parts)))[:-1:2]


class Words:
    """A text cut at its words, each with what follows it, and with its number.

    What stands before the first word goes with it; a text without a word is one that is empty.
    """

    def __init__(self, text: str, lexicon: Lexicon) -> None:
        self._text = text
        self._lexicon = lexicon
        self.tokens = array("q")
        """Numbers of its words, int64."""
        self._lines: list[tuple[int, str]] = []
        # How many words stand before each of these lines.
        self._before: list[int] = []
        at = 0
        known = lexicon.lines.get
        # No word reaches over the end of a line.
        for each in text.split("\n"):
            if each:
                numbers = known(each)
                if numbers is None:
                    numbers = lexicon.line(each)
                if numbers:
                    self._lines.append((at, each))
                    self._before.append(len(self.tokens))
                    self.tokens += numbers
            at += len(each) + 1
        self.numbers = self.tokens or array("q", [lexicon[""]] if text else [])
        """What is aligned: the same, or of a text without a word its one piece."""

    def __len__(self) -> int:
        return len(self.numbers)

    def text(self, start: int, end: int) -> str:
        """Return what some words are in the text, with what stands between and after them."""
        return self._text[self._place(start) : self._place(end)] if start < end else ""

    def span(self, kind: Kind, blocks: Iterable[tuple[int, int]]) -> Span:
        """Return a stretch of these blocks of words."""
        return Span(kind, "".join(self.text(start, end) for start, end in blocks))

    def _place(self, word: int) -> int:
        """Return where a word begins; the first does where the text does."""
        if not word:
            return 0
        if word >= len(self.tokens):
            return len(self._text)
        line = bisect_right(self._before, word) - 1
        at, words = self._lines[line]
        return at + self._lexicon.starts(words)[word - self._before[line]]


def stretches(blocks: Iterable[Block]) -> Iterator[tuple[Kind, list[tuple[int, int]]]]:
    """Yield stretches of one kind, each as the blocks (start and end) that it is made of.

    Between two stretches of the same all that is missing comes first, then all surplus.
    """
    made: dict[Kind, list[tuple[int, int]]] = {MISSING: [], SURPLUS: [], SAME: []}

    def finished() -> Iterator[tuple[Kind, list[tuple[int, int]]]]:
        for kind, own in made.items():
            if own:
                yield kind, own
                made[kind] = []

    for kind, start, end in blocks:
        if start == end:
            continue
        if made[SAME] if kind is not SAME else made[MISSING] or made[SURPLUS]:
            yield from finished()
        made[kind].append((start, end))
    yield from finished()


def spans(gold: str, text: str) -> list[Span]:
    """Return the spans of an extraction and what it lacks of its gold, in reading order."""
    lexicon = Lexicon()
    wanted, found = Words(gold, lexicon), Words(text, lexicon)
    return [
        (wanted if kind is MISSING else found).span(kind, own)
        for kind, own in stretches(aligned(wanted.numbers, found.numbers))
    ]


def abridged(marked: Iterable[Span], context: int = 12) -> list[Span]:
    """Return spans with long ``same`` stretches cut down to ``context`` words at either end."""
    made: list[Span] = []
    for span in marked:
        words = Words(span.text if span.kind is SAME else "", Lexicon())
        left_out = len(words) - 2 * context
        if left_out <= FEW:
            made.append(span)
            continue
        made += [
            Span(SAME, words.text(0, context)),
            Span(LEFT_OUT, f"{left_out:,} words the same"),
            Span(SAME, words.text(len(words) - context, len(words))),
        ]
    return made
