"""Draws of pages for rank correlations: the same each time, honest, and SciPy's interval."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bench.stats import bootstrap

AEB_PAGES = 181


def test_draws_are_the_same_each_time() -> None:
    first = bootstrap.weights(50).copy()
    bootstrap.weights.cache_clear()
    assert np.array_equal(first, bootstrap.weights(50))
    assert bootstrap.weights(0).shape == (bootstrap.RESAMPLES, 0)


@pytest.mark.parametrize("pages", [1, 2, AEB_PAGES])
def test_each_resample_is_as_large_as_the_data_set(pages: int) -> None:
    weights = bootstrap.weights(pages)
    assert weights.shape == (bootstrap.RESAMPLES, pages)
    assert np.all(weights.sum(axis=1) == pages)
    assert np.all(weights >= 0)
    assert np.all(weights == np.round(weights))


def test_agrees_with_scipy() -> None:
    values = np.random.default_rng(11).beta(4, 1, AEB_PAGES)
    lo, hi = bootstrap.interval(bootstrap.weights(AEB_PAGES) @ values / AEB_PAGES)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(9)
    )
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert lo == pytest.approx(theirs.confidence_interval.low, abs=0.08 * width)
    assert hi == pytest.approx(theirs.confidence_interval.high, abs=0.08 * width)
