"""Spearman's rank correlation with its interval, over pages (or sites) and over few rows.

With ranks as F(x) = P(X < x) + P(X = x)/2, so that ties share the mean of their places, the
correlation is that of the ranks. A page's influence on it counts that it moves the ranks of all others
(Croux and Dehon 2010, "Influence functions of the Spearman and Kendall correlation measures",
Statistical Methods and Applications 19:497-515; here with ties).
"""

from statistics import NormalDist

import numpy as np

from bench.stats.estimate import ALPHA
from bench.stats.figure import Floats

_FEWEST = 4
"""Items from which on an interval of few exists."""


def of_rows(first: Floats, second: Floats) -> Floats:
    """Return the rank correlation of each row of two arrays, NaN where one is constant."""
    u, v = _ranks(first), _ranks(second)
    spread = np.sqrt((u * u).sum(axis=1) * (v * v).sum(axis=1))
    together = (u * v).sum(axis=1)
    unknown: Floats = np.full(len(u), np.nan)
    ratio: Floats = np.divide(together, spread, out=unknown, where=spread > 0)
    return ratio


def spearman(x: Floats, y: Floats) -> tuple[float, Floats]:
    """Return the rank correlation of two values of the same items, and each item's influence on it.

    Shape (items,) each. The influences sum to 0, and their squares to the correlation's variance;
    NaN and zeros where one of the two is constant.
    """
    (u,), (v,) = _ranks(x[None]), _ranks(y[None])
    both, of_x, of_y = float((u * v).mean()), float((u * u).mean()), float((v * v).mean())
    if not of_x * of_y > 0:
        return float("nan"), np.zeros(len(u))
    value = both / (of_x * of_y) ** 0.5
    pull = u * v + _above(x, v) + _above(y, u) - 3 * both
    pull_x = u * u + 2 * _above(x, u) - 3 * of_x
    pull_y = v * v + 2 * _above(y, v) - 3 * of_y
    influence = pull / (of_x * of_y) ** 0.5 - value / 2 * (pull_x / of_x + pull_y / of_y)
    return value, influence / len(u)


def interval_of_few(value: float, items: int) -> tuple[float, float] | None:
    """Return the 95 % interval of a rank correlation of few items; None of fewer than four.

    Fisher's transformation with the variance (1 + r²/2)/(n - 3): Bonett and Wright (2000), "Sample
    size requirements for estimating Pearson, Kendall and Spearman correlations", Psychometrika
    65:23-28.
    """
    if items < _FEWEST or np.isnan(value):
        return None
    reach = NormalDist().inv_cdf(1 - ALPHA / 2) * ((1 + value**2 / 2) / (items - 3)) ** 0.5
    middle = np.arctanh(np.clip(value, -1 + 1e-9, 1 - 1e-9))
    return min(value, float(np.tanh(middle - reach))), max(value, float(np.tanh(middle + reach)))


def _ranks(values: Floats) -> Floats:
    """Return each value's rank in its row from -0.5 to 0.5, ties sharing theirs; the mean is 0.

    A row with a NaN has NaN alone.
    """
    ranks = np.full(values.shape, np.nan)
    for row in np.flatnonzero(~np.isnan(values).any(axis=1)):
        _, place, count = np.unique(values[row], return_inverse=True, return_counts=True)
        ranks[row] = ((np.cumsum(count) - count / 2) / len(place) - 0.5)[place]
    return ranks


def _above(values: Floats, weights: Floats) -> Floats:
    """Return for each value the mean of the weights of those above it, of its equals half."""
    _, places = np.unique(values, return_inverse=True)
    sums = np.bincount(places, weights)
    above = sums.sum() - np.cumsum(sums)
    return np.asarray((above + sums / 2)[places] / len(values), np.float64)
