"""A figure kept by page is the leaderboard's, and its interval that of Student and Hall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bench.metrics.ngram import Ngram
from bench.stats import figure, paired
from bench.stats.estimate import MIN_PAGES
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


def mean_of(values: np.ndarray) -> Figure:
    return Figure((np.atleast_2d(values),))


# Values


def plain_f1(precision: np.ndarray, recall: np.ndarray) -> float:
    """F1 of a data set as a loop over pages: the harmonic mean of two means."""
    above, pages = [0.0, 0.0], [0, 0]
    for own in zip(precision, recall, strict=True):
        for part, value in enumerate(own):
            if not np.isnan(value):
                above[part] += value
                pages[part] += 1
    p, r = (total / count for total, count in zip(above, pages, strict=True))
    return 2 * p * r / (p + r)


@pytest.mark.parametrize("seed", range(5))
def test_f1_is_that_of_a_plain_loop(seed: int) -> None:
    f1 = some_figures(seed=seed)["f1"]
    expected = [plain_f1(*(part[row] for part in f1.parts)) for row in range(f1.rows)]
    assert f1.values() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in Ngram.figures if name != "f1"])
def test_the_other_figures_are_means_over_pages(name: str) -> None:
    own = some_figures()[name]
    assert own.values() == pytest.approx(np.nanmean(own.by_page, axis=1), abs=1e-12)


def test_a_ratio_of_sums_weighs_pages() -> None:
    found, all_of_them = np.array([[1.0, 3.0, 0.0]]), np.array([[2.0, 4.0, 4.0]])
    own = Figure((found,), weights=(all_of_them,))
    assert own.values() == pytest.approx([0.4])


def test_rows_and_pages_can_be_chosen() -> None:
    f1 = some_figures()["f1"]
    mask = np.arange(40) % 3 == 0
    assert f1.on(mask).pages == 14
    assert f1.take([2, 0]).values() == pytest.approx(f1.values()[[2, 0]])
    weights = mask[None, :].astype(float)
    assert f1.on(mask).values() == pytest.approx(f1.values(weights)[0])


# Standard errors


@pytest.mark.parametrize("name", Ngram.figures)
def test_influences_are_what_leaving_out_a_little_of_a_page_does(name: str) -> None:
    """The infinitesimal jackknife, by numbers: the derivative of the figure by a page's weight."""
    own, step = some_figures()[name], 1e-5
    numeric = np.empty((own.rows, own.pages))
    for page in range(own.pages):
        weights = np.ones((2, own.pages))
        weights[:, page] += (step, -step)
        more, less = own.values(weights)
        numeric[:, page] = (more - less) / (2 * step)
    assert own.influences() == pytest.approx(numeric, rel=1e-6, abs=1e-9)
    errors = np.sqrt((numeric**2).sum(axis=1) * own.pages / (own.pages - 1))
    assert figure.standard_errors(own.influences()) == pytest.approx(errors, rel=1e-6)


@given(st.lists(st.floats(0, 1), min_size=MIN_PAGES, max_size=50))
def test_the_standard_error_of_a_mean_is_the_textbooks(values: list[float]) -> None:
    (own,) = figure.estimates(mean_of(np.array(values)))
    assert own.se == pytest.approx(stats.sem(values), abs=1e-12)


def test_influences_of_each_row_sum_to_nothing() -> None:
    for own in some_figures().values():
        assert own.influences().sum(axis=1) == pytest.approx(np.zeros(own.rows), abs=1e-12)


def test_pages_of_a_site_count_once() -> None:
    """Each page three times, as three pages of its site, adds no evidence."""
    f1 = some_figures()["f1"]
    pages = np.repeat(np.arange(40), 3)
    thrice = Figure(tuple(part[:, pages] for part in f1.parts), f1.by_page[:, pages], sites=pages)
    assert (thrice.units, thrice.pages) == (40, 120)
    for once, again in zip(figure.estimates(f1), figure.estimates(thrice), strict=True):
        assert (again.value, again.se) == pytest.approx((once.value, once.se))
        assert (again.lo, again.hi) == pytest.approx((once.lo, once.hi))
    unknown = Figure(thrice.parts, thrice.scores)
    assert figure.estimates(unknown)[0].se < figure.estimates(f1)[0].se / 1.7


def test_sites_may_come_in_any_order() -> None:
    f1, mixed = some_figures()["f1"], np.random.default_rng(1).permutation(40)
    by_site = Figure(f1.parts, f1.scores, sites=np.arange(40) // 2)
    other = by_site.on(np.ones(40, bool))
    other = Figure(
        tuple(part[:, mixed] for part in f1.parts), f1.by_page[:, mixed], sites=by_site.sites[mixed]
    )
    ours, theirs = (figure.estimates(each)[0] for each in (by_site, other))
    assert (ours.se, ours.lo, ours.hi) == pytest.approx((theirs.se, theirs.lo, theirs.hi))


# Intervals


def test_the_interval_of_values_that_are_not_skewed_is_students() -> None:
    half = np.random.default_rng(2).normal(0, 0.05, 40)
    values = 0.5 + np.concatenate([half, -half])
    (own,) = figure.estimates(mean_of(values))
    theirs = stats.t.interval(0.95, values.size - 1, values.mean(), stats.sem(values))
    assert (own.lo, own.hi) == pytest.approx(theirs)


def test_the_interval_reaches_further_to_the_long_tail() -> None:
    values = 1 - np.random.default_rng(3).exponential(0.1, 60).clip(0, 1)
    (own,) = figure.estimates(mean_of(values))
    assert own.value - own.lo > own.hi - own.value
    (mirrored,) = figure.estimates(mean_of(1 - values))
    assert (mirrored.lo, mirrored.hi) == pytest.approx((1 - own.hi, 1 - own.lo))


def test_halls_transformation_of_the_limits_gives_students_quantiles() -> None:
    influences = np.random.default_rng(4).exponential(1.0, (3, 50))
    influences -= influences.mean(axis=1, keepdims=True)
    errors = figure.standard_errors(influences)
    a = (influences**3).sum(axis=1) / (influences**2).sum(axis=1) ** 1.5
    below, above = figure.skewed_limits(influences)
    quantile = stats.t.ppf(0.975, 49)
    for error, wanted in ((below / errors, quantile), (-above / errors, -quantile)):
        g = error + a * error**2 / 3 + a**2 * error**3 / 27 + a / 6
        assert g == pytest.approx(np.full(3, wanted))


@given(st.lists(st.sampled_from([0.0, 0.5, 0.99, 1.0]), min_size=MIN_PAGES, max_size=60))
def test_an_interval_holds_its_figure_and_stays_within_0_and_1(values: list[float]) -> None:
    (own,) = figure.estimates(mean_of(np.array(values)))
    assert 0 <= own.lo <= own.value + 1e-12
    assert own.value - 1e-12 <= own.hi <= 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [0.0, 0.7, 1.0])
def test_pages_that_all_score_the_same_have_an_interval_of_one_point(value: float) -> None:
    (own,) = figure.estimates(mean_of(np.full(40, value)))
    assert (own.value, own.se, own.lo, own.hi) == pytest.approx((value, 0, value, value))


@pytest.mark.parametrize("pages", [0, 1, MIN_PAGES - 1])
def test_too_few_pages_have_no_interval_rather_than_one_of_zero(pages: int) -> None:
    (own,) = figure.estimates(mean_of(np.full(pages, 0.5)))
    assert own.value == (0.5 if pages else None)
    assert (own.se, own.lo, own.hi, own.margin) == (None, None, None, None)


def test_too_few_sites_have_no_interval() -> None:
    values = np.random.default_rng(5).random((1, 100))
    (own,) = figure.estimates(Figure((values,), sites=np.arange(100) % (MIN_PAGES - 1)))
    assert (own.se, own.lo) == (None, None)
    (own,) = figure.estimates(Figure((values,), sites=np.arange(100) % MIN_PAGES))
    assert own.lo is not None


def test_pages_that_do_not_count_are_no_data() -> None:
    values = np.full((2, 30), np.nan)
    values[0, :4] = 0.5
    few, none = figure.estimates(mean_of(values))
    assert (few.pages, few.value, few.se) == (4, 0.5, None)
    assert (none.pages, none.value, none.se) == (0, None, None)


@pytest.mark.parametrize("by_site", [False, True])
def test_pages_without_gold_are_no_evidence(by_site: bool) -> None:
    values = np.random.default_rng(6).random((2, 12))
    sites = np.arange(24) // 2 if by_site else None
    labelled = Figure((values,), sites=None if sites is None else sites[:12])
    mixed = Figure((np.hstack([values, np.full((2, 12), np.nan)]),), sites=sites)
    assert labelled.units == mixed.units == (6 if by_site else 12)
    assert figure.estimates(mixed) == figure.estimates(labelled)
    assert paired.compare(mixed) == paired.compare(labelled)


def test_refuses_arrays_that_do_not_fit() -> None:
    one = np.zeros((2, 3))
    with pytest.raises(ValueError, match="scores of its own"):
        Figure((one, one))
    with pytest.raises(ValueError, match="same rows and pages"):
        Figure((one, np.zeros((2, 4))), one)
    with pytest.raises(ValueError, match="one or two parts"):
        Figure((), one)
