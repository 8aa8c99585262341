"""How many labelled pages separate two rows that the pages at hand do not tell apart.

docs/statistics.md has the formulas, and how often what they say comes true.
"""

import math
from statistics import NormalDist

import numpy as np

from bench.stats.estimate import ALPHA, MARGIN, POWER, Difference, SampleSize, detectable
from bench.stats.figure import Floats
from bench.stats.paired import TIE

_RATIOS = np.geomspace(1e-2, 1e5, 2000)
"""Numbers of pages that are tried, over those at hand."""


def to_separate(difference: Difference, influences: Floats, comparisons: int) -> SampleSize | None:
    """Return how many pages show a difference four times in five.

    None where it does not matter, or there is too little data to say.

    ``influences`` are those of the pages (sites) on the difference, ``comparisons`` what it is
    corrected for. A difference that was measured is likely to be smaller than it looks or larger,
    and pages for the measured one are too few on average. So the power is averaged over what the
    difference may be (Spiegelhalter and Freedman 1986, Statistics in Medicine 5:1-13): with t the
    difference in standard errors, r times as many pages find it with probability
    Φ((√r |t| - z)/√(1 + r)) + Φ((-√r |t| - z)/√(1 + r)). What shows ``MARGIN`` is always enough.

    The interval is that of the pages which the ends of the difference's own interval ask for. For
    ends below ``MARGIN``, it is those for ``MARGIN`` at the upper limit of the standard deviation
    (Bonett 2006, Computational Statistics & Data Analysis 50:775-782, from its kurtosis).
    """
    value, se, lo, hi = difference.value, difference.se, difference.lo, difference.hi
    if value is None or se is None or lo is None or hi is None:
        return None
    largest, smallest = max(abs(lo), abs(hi)), max(0.0, lo, -hi)
    if largest < MARGIN or se <= TIE:
        return None

    def pages(size: float, se: float = se) -> float:
        return difference.pages * (detectable(se, comparisons) / size) ** 2

    widest = se * math.exp(_spread(influences))
    most = max(pages(MARGIN, widest), pages(largest))
    return SampleSize(
        math.ceil(min(difference.pages * _ratio(abs(value) / se, comparisons), pages(MARGIN))),
        math.ceil(pages(largest)),
        math.ceil(min(most, pages(smallest))) if smallest else math.ceil(most),
    )


def _ratio(t: float, comparisons: int) -> float:
    """Return how many times as many pages find a difference of ``t`` standard errors."""
    from scipy.special import ndtr

    threshold = NormalDist().inv_cdf(1 - ALPHA / comparisons / 2)
    root, wide = np.sqrt(_RATIOS), np.sqrt(1 + _RATIOS)
    power = ndtr((root * t - threshold) / wide) + ndtr((-root * t - threshold) / wide)
    return float(np.interp(POWER, power, _RATIOS))


def _spread(influences: Floats) -> float:
    """Return the logarithm of the standard deviation's upper limit over its estimate."""
    units = len(influences)
    kurtosis = units * (influences**4).sum() / max((influences**2).sum() ** 2, 1e-300)
    variance = max(0.0, kurtosis - (units - 3) / units) / (units - 1)
    return NormalDist().inv_cdf(1 - ALPHA / 2) * math.sqrt(variance) / 2
