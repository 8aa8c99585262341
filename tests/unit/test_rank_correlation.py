"""Spearman's correlation: compared with scipy's, its influences with leaving items out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from bench.stats.figure import skewed_limits
from bench.stats.rank_correlation import interval_of_few, spearman

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=40)


@given(PAIRS)
def test_the_value_is_scipys_and_the_influences_sum_to_nothing(
    pairs: list[tuple[int, int]],
) -> None:
    x, y = np.array(pairs, float).T
    value, influences = spearman(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(value)
        assert not influences.any()
        return
    assert value == pytest.approx(spearmanr(x, y).statistic)
    assert influences.sum() == pytest.approx(0, abs=1e-9)
    assert spearman(y, x)[1] == pytest.approx(influences)


@pytest.mark.parametrize("ties", [False, True])
def test_influences_are_what_leaving_an_item_out_does(ties: bool) -> None:
    random = np.random.default_rng(5)
    x = random.normal(size=400)
    y = x + random.normal(size=400)
    if ties:
        x, y = np.round(x), np.maximum(y, 0)
    value, influences = spearman(x, y)
    without = [spearman(np.delete(x, at), np.delete(y, at))[0] for at in range(len(x))]
    assert influences == pytest.approx(value - np.array(without), abs=5e-5)


def test_intervals_hold_the_true_value_as_often_as_they_say() -> None:
    random = np.random.default_rng(6)
    whole = random.normal(size=200_000)
    true = spearmanr(whole, whole + random.normal(size=len(whole))).statistic
    held = 0
    for _ in range(400):
        x = random.normal(size=100)
        value, influences = spearman(x, x + random.normal(size=100))
        below, above = skewed_limits(influences[None])
        held += value - below[0] <= true <= value + above[0]
    assert 0.91 <= held / 400 <= 0.98


def test_an_interval_of_few_by_hand() -> None:
    """r = 0.6 of 10: the error of Fisher's z is the root of (1 + 0.18)/7."""
    lo, hi = interval_of_few(0.6, 10) or (0.0, 0.0)
    reach = 1.959964 * (1.18 / 7) ** 0.5
    assert (lo, hi) == pytest.approx(
        (np.tanh(np.arctanh(0.6) - reach), np.tanh(np.arctanh(0.6) + reach))
    )
    assert interval_of_few(0.6, 3) is None
    assert interval_of_few(float("nan"), 10) is None
    assert interval_of_few(1.0, 10) == pytest.approx((1, 1), abs=1e-3)
