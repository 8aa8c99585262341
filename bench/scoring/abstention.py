"""Pages whose gold says that they have no main content: which rows rightly return nothing there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.datasets.catalogue import DataSet
from bench.metrics.texts.tokens import tokenize
from bench.model import Outcome
from bench.stats.estimate import ALPHA, Estimate

if TYPE_CHECKING:
    from bench.scoring.scores import Scores

TextsOf = Callable[[str, Sequence[str]], Sequence[str]]
"""Returns what a row returned for some pages; nothing where the run's texts are elsewhere."""


@dataclass(frozen=True)
class Abstention:
    """What a row does on pages without main content, and how it scores on the others."""

    pages: int
    share: float
    """Of these pages, those on which it returned nothing; a failure is no such answer."""
    lo: float
    """The 95 % interval of that share: Jeffreys' (Brown, Cai and DasGupta 2001, Statistical Science
    16:101-133)."""
    hi: float
    words: float | None
    """Mean words of what it returned on the others; None where it returned nothing on all,
    or the run's texts are elsewhere."""
    elsewhere: Estimate
    """The figure that ranks, on the pages that have main content."""


def of_rows(scores: Scores, data_set: DataSet, texts: TextsOf) -> dict[str, Abstention]:
    """Return what each row does; nothing where every page has main content."""
    # Not at the top: what was computed before is read back without these.
    import numpy as np
    from scipy.special import betaincinv

    from bench.stats.figure import estimates

    empty = np.array([data_set.stated[page].gold_words == 0 for page in scores.pages], bool)
    if not empty.any():
        return {}
    pages = [page for page, is_empty in zip(scores.pages, empty, strict=True) if is_empty]
    outcomes = scores.outcomes[:, empty]
    silent = (outcomes == Outcome.EMPTY.value).sum(axis=1)
    ends = np.array([[ALPHA / 2], [1 - ALPHA / 2]])
    limits = betaincinv(silent + 0.5, len(pages) - silent + 0.5, ends)
    elsewhere = estimates(scores.main.on(~empty))
    abstentions = {}
    for at, row in enumerate(scores.rows):
        alarms = [
            page
            for page, outcome in zip(pages, outcomes[at], strict=True)
            if outcome == Outcome.OK.value
        ]
        counts = [len(tokenize(text)) for text in texts(row, alarms)]
        abstentions[row] = Abstention(
            pages=len(pages),
            share=float(silent[at] / len(pages)),
            lo=float(limits[0, at]) if silent[at] else 0.0,
            hi=float(limits[1, at]) if silent[at] < len(pages) else 1.0,
            words=sum(counts) / len(counts) if counts else None,
            elsewhere=elsewhere[at],
        )
    return abstentions
