"""From counts per page to the figures of a data set, vectorised over rows and resamples.

precision = mean TP/(TP+FP) over pages with TP+FP > 0, recall = mean TP/(TP+FN) over pages with
TP+FN > 0, F1 = 2PR/(P+R) of those two means, accuracy = mean TP/(TP+FP+FN) (1 where both texts
are empty), exact = mean of equal token lists: AEB's ``evaluate.py``, revision 4a3bc97, and the
thesis. Page F1 = mean over all pages of each page's F1, where a failed cell counts 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

NAMES = ("precision", "recall", "f1", "accuracy", "exact", "page_f1")


@dataclass(frozen=True)
class PageCounts:
    """Counts of many rows on the same pages: arrays of shape (rows, pages)."""

    tp: Floats
    fp: Floats
    fn: Floats
    exact: Flags
    failed: Flags
    """Cells that gave no answer (error, timeout, oom, crash)."""


@dataclass(frozen=True)
class PageFigures:
    """Figures of each cell, shape (rows, pages); NaN where the page leaves the mean."""

    precision: Floats
    recall: Floats
    accuracy: Floats
    exact: Floats
    page_f1: Floats


def per_page(counts: PageCounts) -> PageFigures:
    """Return the figures of each page: DESIGN's table, with NaN for pages outside a mean.

    Counts that are NaN (the page has no gold text) make every figure NaN.
    """
    tp, fp, fn = counts.tp, counts.fp, counts.fn
    nothing = (tp + fp + fn) == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(tp + fp > 0, tp / (tp + fp), np.nan)
        recall = np.where(tp + fn > 0, tp / (tp + fn), np.nan)
        accuracy = np.where(nothing, 1.0, tp / (tp + fp + fn))
        f1 = np.where(nothing, 1.0, 2 * tp / (2 * tp + fp + fn))
    answered = ~counts.failed | np.isnan(tp)
    exact = np.where(np.isnan(tp), np.nan, counts.exact.astype(np.float64))
    return PageFigures(
        precision=precision,
        recall=recall,
        accuracy=np.where(answered, accuracy, 0.0),
        exact=np.where(answered, exact, 0.0),
        page_f1=np.where(answered, f1, 0.0),
    )


def of_data_set(pages: PageFigures, weights: Floats | None = None) -> dict[str, Floats]:
    """Return each figure over the pages.

    Without ``weights`` arrays of shape (rows,). With ``weights`` of shape (resamples, pages), how
    often each page was drawn: shape (resamples, rows). A mean over no page is 0, as in AEB.
    """
    if weights is None:
        weights = np.ones((1, pages.accuracy.shape[1]))
        return {name: values[0] for name, values in of_data_set(pages, weights).items()}
    precision = _weighted_mean(pages.precision, weights)
    recall = _weighted_mean(pages.recall, weights)
    total = precision + recall
    f1 = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
    return {
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "accuracy": _weighted_mean(pages.accuracy, weights),
        "exact": _weighted_mean(pages.exact, weights),
        "page_f1": _weighted_mean(pages.page_f1, weights),
    }


def _weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Return (resamples, rows) means of (rows, pages) values that are not NaN."""
    counted = ~np.isnan(values)
    sums = weights @ np.where(counted, values, 0.0).T
    sizes = weights @ counted.T.astype(np.float64)
    means: Floats = np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0)
    return means
