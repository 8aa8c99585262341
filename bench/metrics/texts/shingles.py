"""The n-gram scorer: how much of the gold is there, how much is not gold.

The shingles of a text are the multiset of its n consecutive tokens (words, or characters for
languages written without spaces between words); a text of fewer than n tokens
has one shorter shingle, an empty text none (AEB's ``evaluate.py``, revision 4a3bc97; Broder 1997
for the idea). With g(x), e(x) the counts in gold and extraction, TP = Σ min(g, e),
FP = Σ max(0, e − g), FN = Σ max(0, g − e), each divided by TP + FP + FN.

All texts of a page are counted at once, as integers: tokens get numbers, n of them make one number,
and sorting does the rest in NumPy. That is exact (no hashing) and several times quicker than tuples.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bench.metrics.texts import token_numbers
from bench.metrics.texts.token_numbers import Ints
from bench.metrics.texts.tokens import Unit

N = 4


class PageScore(NamedTuple):
    """One extraction against its gold: true and false positives and false negatives, sum 1 or 0."""

    tp: float
    fp: float
    fn: float
    exact: bool
    """Whether the token lists are equal."""


def scores(gold: str, texts: Sequence[str], n: int = N, unit: Unit = "word") -> Iterator[PageScore]:
    """Yield counts and exactness of each extracted text of a page."""
    # The gold is numbered with each part.
    for some in token_numbers.some_at_once(texts, len(gold)):
        yield from _scores([gold, *some], n, unit)


def _scores(texts: Sequence[str], n: int, unit: Unit) -> list[PageScore]:
    """Return the scores of all texts but the first, the gold."""
    numbers, ends = token_numbers.of_texts(texts, unit)
    gold, *others = np.split(numbers, ends[:-1])
    exact = [np.array_equal(own, gold) for own in others]
    sizes = np.diff(ends, prepend=0)
    wanted, *totals = np.maximum(sizes - n + 1, np.minimum(sizes, 1))
    tp = np.where(exact, totals, _overlaps(numbers, ends, n)[1:])
    counts = np.stack([tp, totals - tp, wanted - tp])
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    return [PageScore(*own) for own in zip(*shares.tolist(), exact, strict=True)]


def _overlaps(numbers: Ints, ends: Ints, n: int) -> npt.NDArray[Any]:
    """Return Σ min(g, e) of each text: the size of the intersection of the two multisets.

    A text shorter than n has one shingle of its own length: it equals no longer one.
    """
    wanted, size = int(ends[0]) - n + 1, numbers.size - n + 1
    if wanted <= 0:
        return np.zeros(ends.size)
    places = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
    there = places[:size] == places[n - 1 :]
    codes, different, base = np.zeros(size, np.int64), 1, int(numbers.max()) + 1
    for place in range(n):
        if different * base >= 2**63:
            codes, different = token_numbers.among(codes[:wanted], codes), wanted + 1
        own = numbers[place : place + size]
        codes, different = codes * base + own, different * base
        there &= own > 0
    places, codes = places[:size][there], codes[there]
    shingles = token_numbers.among(codes[:wanted], codes)
    pairs = (places * (wanted + 1) + shingles)[shingles > 0]
    pairs, counts = np.unique(pairs, return_counts=True)
    places, shingles = np.divmod(pairs, wanted + 1)
    # The gold comes first, with shingles counted from 1.
    return np.bincount(places, np.minimum(counts, counts[shingles - 1]), ends.size)
