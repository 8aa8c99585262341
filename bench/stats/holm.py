"""Holm's step-down correction (Holm 1979, Scandinavian Journal of Statistics 6:65-70).

The chance of even one false alarm among all comparisons stays at the level, whatever their
dependence; it finds everything that Bonferroni's correction finds, and more.
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def adjust(p_values: npt.ArrayLike) -> Floats:
    """Return adjusted p-values in the order given: below the level is significant.

    The i-th smallest of m is multiplied by m - i + 1, is at least the one before it, at most 1.
    A NaN is a comparison that could not be made: it stays NaN and does not count among the m.
    """
    p = np.asarray(p_values, np.float64)
    adjusted = np.full(p.shape, np.nan)
    (known,) = np.nonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    factors = np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return adjusted
