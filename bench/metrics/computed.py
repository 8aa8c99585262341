"""Metrics, computed: for each family what is kept of a text, and the figures made of that.

A computation prepares a page's gold once, turns each extraction into a few numbers (its columns),
and folds the numbers of many rows and pages into the parts of every figure. A failed cell counts
0 in every mean that its page is part of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from bench.metrics import figures, tokens
from bench.metrics.bow import GoldBag
from bench.metrics.declared import Metric
from bench.metrics.figures import PageCounts
from bench.metrics.lcs import GoldSequence
from bench.metrics.levenshtein import GoldCharacters, GoldWords
from bench.metrics.rouge import GoldLines, GoldNgrams
from bench.metrics.shingles import GoldShingles
from bench.metrics.snippets import GoldSnippets
from bench.model import Gold

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Columns = Mapping[str, Floats]
"""Numbers of each cell by column, shape (rows, pages); NaN where the page has no such gold."""

Scorer = Callable[[str], Sequence[float]]
"""Turns an extracted text into its columns."""


class Parts(NamedTuple):
    """What a figure is made of, as ``bench.stats.paged.Paged`` takes it."""

    parts: tuple[Floats, ...]
    scores: Floats
    weights: tuple[Floats, ...] | None = None


class Prepare(Protocol):
    """Prepares a page's gold; ``language`` is the page's, where known."""

    def __call__(self, gold: Gold, n: int, language: str | None) -> Scorer:
        """Return what scores a text against this gold; ``n`` is the metric's length, if any."""
        ...


class Computation(NamedTuple):
    """How a family of metrics is computed."""

    version: str
    """Goes up whenever a column comes out differently: older scores are not used."""
    columns: tuple[str, ...]
    prepare: Prepare
    fold: Callable[[Columns, Flags], dict[str, Parts]]
    """From columns and failed cells to the figures, by name."""


def of(metric: Metric) -> Computation:
    """Return how a metric is computed."""
    return _FAMILIES[metric.family]


def applies(metric: Metric, gold: Gold) -> bool:
    """Whether a page's gold has what the metric needs."""
    if metric.needs == "snippets":
        return bool(gold.with_snippets or gold.without_snippets)
    return gold.text is not None


# -- n-grams ------------------------------------------------------------------------------------


def _shingles(gold: Gold, n: int, language: str | None) -> Scorer:
    prepared = GoldShingles(gold.text or "", n, unit=tokens.unit_for(language))

    def score(text: str) -> Sequence[float]:
        found = prepared.score(text)
        return (*found.counts, float(found.exact))

    return score


def _ngram_figures(columns: Columns, failed: Flags) -> dict[str, Parts]:
    pages = figures.per_page(
        PageCounts(columns["tp"], columns["fp"], columns["fn"], columns["exact"] == 1.0, failed)
    )
    f1 = Parts((pages.precision, pages.recall), pages.page_f1)
    alone = ("precision", "recall", "accuracy", "exact", "page_f1")
    means = {name: _mean(getattr(pages, name)) for name in alone}
    return {name: means.get(name, f1) for name in figures.NAMES}


# -- snippets -----------------------------------------------------------------------------------


def _snippets(gold: Gold, n: int, language: str | None) -> Scorer:
    return GoldSnippets(gold.with_snippets, gold.without_snippets).score


def _snippet_figures(columns: Columns, failed: Flags) -> dict[str, Parts]:
    # A failed cell is the empty text already: it finds nothing, what must not be there included.
    tp, fp, fn, tn = (columns[name] for name in ("tp", "fp", "fn", "tn"))
    return {
        "precision": _ratio(tp, tp + fp),
        "recall": _ratio(tp, tp + fn),
        "f1": _ratio(2 * tp, 2 * tp + fp + fn),
        "accuracy": _ratio(tp + tn, tp + fp + fn + tn),
    }


def _ratio(above: Floats, below: Floats) -> Parts:
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(below > 0, above / below, np.nan)
    return Parts((above,), each, (below,))


# -- one number a figure, averaged over pages -----------------------------------------------------


def _means(columns: Columns, failed: Flags) -> dict[str, Parts]:
    return {
        name: _mean(np.where(failed & ~np.isnan(values), 0.0, values))
        for name, values in columns.items()
    }


def _mean(values: Floats) -> Parts:
    return Parts((values,), values)


def _bow(gold: Gold, n: int, language: str | None) -> Scorer:
    return GoldBag(gold.text or "").score


def _rouge_n(gold: Gold, n: int, language: str | None) -> Scorer:
    return GoldNgrams(gold.text or "", n).score


def _rouge_lsum(gold: Gold, n: int, language: str | None) -> Scorer:
    return GoldLines(gold.text or "").score


def _levenshtein(gold: Gold, n: int, language: str | None) -> Scorer:
    return GoldWords(gold.text or "").score


def _levenshtein_char(gold: Gold, n: int, language: str | None) -> Scorer:
    return GoldCharacters(gold.text or "").score


def _lcs(gold: Gold, n: int, language: str | None) -> Scorer:
    return GoldSequence(gold.text or "").score


_PRF = ("precision", "recall", "f1")
_FAMILIES = {
    "ngram": Computation("2", ("tp", "fp", "fn", "exact"), _shingles, _ngram_figures),
    "bow": Computation("1", _PRF, _bow, _means),
    "snippets": Computation("1", ("tp", "fp", "fn", "tn"), _snippets, _snippet_figures),
    "rouge-n": Computation("1", _PRF, _rouge_n, _means),
    "rouge-lsum": Computation("1", _PRF, _rouge_lsum, _means),
    "levenshtein": Computation("1", ("similarity",), _levenshtein, _means),
    "levenshtein-char": Computation("1", ("similarity",), _levenshtein_char, _means),
    "lcs": Computation("1", _PRF, _lcs, _means),
}
