"""The n-gram scorer: how much of the gold is there, how much is not gold.

The shingles of a text are the multiset of its n consecutive tokens (words, or characters for
languages written without spaces between words); a text of fewer than n tokens
has one shorter shingle, an empty text none (AEB's ``evaluate.py``, revision 4a3bc97; Broder 1997
for the idea). With g(x), e(x) the counts in gold and extraction, TP = Σ min(g, e),
FP = Σ max(0, e − g), FN = Σ max(0, g − e), each divided by TP + FP + FN.

Shingles are counted as integers: tokens get numbers, n of them make one number, and sorting
does the rest in NumPy. That is exact (no hashing) and several times quicker than tuples.
"""

import sys
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bench.metrics.texts import tokens
from bench.metrics.texts.tokens import Unit

N = 4
_WORD_BITS = 63
_NUMBER = np.dtype(np.int64)
_STRANGER = bytes(_NUMBER.itemsize)

Ints = npt.NDArray[np.int64]


class PageScore(NamedTuple):
    """One extraction against its gold: true and false positives and false negatives, sum 1 or 0."""

    tp: float
    fp: float
    fn: float
    exact: bool
    """Whether the token lists are equal."""


class GoldShingles:
    """A gold text, prepared once for any number of extractions.

    Tokens are words, or characters but for white space (``bench.metrics.texts.tokens``).
    """

    def __init__(self, text: str, n: int = N, unit: Unit = "word") -> None:
        self._n = n
        self._pieces = _Pieces(text, unit)
        self._ids = self._pieces.number(text)
        self._bits = _WORD_BITS // n
        self._values, self._counts = np.unique(
            _shifted(self._ids, n, self._bits), return_counts=True
        )

    def score(self, text: str) -> PageScore:
        """Return counts and exactness of an extracted text."""
        extracted = self._pieces.number(text)
        if np.array_equal(extracted, self._ids):
            return PageScore(1.0 if extracted.size else 0.0, 0.0, 0.0, exact=True)
        tp = self._overlap(extracted)
        fp, fn = _total(extracted, self._n) - tp, _total(self._ids, self._n) - tp
        whole = tp + fp + fn
        return PageScore(tp / whole, fp / whole, fn / whole, exact=False)

    def _overlap(self, extracted: Ints) -> int:
        """Return Σ min(g, e): the size of the intersection of the two multisets."""
        if _total(self._ids, self._n) == 0 or extracted.size == 0:
            return 0
        lengths = {min(self._ids.size, self._n), min(extracted.size, self._n)}
        if len(lengths) > 1:
            # A text shorter than n has one shingle of its own length: it equals no longer one.
            return 0
        if self._pieces.most < 2**self._bits:
            values, counts = self._values, self._counts
            shingles = _shifted(extracted, self._n, self._bits)
        else:
            own, shingles = _ranked(self._ids, extracted, self._n)
            values, counts = np.unique(own, return_counts=True)
        shingles.sort()
        ends, starts = (np.searchsorted(shingles, values, side) for side in ("right", "left"))
        return int(np.minimum(counts, ends - starts).sum())


class _Pieces(dict[str, bytes]):
    """The numbers of the tokens of each piece of text, cut up once however often it comes.

    Pieces lie between white space, which no token spans. Tokens that the gold has not are all 0.
    """

    def __init__(self, gold: str, unit: Unit) -> None:
        super().__init__()
        self._cut = tokens.cutter(unit)
        self._numbers = {
            token: number.to_bytes(_NUMBER.itemsize, sys.byteorder)
            for number, token in enumerate(dict.fromkeys(self._cut(gold)), 1)
        }
        self.most = len(self._numbers)
        """The highest number."""

    def __missing__(self, piece: str) -> bytes:
        known = self._numbers.get
        numbers = [known(token, _STRANGER) for token in self._cut(piece)]
        self[piece] = joined = b"".join(numbers)
        return joined

    def number(self, text: str) -> Ints:
        """Return the numbers of a text's tokens."""
        return np.frombuffer(b"".join(map(self.__getitem__, text.split())), _NUMBER)


def _total(ids: Ints, n: int) -> int:
    """Return how many shingles a text has."""
    return max(ids.size - n + 1, min(ids.size, 1))


def _shifted(ids: Ints, n: int, bits: int) -> Ints:
    """Return a text's shingles as integers, each word's number in its own bits."""
    size = min(n, ids.size)
    total = _total(ids, n)
    code = np.zeros(total, np.int64)
    for place in range(size):
        code = (code << bits) | ids[place : place + total]
    return code


def _ranked(gold: Ints, extracted: Ints, n: int) -> tuple[Ints, Ints]:
    """Return both sides' shingles as integers, for more words than n numbers in 63 bits can tell.

    Grown one word at a time; after each, the shingles so far are numbered from zero again.
    """
    size = min(n, gold.size)
    border, rest = _total(gold, n), _total(extracted, n)
    code = np.concatenate([gold[:border], extracted[:rest]])
    for place in range(1, size):
        step = np.concatenate([gold[place : place + border], extracted[place : place + rest]])
        _, code = np.unique(code * (int(step.max()) + 1) + step, return_inverse=True)
    return code[:border], code[border:]
