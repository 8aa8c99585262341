"""A figure kept by page is the leaderboard's figure."""

from __future__ import annotations

import numpy as np
import pytest

from bench.metrics import figures
from bench.metrics.figures import PageCounts, PageFigures
from bench.stats import bootstrap, paged
from bench.stats.bootstrap import Bootstrap
from bench.stats.paged import Paged


def some_pages(rows: int = 4, pages: int = 40, seed: int = 3) -> PageFigures:
    """Figures of pages, among them pages without output and failed cells."""
    generator = np.random.default_rng(seed)
    shares = generator.dirichlet((6, 1, 1), (rows, pages)).transpose(2, 0, 1).copy()
    silent = generator.random((rows, pages)) < 0.15
    for share, then in zip(shares, (0.0, 0.0, 1.0), strict=True):
        share[silent] = then
    failed = silent & (generator.random((rows, pages)) < 0.5)
    return figures.per_page(PageCounts(*shares, np.zeros_like(failed), failed))


def paged_of(pages: PageFigures, name: str) -> Paged:
    if name == "f1":
        return Paged((pages.precision, pages.recall), pages.page_f1)
    return Paged((getattr(pages, name),))


@pytest.mark.parametrize("name", figures.NAMES)
def test_values_are_those_of_the_leaderboard(name: str) -> None:
    pages = some_pages()
    figure = paged_of(pages, name)
    assert figure.values() == pytest.approx(figures.of_data_set(pages)[name], abs=1e-12)
    weights = Bootstrap(50, 2).weights(40)
    expected = figures.of_data_set(pages, weights)[name]
    assert figure.values(weights) == pytest.approx(expected, abs=1e-12)


def test_estimates_are_those_of_the_leaderboard() -> None:
    pages = some_pages()
    draws = figures.of_data_set(pages, Bootstrap().weights(40))["f1"]
    for row, found in enumerate(paged.estimates(paged_of(pages, "f1"))):
        assert (found.std, found.lo, found.hi) == pytest.approx(bootstrap.interval(draws[:, row]))
        assert found.enough


def test_rows_and_pages_can_be_chosen() -> None:
    figure = paged_of(some_pages(), "f1")
    mask = np.arange(40) % 3 == 0
    assert figure.on(mask).pages == 14
    assert figure.take([2, 0]).values() == pytest.approx(figure.values()[[2, 0]])
    weights = mask[None, :].astype(float)
    assert figure.on(mask).values() == pytest.approx(figure.values(weights)[0])


@pytest.mark.parametrize("pages", [0, 1, paged.MIN_PAGES - 1])
def test_too_few_pages_have_no_interval_rather_than_one_of_zero(pages: int) -> None:
    (found,) = paged.estimates(Paged((np.full((1, pages), 0.5),)))
    assert found.value == (0.5 if pages else None)
    assert (found.std, found.lo, found.hi) == (None, None, None)
    assert not found.enough


def test_pages_that_do_not_count_are_no_data() -> None:
    values = np.full((2, 30), np.nan)
    values[0, :4] = 0.5
    few, none = paged.estimates(Paged((values,)))
    assert (few.pages, few.value, few.enough) == (4, 0.5, False)
    assert (none.pages, none.value, none.enough) == (0, None, False)


def test_refuses_arrays_that_do_not_fit() -> None:
    one = np.zeros((2, 3))
    with pytest.raises(ValueError, match="scores of its own"):
        Paged((one, one))
    with pytest.raises(ValueError, match="same rows and pages"):
        Paged((one, np.zeros((2, 4))), one)
    with pytest.raises(ValueError, match="one or two parts"):
        Paged((), one)
