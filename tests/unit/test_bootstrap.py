"""The bootstrap: seeded, honest, and what SciPy's is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bench.metrics.ngram import Ngram
from bench.stats import bootstrap
from bench.stats.bootstrap import Bootstrap

AEB_PAGES = 181


def draws_of_mean(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    return Bootstrap(resamples, seed).weights(values.size) @ values / values.size


def test_the_same_seed_the_same_draws() -> None:
    assert np.array_equal(Bootstrap(20, 3).weights(50), Bootstrap(20, 3).weights(50))
    assert not np.array_equal(Bootstrap(20, 3).weights(50), Bootstrap(20, 4).weights(50))
    assert Bootstrap().weights(50).shape == (1000, 50)


@pytest.mark.parametrize("pages", [1, 2, AEB_PAGES])
def test_each_resample_is_as_large_as_the_data_set(pages: int) -> None:
    weights = Bootstrap(500, 1).weights(pages)
    assert np.all(weights.sum(axis=1) == pages)
    assert np.all(weights >= 0)
    assert np.all(weights == np.round(weights))


def test_each_page_is_drawn_as_often_as_any_other() -> None:
    weights = Bootstrap(20_000, 5).weights(10)
    # Binomial(10, 1/10): mean 1, standard deviation √0.9; five standard errors.
    assert np.abs(weights.mean(axis=0) - 1).max() < 5 * np.sqrt(0.9 / 20_000)
    assert weights.var() == pytest.approx(0.9, rel=0.02)


def test_agrees_with_scipy() -> None:
    values = np.random.default_rng(11).beta(4, 1, AEB_PAGES)
    ours = bootstrap.interval(draws_of_mean(values, 20_000, 2))
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(9)
    )
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours.lo == pytest.approx(theirs.confidence_interval.low, abs=0.03 * width)
    assert ours.hi == pytest.approx(theirs.confidence_interval.high, abs=0.03 * width)
    assert ours.std == pytest.approx(theirs.standard_error, rel=0.03)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """Coverage of the mean, by simulation: 95 % within 93 to 97 %."""
    generator, truth, trials, held = np.random.default_rng(42), 0.8, 1000, 0
    weights = Bootstrap(1000, 1).weights(AEB_PAGES) / AEB_PAGES
    samples = generator.beta(4, 1, (trials, AEB_PAGES))
    for draws in samples @ weights.T:
        interval = bootstrap.interval(draws)
        held += interval.lo <= truth <= interval.hi
    assert 0.93 <= held / trials <= 0.97


def test_a_constant_has_no_spread() -> None:
    interval = bootstrap.interval(draws_of_mean(np.full(30, 0.5), 100, 1))
    assert interval.std == pytest.approx(0.0, abs=1e-12)
    assert interval.lo == pytest.approx(0.5)
    assert interval.hi == pytest.approx(0.5)


def test_a_higher_level_is_wider() -> None:
    draws = draws_of_mean(np.random.default_rng(3).random(60), 4000, 1)
    half, most = bootstrap.interval(draws, 0.5), bootstrap.interval(draws, 0.99)
    assert most.lo < half.lo < half.hi < most.hi
    assert half.std == most.std


def test_resampling_a_figure_is_scoring_the_resampled_pages() -> None:
    """F1 of a resample comes from that resample's own means, with its own pages outside them."""
    generator = np.random.default_rng(8)
    shares = generator.dirichlet((3, 1, 1), (2, 25)).transpose(2, 0, 1)
    shares[:, :, ::5] = np.array([0.0, 0.0, 1.0])[:, None, None]  # pages without output
    columns = dict(zip(Ngram.columns, [*shares, np.zeros((2, 25))], strict=True))
    no = np.zeros((2, 25), bool)
    weights = Bootstrap(40, 6).weights(25)
    figures = Ngram().fold(columns, no)
    values = {name: figure.values(weights) for name, figure in figures.items()}
    for at, drawn in enumerate(weights.astype(int)):
        again = {name: np.repeat(own, drawn, axis=1) for name, own in columns.items()}
        for name, figure in Ngram().fold(again, np.repeat(no, drawn, axis=1)).items():
            assert values[name][at] == pytest.approx(figure.values(), abs=1e-12), name
