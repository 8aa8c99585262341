"""With/without snippets: counts and figures as trafilatura's ``tests/eval_common.py`` (e90b0ef).

A ``with`` snippet found in the text is a true positive, one not found a false negative; a
``without`` snippet found is a false positive, one not found a true negative. Runs of white space
count as one space. Counts are summed over all pages before precision, recall, accuracy and F1 are
taken, each 0 where its denominator is; a failed cell is the empty text, which finds nothing.

Barbaresi (2021), "Trafilatura: A Web Scraping Library and Command-Line Tool for Text Discovery
and Extraction", ACL, https://doi.org/10.18653/v1/2021.acl-demo.15.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

NAME = "snippets"


class Counts(NamedTuple):
    """Snippets of one page, or of many."""

    tp: int
    fp: int
    fn: int
    tn: int


class Figures(NamedTuple):
    """Figures over snippets, each from 0 to 1, more is better."""

    precision: float
    recall: float
    accuracy: float
    f1: float


class GoldSnippets:
    """A page's snippets, prepared once for any number of extractions."""

    def __init__(self, with_snippets: Sequence[str], without_snippets: Sequence[str]) -> None:
        self._with = [_normal(each) for each in with_snippets]
        self._without = [_normal(each) for each in without_snippets]

    def score(self, text: str) -> Counts:
        """Return the counts of an extracted text."""
        found = _normal(text)
        tp = sum(each in found for each in self._with) if found else 0
        fp = sum(each in found for each in self._without) if found else 0
        return Counts(tp, fp, len(self._with) - tp, len(self._without) - fp)


def total(pages: Iterable[Counts]) -> Counts:
    """Return the sums of the counts of pages."""
    sums = [0, 0, 0, 0]
    for counts in pages:
        sums = [a + b for a, b in zip(sums, counts, strict=True)]
    return Counts(*sums)


def figures(counts: Counts) -> Figures:
    """Return the figures of counts."""
    tp, fp, fn, tn = counts
    return Figures(
        precision=_share(tp, tp + fp),
        recall=_share(tp, tp + fn),
        accuracy=_share(tp + tn, tp + fp + fn + tn),
        f1=_share(2 * tp, 2 * tp + fp + fn),
    )


def _normal(text: str) -> str:
    return " ".join(text.split())


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
