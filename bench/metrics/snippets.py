"""With/without snippets: counts and figures as trafilatura's ``tests/eval_common.py`` (e90b0ef).

A ``with`` snippet found in the text is a true positive, one not found a false negative; a
``without`` snippet found is a false positive, one not found a true negative. Runs of white space
count as one space. Counts are summed over all pages before precision, recall, accuracy and F1 are
taken, each 0 where its denominator is; a failed cell is the empty text, which finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from bench.metrics.base import Counts, Metric
from bench.model import Gold

if TYPE_CHECKING:
    from bench.metrics.base import Flags, Floats
    from bench.stats.figure import Figure


class Snippets(Metric):
    """Looks for snippets that must and must not be there."""

    name = "snippets"
    title = "snippets that must and must not be there (trafilatura)"
    citation = "Barbaresi (2021), Trafilatura, https://doi.org/10.18653/v1/2021.acl-demo.15"
    figures = ("precision", "recall", "f1", "accuracy")
    columns = ("tp", "fp", "fn", "tn")
    needs = "snippets"

    def count(self, gold: Gold, language: str | None, texts: Sequence[str]) -> Iterable[Counts]:
        """Return how many snippets are true and false positives, false and true negatives."""
        wanted = [_normal(snippet) for snippet in gold.with_snippets]
        unwanted = [_normal(snippet) for snippet in gold.without_snippets]

        def score(text: str) -> tuple[int, ...]:
            plain = _normal(text)
            tp = sum(snippet in plain for snippet in wanted) if plain else 0
            fp = sum(snippet in plain for snippet in unwanted) if plain else 0
            return tp, fp, len(wanted) - tp, len(unwanted) - fp

        return map(score, texts)

    def fold(self, columns: Mapping[str, Floats], failed: Flags) -> dict[str, Figure]:
        """Return the figures: ratios of sums over all pages."""
        tp, fp, fn, tn = (columns[name] for name in self.columns)
        return {
            "precision": _ratio(tp, tp + fp),
            "recall": _ratio(tp, tp + fn),
            "f1": _ratio(2 * tp, 2 * tp + fp + fn),
            "accuracy": _ratio(tp + tn, tp + fp + fn + tn),
        }


def _ratio(above: Floats, below: Floats) -> Figure:
    import numpy as np

    from bench.stats.figure import Figure

    with np.errstate(divide="ignore", invalid="ignore"):
        by_page = np.where(below > 0, above / below, np.nan)
    return Figure((above,), by_page, (below,))


def _normal(text: str) -> str:
    return " ".join(text.split())
