"""Normalised edit similarity, by word and by character: 1 − d / max(m, n).

d is the Levenshtein distance (insertions, deletions and substitutions, each 1) between gold and
extraction, m and n their lengths: WebMainBench's ``text_metrics.py`` (revision 020a01b), which
takes characters. Two empty texts are 1 (WebMainBench leaves them out), an empty one and another
0. Order counts, as does text that stands in another place.

By word, tokens are those of ``bench.metrics.texts.tokens``. By character, the texts are taken as
they are, white space included; a text of white space alone is an empty one.

rapidfuzz computes d, 64 cells of the table at once (Hyyrö 2003). Time grows with m · n: at the
limit, texts of 100,000 words or 300,000 characters that have little in common, it is some
seconds; memory grows with m + n. Beyond the limit texts are cut and the rest counts as edits, so
that the figure is a lower bound.
"""

from collections.abc import Iterable, Sequence

from bench.metrics.base import Counts, Metric
from bench.metrics.texts import sequences
from bench.metrics.texts.tokens import tokenize
from bench.model import Gold

MAX_WORD_CELLS = 100_000**2
MAX_CHARACTER_CELLS = 300_000**2


class Levenshtein(Metric):
    """Compares texts word by word."""

    name = "levenshtein"
    title = "normalised edit similarity by word"
    citation = "Levenshtein (1966), Soviet Physics Doklady 10:707-710"
    figures = ("similarity",)
    main = "similarity"

    def count(self, gold: Gold, language: str | None, texts: Sequence[str]) -> Iterable[Counts]:
        """Yield the similarity."""
        words = sequences.GoldWords(tokenize(gold.text or ""))
        for text in texts:
            yield (_similarity(words.coded, words.encode(tokenize(text)), MAX_WORD_CELLS),)


class LevenshteinByCharacter(Levenshtein):
    """Compares texts character by character."""

    name = "levenshtein-char"
    title = "normalised edit similarity by character"

    def count(self, gold: Gold, language: str | None, texts: Sequence[str]) -> Iterable[Counts]:
        """Yield the similarity."""
        characters = _characters(gold.text or "")
        for text in texts:
            yield (_similarity(characters, _characters(text), MAX_CHARACTER_CELLS),)


def _characters(text: str) -> str:
    return text if text.strip() else ""


def _similarity(gold: str, extracted: str, cells: int) -> float:
    from rapidfuzz.distance.Levenshtein import distance

    m, n = len(gold), len(extracted)
    if not m or not n:
        return float(m == n)
    size = sequences.longest(m, n, cells)
    rest = max(0, m - size, n - size)
    return 1 - (distance(gold[:size], extracted[:size]) + rest) / max(m, n)
