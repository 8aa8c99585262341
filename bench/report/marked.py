r"""An extraction held against its gold, word by word: what is the same, missing, surplus.

Words are compared as the scorer compares them (``\w+``, case kept); what stands between two words
goes with the one before. The alignment is a longest common subsequence (Myers 1986 has the edit
graph), found by RapidFuzz's bit-parallel algorithm (Hyyrö 2004) over numbered words; texts too long
for that are cut first at words that stand once in both (patience diff).
"""

from __future__ import annotations

import bisect
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from rapidfuzz.distance import LCSseq

Kind = Literal["same", "missing", "surplus", "left out"]

SAME: Kind = "same"
MISSING: Kind = "missing"
SURPLUS: Kind = "surplus"
LEFT_OUT: Kind = "left out"

_PIECE = re.compile(r"\w+\W*")
_WORD = re.compile(r"\w+")
_CELLS = 400_000_000
"""Product of lengths up to which two texts are aligned as a whole: 50 MB of bits, well below 1 s."""


class Span(NamedTuple):
    """A stretch of one kind.

    ``same`` and ``surplus`` together are the extraction, character by character; ``missing`` is
    the gold's. ``left out`` (after ``abridged``) says how many words stood there.
    """

    kind: Kind
    text: str


def spans(gold: str, text: str) -> list[Span]:
    """Return the spans of an extraction and what it lacks of its gold, in reading order."""
    wanted, found = _pieces(gold), _pieces(text)
    numbers: dict[str, int] = {}
    a = [numbers.setdefault(_word(piece), len(numbers)) for piece in wanted]
    b = [numbers.setdefault(_word(piece), len(numbers)) for piece in found]
    made = {MISSING: "", SURPLUS: "", SAME: ""}
    told: list[Span] = []

    def tell() -> None:
        told.extend(Span(kind, made[kind]) for kind in made if made[kind])
        made.update(dict.fromkeys(made, ""))

    for kind, start, end in _aligned(a, b):
        if start == end:
            continue
        # Between two stretches of the same all that is missing comes first, then all surplus.
        if kind is not SAME and made[SAME]:
            tell()
        own = wanted if kind is MISSING else found
        if kind is SAME and (made[MISSING] or made[SURPLUS]):
            tell()
        made[kind] += "".join(own[start:end])
    tell()
    return told


def abridged(marked: Iterable[Span], context: int = 12) -> list[Span]:
    """Return spans with long ``same`` stretches cut down to ``context`` words at either end."""
    made: list[Span] = []
    for span in marked:
        pieces = _pieces(span.text) if span.kind is SAME else []
        if len(pieces) <= 2 * context + 20:
            made.append(span)
            continue
        left_out = len(pieces) - 2 * context
        made += [
            Span(SAME, "".join(pieces[:context])),
            Span(LEFT_OUT, f"{left_out:,} words the same"),
            Span(SAME, "".join(pieces[-context:])),
        ]
    return made


def _pieces(text: str) -> list[str]:
    """Cut a text into words, each with what follows it; what stands before the first goes with it."""
    first = _WORD.search(text)
    if first is None:
        return [text] if text else []
    pieces = _PIECE.findall(text)
    pieces[0] = text[: first.start()] + pieces[0]
    return pieces


def _word(piece: str) -> str:
    found = _WORD.search(piece)
    return found.group() if found else ""


Block = tuple[Kind, int, int]
"""Kind, and start and end in the gold's pieces (missing) or the extraction's (same, surplus)."""


def _aligned(a: Sequence[int], b: Sequence[int]) -> Iterator[Block]:
    """Align two lists of word numbers."""
    start = 0
    shorter = min(len(a), len(b))
    while start < shorter and a[start] == b[start]:
        start += 1
    end = 0
    while end < shorter - start and a[-1 - end] == b[-1 - end]:
        end += 1
    yield SAME, 0, start
    yield from _cut(a[start : len(a) - end], b[start : len(b) - end], start)
    yield SAME, len(b) - end, len(b)


def _cut(a: Sequence[int], b: Sequence[int], offset: int) -> Iterator[Block]:
    """Align what differs, in one go or between words that stand once in both."""
    if len(a) * len(b) <= _CELLS:
        yield from _by_subsequence(a, b, offset, offset)
        return
    at_a = at_b = 0
    for in_a, in_b in [*_anchors(a, b), (len(a), len(b))]:
        if in_a < len(a) and (in_a - at_a) * (in_b - at_b) < _CELLS // 64:
            continue
        yield from _between(a[at_a:in_a], b[at_b:in_b], offset + at_a, offset + at_b)
        at_a, at_b = in_a, in_b


def _between(a: Sequence[int], b: Sequence[int], offset_a: int, offset_b: int) -> Iterator[Block]:
    # Where too much is left without a word to hold on to, part by part: a little less is the same.
    parts = math.ceil(math.sqrt(len(a) * len(b) / _CELLS)) or 1
    for part in range(parts):
        from_a, to_a = (len(a) * each // parts for each in (part, part + 1))
        from_b, to_b = (len(b) * each // parts for each in (part, part + 1))
        yield from _by_subsequence(
            a[from_a:to_a], b[from_b:to_b], offset_a + from_a, offset_b + from_b
        )


def _by_subsequence(
    a: Sequence[int], b: Sequence[int], offset_a: int, offset_b: int
) -> Iterator[Block]:
    for step in LCSseq.opcodes(a, b):
        if step.tag == "equal":
            yield SAME, offset_b + step.dest_start, offset_b + step.dest_end
            continue
        yield MISSING, offset_a + step.src_start, offset_a + step.src_end
        yield SURPLUS, offset_b + step.dest_start, offset_b + step.dest_end


def _anchors(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """Return places of words that stand once in either text, in the same order in both."""
    once_a = {word for word, times in Counter(a).items() if times == 1}
    once_b = {word for word, times in Counter(b).items() if times == 1}
    places = {word: at for at, word in enumerate(b) if word in once_b}
    pairs = [(at, places[word]) for at, word in enumerate(a) if word in once_a and word in places]
    # Longest increasing subsequence of the places in b, by patience sorting.
    tops: list[int] = []
    piles: list[int] = []
    before = [-1] * len(pairs)
    for index, (_, at) in enumerate(pairs):
        pile = bisect.bisect_left(tops, at)
        before[index] = piles[pile - 1] if pile else -1
        if pile == len(tops):
            tops.append(at)
            piles.append(index)
        else:
            tops[pile], piles[pile] = at, index
    chain: list[tuple[int, int]] = []
    index = piles[-1] if piles else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]
