"""Longest common subsequence of words: precision LCS/n, recall LCS/m, F1 = 2·LCS/(m + n).

m and n are the words of gold and extraction. The F1 is what the SIGIR 2023 study calls
Levenshtein similarity: its ``eval.py`` (revision 9b16279) takes ``Levenshtein.ratio`` of token
lists, 1 − (m + n − 2·LCS)/(m + n). The study splits words at white space, punctuation kept; here
they are those of ``bench.metrics.texts.tokens``. Two empty texts score 1 in all three, one empty
text 0.

rapidfuzz computes the LCS, 64 cells of the table at once (Hyyrö 2004). Time grows with m · n: at
the limit, two texts of 100,000 words, it is some seconds; memory grows with m + n. Beyond the
limit texts are cut and the rest counts as not found, so that the figures are lower bounds.
"""

from collections.abc import Iterable, Sequence

from bench.metrics.base import Counts, Metric, precision_recall_f1
from bench.metrics.texts import sequences
from bench.metrics.texts.tokens import tokenize
from bench.model import Gold

MAX_CELLS = 100_000**2


class Lcs(Metric):
    """Counts the words of the longest common subsequence."""

    name = "lcs"
    title = "longest common subsequence of words"
    citation = (
        "Bevendorff et al. (2023), An Empirical Comparison of Web Content Extraction Algorithms, "
        "https://doi.org/10.1145/3539618.3591920"
    )

    def count(self, gold: Gold, language: str | None, texts: Sequence[str]) -> Iterable[Counts]:
        """Return precision, recall and F1."""
        from rapidfuzz.distance import LCSseq

        words = sequences.GoldWords(tokenize(gold.text or ""))

        def score(text: str) -> tuple[float, ...]:
            extracted = words.encode(tokenize(text))
            m, n = len(words.coded), len(extracted)
            if not m and not n:
                return 1.0, 1.0, 1.0
            size = sequences.longest(m, n, MAX_CELLS)
            overlap = LCSseq.similarity(words.coded[:size], extracted[:size])
            return precision_recall_f1(overlap, n, m)

        return map(score, texts)
