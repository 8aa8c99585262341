"""The bootstrap over pages (Efron 1979), for what has no simple variance: rank correlations.

A resample is how often each page was drawn, so that every figure that is a weighted mean over
pages is one matrix product for all rows and resamples at once, and all rows see the same draws.
"""

from functools import lru_cache

import numpy as np

from bench.stats.estimate import ALPHA
from bench.stats.figure import Floats

RESAMPLES = 1000
SEED = 20200101


@lru_cache(maxsize=4)
def weights(pages: int) -> Floats:
    """Return how often each page is drawn: shape (RESAMPLES, pages); rows sum to ``pages``."""
    if pages == 0:
        return np.zeros((RESAMPLES, 0))
    generator = np.random.default_rng(SEED)
    drawn = generator.multinomial(pages, np.full(pages, 1.0 / pages), size=RESAMPLES)
    return drawn.astype(np.float64)


def interval(draws: Floats) -> tuple[float, float]:
    """Return the percentile interval of a figure's values over resamples."""
    lo, hi = np.quantile(draws, [ALPHA / 2, 1.0 - ALPHA / 2])
    return float(lo), float(hi)
