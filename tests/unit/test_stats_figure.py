"""A figure kept by page is the leaderboard's figure."""

from __future__ import annotations

import numpy as np
import pytest

from bench.metrics.ngram import Ngram
from bench.stats import bootstrap, figure
from bench.stats.bootstrap import Bootstrap
from bench.stats.figure import Figure


def some_figures(rows: int = 4, pages: int = 40, seed: int = 3) -> dict[str, Figure]:
    """Figures of pages, among them pages without output and failed cells."""
    generator = np.random.default_rng(seed)
    shares = generator.dirichlet((6, 1, 1), (rows, pages)).transpose(2, 0, 1).copy()
    silent = generator.random((rows, pages)) < 0.15
    for share, then in zip(shares, (0.0, 0.0, 1.0), strict=True):
        share[silent] = then
    failed = silent & (generator.random((rows, pages)) < 0.5)
    columns = dict(zip(Ngram.columns, [*shares, np.zeros((rows, pages))], strict=True))
    return Ngram().fold(columns, failed)


@pytest.mark.parametrize("name", Ngram.figures)
def test_values_are_means_and_f1_is_of_the_means(name: str) -> None:
    figures = some_figures()
    precision, recall = (np.nanmean(figures[own].scores, axis=1) for own in ("precision", "recall"))
    expected = 2 * precision * recall / (precision + recall)
    if name != "f1":
        expected = np.nanmean(figures[name].scores, axis=1)
    assert figures[name].values() == pytest.approx(expected, abs=1e-12)


def test_estimates_have_the_interval_of_the_draws() -> None:
    f1 = some_figures()["f1"]
    draws = f1.values(Bootstrap().weights(40))
    for row, found in enumerate(figure.estimates(f1)):
        assert (found.std, found.lo, found.hi) == pytest.approx(bootstrap.interval(draws[:, row]))
        assert found.enough


def test_rows_and_pages_can_be_chosen() -> None:
    f1 = some_figures()["f1"]
    mask = np.arange(40) % 3 == 0
    assert f1.on(mask).pages == 14
    assert f1.take([2, 0]).values() == pytest.approx(f1.values()[[2, 0]])
    weights = mask[None, :].astype(float)
    assert f1.on(mask).values() == pytest.approx(f1.values(weights)[0])


@pytest.mark.parametrize("pages", [0, 1, figure.MIN_PAGES - 1])
def test_too_few_pages_have_no_interval_rather_than_one_of_zero(pages: int) -> None:
    (found,) = figure.estimates(Figure((np.full((1, pages), 0.5),)))
    assert found.value == (0.5 if pages else None)
    assert (found.std, found.lo, found.hi) == (None, None, None)
    assert not found.enough


def test_pages_that_do_not_count_are_no_data() -> None:
    values = np.full((2, 30), np.nan)
    values[0, :4] = 0.5
    few, none = figure.estimates(Figure((values,)))
    assert (few.pages, few.value, few.enough) == (4, 0.5, False)
    assert (none.pages, none.value, none.enough) == (0, None, False)


def test_refuses_arrays_that_do_not_fit() -> None:
    one = np.zeros((2, 3))
    with pytest.raises(ValueError, match="scores of its own"):
        Figure((one, one))
    with pytest.raises(ValueError, match="same rows and pages"):
        Figure((one, np.zeros((2, 4))), one)
    with pytest.raises(ValueError, match="one or two parts"):
        Figure((), one)
