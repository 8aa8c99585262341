"""Texts as sets of hashed n-grams, and sketches that estimate how much two sets overlap.

A sketch holds, for each of ``SKETCH`` random orders of all n-grams, the first that a text has; two
texts agree in as many places as their sets overlap (Jaccard), give or take 1/(2·√SKETCH). Broder
(1997), "On the resemblance and containment of documents", SEQUENCES,
https://doi.org/10.1109/SEQUEN.1997.666900. Hashes and orders are the same on every machine.
"""

import unicodedata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bench.datasets.page_text import words

N = 4
SKETCH = 256
_CHUNK = 512
_STEP = np.uint64(0x9E3779B97F4A7C15)

Grams = npt.NDArray[np.uint64]
Sketch = npt.NDArray[np.uint32]

_generator = np.random.Generator(np.random.PCG64(1997))
_FACTORS = _generator.integers(0, 2**63, SKETCH, np.uint64) * np.uint64(2) + np.uint64(1)
_SHIFTS = _generator.integers(0, 2**63, SKETCH, np.uint64)


def folded(text: str) -> list[str]:
    """Return the words of a text without regard to letter case and composition of characters."""
    return words(unicodedata.normalize("NFC", text).casefold())


def distinct(tokens: Sequence[str], n: int = N) -> Grams:
    """Return the hashes of a text's n-grams, sorted, each once.

    A text of fewer than n words has one shorter gram.
    """
    return np.unique(_combined(hashed(tokens), min(n, len(tokens))))


def absent(lines: Sequence[Sequence[str]], source: Sequence[str], n: int = N) -> float:
    """Return the share of n-grams of lines of words that a source does not have; 0 for no words.

    None reaches over the end of a line, where gold often leaves something out; a line of fewer than
    n words has one shorter gram.
    """
    lengths = np.array([len(line) for line in lines], np.int64)
    hashes = hashed([word for line in lines for word in line])
    if not hashes.size:
        return 0.0
    source_hashes = hashed(source)
    # For each word, how many words of its line begin at it, and how long its line is.
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(hashes.size)
    length = np.repeat(lengths, lengths)
    total = lacking = 0
    for size in range(1, n + 1):
        begins = (left >= n) if size == n else (left == size) & (length == size)
        places = np.flatnonzero(begins)
        if places.size:
            wanted = _combined(hashes, size)[places]
            total += wanted.size
            lacking += int((~np.isin(wanted, _combined(source_hashes, size))).sum())
    return lacking / total


def hashed(tokens: Sequence[str]) -> Grams:
    """Return a number for each token, the same in every process."""
    from pandas.util import hash_array  # not at the top: pandas takes its time

    if not tokens:
        return np.empty(0, np.uint64)
    return hash_array(np.array(tokens, dtype=object), categorize=False)


def _combined(values: Grams, n: int) -> Grams:
    """Return the hash of each n consecutive words; none where there are fewer."""
    total = max(0, values.size - n + 1) if n else 0
    code = np.zeros(total, np.uint64)
    for place in range(n if total else 0):
        code = (code ^ values[place : place + total]) * _STEP
        code ^= code >> np.uint64(29)
    return code


def sketch(grams: Grams) -> Sketch:
    """Return the sketch of a set of n-grams, which must not be empty."""
    least = np.full(SKETCH, np.iinfo(np.uint64).max, np.uint64)
    for start in range(0, grams.size, _CHUNK):
        orders = grams[start : start + _CHUNK, None] * _FACTORS + _SHIFTS
        np.minimum(least, orders.min(axis=0), out=least)
    return (least >> np.uint64(32)).astype(np.uint32)


def alike(a: Sketch | None, b: Sketch | None) -> float:
    """Return about how much of their n-grams two texts share (Jaccard, 0 to 1), 0 without a sketch."""
    return 0.0 if a is None or b is None else float((a == b).mean())
