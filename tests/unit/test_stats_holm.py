"""Holm's correction: what its definition says, for any p-values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.stats import holm

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def rejected(p_values: list[float], alpha: float) -> set[int]:
    """Holm 1979 as he puts it: go up from the smallest, stop at the first that is not rejected."""
    found = set()
    for step, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[at] * (len(p_values) - step) >= alpha:
            break
        found.add(at)
    return found


def test_an_example_worked_by_hand() -> None:
    assert holm.adjust([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(P_VALUES, st.floats(0.001, 0.5))
def test_rejects_what_holm_rejects(p_values: list[float], alpha: float) -> None:
    adjusted = holm.adjust(p_values)
    assert {int(at) for at in np.nonzero(adjusted < alpha)[0]} == rejected(p_values, alpha)


@given(P_VALUES)
def test_never_smaller_never_out_of_order_never_over_one(p_values: list[float]) -> None:
    adjusted = holm.adjust(p_values)
    assert np.all(adjusted >= np.array(p_values))
    assert np.all(adjusted <= 1)
    order = np.argsort(p_values, kind="stable")
    assert np.all(np.diff(adjusted[order]) >= 0)
    assert np.all(adjusted <= np.minimum(np.array(p_values) * len(p_values), 1))  # Bonferroni


@given(P_VALUES)
def test_the_order_does_not_matter(p_values: list[float]) -> None:
    order = np.random.default_rng(len(p_values)).permutation(len(p_values))
    assert np.array_equal(holm.adjust(np.array(p_values)[order]), holm.adjust(p_values)[order])


@given(P_VALUES)
def test_what_could_not_be_compared_is_no_comparison(p_values: list[float]) -> None:
    adjusted = holm.adjust([np.nan, *p_values, np.nan])
    assert np.isnan(adjusted[[0, -1]]).all()
    assert np.array_equal(adjusted[1:-1], holm.adjust(p_values))


def test_no_comparison_at_all() -> None:
    assert holm.adjust([]).size == 0
