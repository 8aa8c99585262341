"""Two lists of numbered words, aligned: which stretches are the same, missing, surplus.

The alignment is a longest common subsequence (Myers 1986 has the edit graph), found by RapidFuzz's
bit-parallel algorithm (Hyyrö 2004); texts too long for that are cut first at words that stand once
in both (patience diff).
"""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from rapidfuzz.distance import LCSseq

Kind = Literal["same", "missing", "surplus", "left out"]

SAME: Kind = "same"
MISSING: Kind = "missing"
SURPLUS: Kind = "surplus"

Block = tuple[Kind, int, int]
"""Kind, and start and end in the gold's words (missing) or the extraction's (same, surplus)."""

_CELLS = 400_000_000
"""Product of lengths up to which two texts are aligned as a whole: 50 MB of bits, well below 1 s."""


def aligned(a: Sequence[int], b: Sequence[int]) -> Iterator[Block]:
    """Yield the blocks of two lists of word numbers, ``a`` the gold's; some may be empty."""
    shorter = min(len(a), len(b))
    start = _alike(shorter, lambda done, end: a[done:end] == b[done:end])
    end = _alike(
        shorter - start,
        lambda done, end: a[len(a) - end : len(a) - done] == b[len(b) - end : len(b) - done],
    )
    yield SAME, 0, start
    yield from _cut(a[start : len(a) - end], b[start : len(b) - end], start)
    yield SAME, len(b) - end, len(b)


def _alike(most: int, same: Callable[[int, int], bool]) -> int:
    """Return how much of the beginning is the same, by halves: slices are compared at once."""
    done = 0
    while done < most:
        end = (done + most + 1) // 2
        if same(done, end):
            done = end
        else:
            most = end - 1
    return done


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
