"""n-gram precision, recall and F1: AEB's protocol, which Márquez Mínguez (2022) uses.

precision = mean TP/(TP+FP) over pages with TP+FP > 0, recall = mean TP/(TP+FN) over pages with
TP+FN > 0, F1 = 2PR/(P+R) of those two means: AEB's ``evaluate.py``, revision 4a3bc97.
exact = mean of equal token lists is what AEB prints as accuracy; accuracy = mean TP/(TP+FP+FN) (1
where both texts are empty) is Márquez Mínguez's. Page F1, which is ours = mean over all pages of
each page's F1, where a failed cell counts 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from bench.metrics.base import Counts, Metric
from bench.metrics.texts.tokens import unit_for
from bench.model import Gold

if TYPE_CHECKING:
    from bench.metrics.base import Flags, Floats
    from bench.stats.figure import Figure

N = 4
DEFAULT = "ngram"
"""What the metric of that length is called, which ranks where no other is chosen."""


class Ngram(Metric):
    """Counts n-grams of words, or of characters for languages without spaces between words."""

    citation = (
        "Scrapinghub (2020), Article extraction benchmark, "
        "https://github.com/scrapinghub/article-extraction-benchmark"
    )
    figures = ("precision", "recall", "f1", "accuracy", "exact", "page_f1")
    columns = ("tp", "fp", "fn", "exact")
    version = "2"
    stem = family = DEFAULT
    lengths = (N,)

    def __init__(self, n: int = N) -> None:
        super().__init__(n)
        self.name = DEFAULT if n == N else f"{DEFAULT}-{n}"
        self.title = f"{n}-gram precision, recall and F1"
        if n == N:
            self.title += " (AEB)"

    def count(self, gold: Gold, language: str | None, texts: Sequence[str]) -> Iterable[Counts]:
        """Yield TP, FP and FN over their sum, and whether all tokens are equal."""
        from bench.metrics.texts import shingles

        return shingles.scores(gold.text or "", texts, self.n or N, unit_for(language))

    def fold(self, columns: Mapping[str, Floats], failed: Flags) -> dict[str, Figure]:
        """Return the figures: a page without output has no precision, one without gold no recall."""
        import numpy as np

        from bench.stats.figure import Figure

        tp, fp, fn, exact = (columns[name] for name in self.columns)
        nothing = (tp + fp + fn) == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(tp + fp > 0, tp / (tp + fp), np.nan)
            recall = np.where(tp + fn > 0, tp / (tp + fn), np.nan)
            accuracy = np.where(nothing, 1.0, tp / (tp + fp + fn))
            f1 = np.where(nothing, 1.0, 2 * tp / (2 * tp + fp + fn))
        unanswered = failed & ~np.isnan(tp)
        accuracy, exact, f1 = (np.where(unanswered, 0.0, own) for own in (accuracy, exact, f1))
        return {
            "precision": Figure((precision,)),
            "recall": Figure((recall,)),
            "f1": Figure((precision, recall), f1),
            "accuracy": Figure((accuracy,)),
            "exact": Figure((exact,)),
            "page_f1": Figure((f1,)),
        }
