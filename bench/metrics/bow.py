r"""Word-multiset precision, recall and F1, as WCXB's ``evaluate.py`` (revision c039d5e).

Words are runs of ``\w`` in the lower-cased text; their order does not matter. With g(w), e(w) the
counts in gold and extraction and o = Σ min(g, e): P = o / Σ e, R = o / Σ g, F1 = 2PR/(P+R). Two
empty texts score 1 in all three, one empty text 0. Each figure of a data set is the mean of its
page figures over all pages (so its F1 is not that of its P and R).
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from bench.metrics.base import Counts, Metric, precision_recall_f1
from bench.metrics.texts.tokens import tokenize
from bench.model import Gold


class Bow(Metric):
    """Counts words, whatever their order."""

    name = "bow"
    title = "word-multiset precision, recall and F1 (WCXB)"
    citation = (
        "Foley (2026), WCXB, https://github.com/Murrough-Foley/web-content-extraction-benchmark"
    )

    def count(self, gold: Gold, language: str | None, texts: Sequence[str]) -> Iterable[Counts]:
        """Return precision, recall and F1."""
        gold_words = tokenize((gold.text or "").lower())
        counts = Counter(gold_words)

        def score(text: str) -> tuple[float, ...]:
            words = tokenize(text.lower())
            if not words and not gold_words:
                return 1.0, 1.0, 1.0
            overlap = sum(
                min(n, counts[word]) for word, n in Counter(words).items() if word in counts
            )
            return precision_recall_f1(overlap, len(words), len(gold_words))

        return map(score, texts)
