"""The bootstrap over pages (Efron 1979): draw pages with replacement, look how a figure moves.

A resample is how often each page was drawn, so that every figure that is a weighted mean over
pages is one matrix product for all rows and resamples at once, and all rows see the same draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

LEVEL = 0.95
"""Of every interval."""


@dataclass(frozen=True)
class Bootstrap:
    """How often pages are drawn, and from which seed."""

    resamples: int = 1000
    seed: int = 20200101

    def weights(self, pages: int) -> Floats:
        """Return how often each page is drawn: shape (resamples, pages); rows sum to ``pages``.

        It cannot be written to: every figure over as many pages gets the same array.
        """
        return _weights(pages, self.resamples, self.seed)


class Interval(NamedTuple):
    """A figure's standard deviation and percentile interval; NaN where there is too little data."""

    std: float
    lo: float
    hi: float


@lru_cache(maxsize=4)
def _weights(pages: int, resamples: int, seed: int) -> Floats:
    import numpy as np  # not for the command line, which takes its defaults from here

    if pages == 0:
        return np.zeros((resamples, 0))
    generator = np.random.default_rng(seed)
    even = np.full(pages, 1.0 / pages)
    drawn = generator.multinomial(pages, even, size=resamples).astype(np.float64)
    drawn.flags.writeable = False
    return drawn


def interval(draws: Floats, level: float = LEVEL) -> Interval:
    """Return standard deviation and percentile interval of a figure's values over resamples."""
    import numpy as np

    tail = (1.0 - level) / 2.0
    lo, hi = np.quantile(draws, [tail, 1.0 - tail])
    return Interval(float(np.std(draws, ddof=1)), float(lo), float(hi))
