"""How many pages separate two rows: in the right order, for what matters, as the theory has it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.stats import paired, sample_size
from bench.stats.estimate import MARGIN, SampleSize, detectable
from bench.stats.figure import Figure


def pair(apart: float, spread: float = 0.1, pages: int = 60) -> Figure:
    """Return two rows that lie exactly so far apart, with noise of this size between them."""
    noise = np.random.default_rng(1).normal(0, 1, pages)
    noise = (noise - noise.mean()) / noise.std() * spread
    return Figure((np.stack([np.full(pages, 0.5) + apart + noise, np.full(pages, 0.5)]),))


def sizes(figure: Figure, comparisons: int = 1) -> SampleSize | None:
    one, other = figure.influences()
    return sample_size.to_separate(paired.compare(figure), one - other, comparisons)


@given(
    st.floats(0.0, 0.03),
    st.floats(0.05, 0.3),
    st.integers(20, 300),
    st.integers(1, 12),
)
def test_the_estimate_lies_in_its_interval(
    apart: float, spread: float, pages: int, comparisons: int
) -> None:
    figure = pair(apart, spread, pages)
    size = sizes(figure, comparisons)
    difference = paired.compare(figure)
    if size is None:
        assert max(abs(difference.lo or 0), abs(difference.hi or 0)) < MARGIN
    elif difference.p is not None and difference.p > 0.05 / comparisons:
        assert size.lo <= size.pages <= size.hi


def test_more_comparisons_and_smaller_differences_need_more_pages() -> None:
    def pages(apart: float, comparisons: int) -> int:
        size = sizes(pair(apart), comparisons)
        assert size is not None
        return size.pages

    assert pages(0.02, 1) < pages(0.02, 4) < pages(0.02, 9)
    assert pages(0.025, 1) < pages(0.02, 1) < pages(0.015, 1)


def test_more_than_the_pages_for_the_measured_difference_are_advised() -> None:
    # Half of what is measured lies too high: pages for it would find the difference too seldom.
    figure = pair(0.02, 0.1)
    size, difference = sizes(figure), paired.compare(figure)
    assert size is not None
    assert difference.se is not None
    plain = 60 * (detectable(difference.se) / 0.02) ** 2
    assert plain < size.pages
    assert size.lo < plain


def test_the_margin_is_the_most_that_is_asked_for() -> None:
    figure = pair(0.0, 0.1)
    size, difference = sizes(figure), paired.compare(figure)
    assert size is not None
    assert difference.se is not None
    # A spread of ten points and a difference of one: (2.8 * 10)², and the sample's variance.
    assert size.pages == math.ceil(60 * (detectable(difference.se) / MARGIN) ** 2)
    assert size.pages == pytest.approx(28.02**2 * 60 / 59, rel=0.01)


@pytest.mark.parametrize("pages", [20, 400])
def test_rows_that_are_surely_close_need_none(pages: int) -> None:
    assert sizes(pair(0.002, 0.003, pages)) is None
    assert sizes(pair(0.0, 0.0, pages)) is None


def test_of_few_pages_nothing_is_said() -> None:
    assert sizes(pair(0.02, pages=19)) is None


def test_the_power_that_is_averaged_is_that_of_fresh_pages() -> None:
    # The formula against its integral: a difference drawn around the measured one, pages around it.
    generator = np.random.default_rng(5)
    ratio = sample_size._ratio(1.5, 3)
    true = generator.normal(1.5, 1.0, 200_000)
    drawn = generator.normal(true * np.sqrt(ratio), 1.0)
    threshold = detectable(1.0, 3) - detectable(1.0, 1) + 1.959964
    assert np.mean(np.abs(drawn) > threshold) == pytest.approx(0.8, abs=0.005)
