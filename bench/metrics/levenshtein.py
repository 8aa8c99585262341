"""Normalised edit similarity, by word and by character: 1 − d / max(m, n).

d is the Levenshtein distance (insertions, deletions and substitutions, each 1) between gold and
extraction, m and n their lengths: WebMainBench's ``text_metrics.py`` (revision 020a01b), which
takes characters. Two empty texts are 1 (WebMainBench leaves them out), an empty one and another
0. Order counts, as does text that stands in another place.

By word, tokens are those of ``bench.metrics.tokens``. By character, the texts are taken as they
are, white space included; a text of white space alone is an empty one.

rapidfuzz computes d, 64 cells of the table at once (Hyyrö 2003). Time grows with m · n: at the
limit, texts of 100,000 words or 300,000 characters that have little in common, it is some
seconds; memory grows with m + n. Beyond the limit texts are cut and the rest counts as edits, so
that the figure is a lower bound.

Levenshtein (1966), "Binary codes capable of correcting deletions, insertions, and reversals",
Soviet Physics Doklady 10.
"""

from __future__ import annotations

from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from bench.metrics import sequences
from bench.metrics.tokens import tokenize

MAX_WORD_CELLS = 100_000**2
MAX_CHARACTER_CELLS = 300_000**2


class Score(NamedTuple):
    """The figure of one page, from 0 to 1, more is better."""

    similarity: float


class GoldWords:
    """A gold text, prepared once for any number of extractions, compared word by word."""

    def __init__(self, text: str) -> None:
        self._gold = sequences.GoldWords(tokenize(text))

    def score(self, text: str) -> Score:
        """Return the similarity of an extracted text."""
        found = self._gold.encode(tokenize(text))
        return Score(_similarity(self._gold.coded, found, MAX_WORD_CELLS))


class GoldCharacters:
    """A gold text, compared character by character."""

    def __init__(self, text: str) -> None:
        self._text = text if text.strip() else ""

    def score(self, text: str) -> Score:
        """Return the similarity of an extracted text."""
        return Score(_similarity(self._text, text if text.strip() else "", MAX_CHARACTER_CELLS))


def _similarity(gold: str, found: str, cells: int) -> float:
    m, n = len(gold), len(found)
    if not m or not n:
        return float(m == n)
    size = sequences.longest(m, n, cells)
    rest = max(0, m - size, n - size)
    return 1 - (Levenshtein.distance(gold[:size], found[:size]) + rest) / max(m, n)
