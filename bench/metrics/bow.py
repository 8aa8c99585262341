r"""Word-multiset precision, recall and F1, as WCXB's ``evaluate.py`` (revision c039d5e).

Words are runs of ``\w`` in the lower-cased text; their order does not matter. With g(w), e(w) the
counts in gold and extraction and o = Σ min(g, e): P = o / Σ e, R = o / Σ g, F1 = 2PR/(P+R). Two
empty texts score 1 in all three, one empty text 0. Each figure of a data set is the mean of its
page figures over all pages (so its F1 is not that of its P and R).

Foley (2026), "WCXB: A Multi-Type Web Content Extraction Benchmark",
https://github.com/Murrough-Foley/web-content-extraction-benchmark.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from bench.metrics.tokens import tokenize

NAME = "bow"


class Score(NamedTuple):
    """Figures of one page, each from 0 to 1, more is better."""

    precision: float
    recall: float
    f1: float


class GoldBag:
    """A gold text, prepared once for any number of extractions."""

    def __init__(self, text: str) -> None:
        words = tokenize(text.lower())
        self._size = len(words)
        self._counts = Counter(words)

    def score(self, text: str) -> Score:
        """Return the figures of an extracted text."""
        words = tokenize(text.lower())
        if not self._size or not words:
            return Score(*([float(self._size == len(words))] * 3))
        gold = self._counts
        found = Counter(words).items()
        overlap = sum(n if n < gold[word] else gold[word] for word, n in found if word in gold)
        if not overlap:
            return Score(0.0, 0.0, 0.0)
        precision, recall = overlap / len(words), overlap / self._size
        return Score(precision, recall, 2 * precision * recall / (precision + recall))
