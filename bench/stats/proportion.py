"""A share of few in many, such as failures, with its exact interval."""

from bench.stats.estimate import ALPHA


def exact_interval(count: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Clopper and Pearson 1934, Biometrika 26:404-413).

    It holds whatever the share is, also where none was seen; it is (0, 1) of nothing.
    """
    from scipy.special import betaincinv  # not at the top: scipy takes its time

    lo = betaincinv(count, of - count + 1, ALPHA / 2) if count else 0.0
    hi = betaincinv(count + 1, of - count, 1 - ALPHA / 2) if count < of else 1.0
    return float(lo), float(hi)
