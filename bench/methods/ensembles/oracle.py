"""Oracle: of several texts the one nearest to the gold, the ceiling of choosing among extractors.

It needs the gold, so it is no extractor that anyone could use: what lies between it and the best
of its members is what choosing the right one for each page would be worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.methods.ensembles.base import Ensemble
from bench.metrics.snippets import Snippets
from bench.metrics.texts import tokens
from bench.metrics.texts.shingles import GoldShingles
from bench.model import Gold


def best(texts: Sequence[str], gold: str, language: str | None = None) -> str:
    """Return the text with the highest F1 of 4-grams on this page, the first of equals.

    ``language`` says whether words or characters are counted (``bench.metrics.texts.tokens``).
    """
    prepared = GoldShingles(gold, unit=tokens.unit_for(language))

    def f1(text: str) -> float:
        tp, fp, fn = prepared.score(text).counts
        return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 1.0

    return max(texts, key=f1)


def best_by_snippets(texts: Sequence[str], wanted: Sequence[str], unwanted: Sequence[str]) -> str:
    """Return the text whose accuracy over the snippets is highest, the first of equals."""
    score = Snippets().prepare(Gold(None, tuple(wanted), tuple(unwanted)), None)

    def right(text: str) -> float:
        true_positives, _, _, true_negatives = score(text)
        return true_positives + true_negatives

    return max(texts, key=right)


class Oracle(Ensemble):
    """An ensemble that looks at the gold and takes the best text of its members.

    By F1 of 4-grams; on a page whose gold is snippets alone, by these.
    """

    accepts = "texts and gold"

    def extract(self, html: Any, url: str | None) -> str:
        """Return the best of the members' texts."""
        texts, gold = list(html["texts"].values()), html["gold"]
        if gold["text"] is None:
            return best_by_snippets(texts, gold["with_snippets"], gold["without_snippets"])
        return best(texts, gold["text"], gold["language"])

    def combine(self, texts: Mapping[str, str]) -> str:
        """Raise: without the gold there is no best text."""
        raise TypeError("an oracle needs the gold")
