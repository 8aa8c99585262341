"""Longest common subsequence of words: precision LCS/n, recall LCS/m, F1 = 2·LCS/(m + n).

m and n are the words of gold and extraction. The F1 is what the SIGIR 2023 study calls
Levenshtein similarity: its ``eval.py`` (revision 9b16279) takes ``Levenshtein.ratio`` of token
lists, 1 − (m + n − 2·LCS)/(m + n). The study splits words at white space, punctuation kept; here
they are those of ``bench.metrics.tokens``. Two empty texts score 1 in all three, one empty text 0.

rapidfuzz computes the LCS, 64 cells of the table at once (Hyyrö 2004). Time grows with m · n: at
the limit, two texts of 100,000 words, it is some seconds; memory grows with m + n. Beyond the
limit texts are cut and the rest counts as not found, so that the figures are lower bounds.

Bevendorff et al. (2023), "An Empirical Comparison of Web Content Extraction Algorithms", SIGIR,
https://doi.org/10.1145/3539618.3591920.
"""

from __future__ import annotations

from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from bench.metrics import sequences
from bench.metrics.tokens import tokenize

MAX_CELLS = 100_000**2


class Score(NamedTuple):
    """Figures of one page, each from 0 to 1, more is better."""

    precision: float
    recall: float
    f1: float


class GoldSequence:
    """A gold text, prepared once for any number of extractions."""

    def __init__(self, text: str) -> None:
        self._gold = sequences.GoldWords(tokenize(text))

    def score(self, text: str) -> Score:
        """Return the figures of an extracted text."""
        gold, found = self._gold.coded, self._gold.encode(tokenize(text))
        m, n = len(gold), len(found)
        if not m or not n:
            return Score(*([float(m == n)] * 3))
        size = sequences.longest(m, n, MAX_CELLS)
        common = LCSseq.similarity(gold[:size], found[:size])
        return Score(common / n, common / m, 2 * common / (m + n))
