"""Oracle: of several texts the one nearest to the gold, the ceiling of choosing among extractors.

It needs the gold, so it is no extractor that anyone could use: what lies between it and the best
of its members is what choosing the right one for each page would be worth.
"""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from bench.methods.ensembles.base import Ensemble
from bench.metrics.base import Counts
from bench.metrics.ngram import Ngram
from bench.metrics.snippets import Snippets
from bench.model import Gold


def best(texts: Sequence[str], gold: Gold, language: str | None = None) -> str:
    """Return the text that is best on this page, the first of equals.

    By F1 of 4-grams, of words or characters as ``language`` has it (``bench.metrics.texts.tokens``);
    where the gold is snippets alone, by how many of them are right.
    """
    metric = Snippets() if gold.text is None else Ngram()

    def worth(counts: Counts) -> float:
        tp, fp, fn, last = counts
        if gold.text is None:
            return tp + last  # true positives and negatives
        return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 1.0

    worths = map(worth, metric.count(gold, language, texts))
    return max(zip(worths, texts, strict=True), key=itemgetter(0))[1]


class Oracle(Ensemble):
    """An ensemble that looks at the gold and takes the best text of its members.

    By F1 of 4-grams; on a page whose gold is snippets alone, by these.
    """

    accepts = "texts and gold"

    def extract(self, html: Any, url: str | None) -> str:
        """Return the best of the members' texts."""
        gold = html["gold"]
        snippets = tuple(gold["with_snippets"]), tuple(gold["without_snippets"])
        texts = list(html["texts"].values())
        return best(texts, Gold(gold["text"], *snippets), gold["language"])
