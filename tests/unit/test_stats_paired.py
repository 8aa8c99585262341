"""Differences on the same pages: SciPy's where SciPy has them, and no false zeros."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from bench.stats import allpairs, bootstrap, holm, paired
from bench.stats.bootstrap import Bootstrap
from bench.stats.figure import MIN_PAGES, Figure
from bench.stats.paired import Difference

SHARES = st.floats(0, 1, allow_nan=False).map(lambda x: round(x, 3))


def composite(precision: np.ndarray, recall: np.ndarray) -> Figure:
    total = precision + recall
    page_f1 = np.where(total > 0, 2 * precision * recall / np.where(total > 0, total, 1), 0)
    return Figure((precision, recall), np.nan_to_num(page_f1))


def some_systems(rows: int, pages: int, seed: int, silent: float = 0.1) -> Figure:
    generator = np.random.default_rng(seed)
    precision, recall = generator.beta(6, 1, (2, rows, pages))
    none = generator.random((rows, pages)) < silent
    return composite(np.where(none, np.nan, precision), np.where(none, 0.0, recall))


@st.composite
def small(draw: st.DrawFn) -> Figure:
    """Three systems on so few pages that p is exact."""
    shape = (3, draw(st.integers(MIN_PAGES, 9)))
    precision, recall = (draw(hnp.arrays(np.float64, shape, elements=SHARES)) for _ in "pr")
    return composite(np.where(recall == 0, np.nan, precision), recall)


# Against SciPy


@pytest.mark.parametrize("pages", [6, 9])
def test_exact_p_values_are_scipys(pages: int) -> None:
    x, y = np.random.default_rng(pages).beta(4, 1, (2, pages))
    theirs = stats.permutation_test(
        (x, y), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=np.inf
    )
    assert paired.compare(Figure((np.stack([x, y]),))).p == pytest.approx(theirs.pvalue)


def test_exact_p_values_of_f1_are_scipys() -> None:
    """SciPy swaps numbers of cells; what they stand for is looked up."""
    figure = some_systems(2, 9, 5, silent=0.2)
    precision, recall = (part.ravel() for part in figure.parts)

    def f1(cells: np.ndarray) -> float:
        p, r = np.nanmean(precision[cells]), np.nanmean(recall[cells])
        return float(2 * p * r / (p + r))

    theirs = stats.permutation_test(
        (np.arange(9), np.arange(9, 18)),
        lambda a, b: f1(a.astype(int)) - f1(b.astype(int)),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=False,
    )
    assert paired.compare(figure).p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("shift", [0.0, 0.01, 0.02])
def test_random_p_values_are_scipys_within_their_noise(shift: float) -> None:
    x, y = np.random.default_rng(1).beta(4, 1, (2, 181))
    x, y = x + shift, 0.7 * x + 0.3 * y
    ours = paired.compare(Figure((np.stack([x, y]),)), permutations=20_000)
    theirs = stats.permutation_test(
        (x, y),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        vectorized=True,
        rng=np.random.default_rng(4),
    )
    assert ours.p == pytest.approx(theirs.pvalue, abs=0.02)


def test_intervals_are_scipys_paired_bootstrap() -> None:
    figure = some_systems(2, 181, 7, silent=0)
    (xp, yp), (xr, yr) = figure.parts

    def difference(*means: np.ndarray, axis: int) -> np.ndarray:
        xp, xr, yp, yr = (np.mean(each, axis=axis) for each in means)
        return 2 * xp * xr / (xp + xr) - 2 * yp * yr / (yp + yr)

    theirs = stats.bootstrap(
        (xp, xr, yp, yr),
        difference,
        paired=True,
        n_resamples=10_000,
        method="percentile",
        rng=np.random.default_rng(8),
    )
    ours = paired.compare(figure, bootstrap=Bootstrap(10_000))
    assert (ours.lo, ours.hi) == pytest.approx(theirs.confidence_interval, abs=0.0005)
    assert ours.std == pytest.approx(theirs.standard_error, rel=0.03)


# What holds for any data


@given(small())
def test_the_other_way_round_is_the_negative(figure: Figure) -> None:
    there, back = (
        paired.compare(figure, *rows, bootstrap=Bootstrap(100)) for rows in ((0, 1), (1, 0))
    )
    mirrored = paired.reversed_(back)
    for each in dataclasses.fields(Difference):
        assert getattr(there, each.name) == pytest.approx(getattr(mirrored, each.name)), each.name


@given(small(), st.integers(0, 1000))
def test_the_order_of_pages_and_of_rows_does_not_matter(figure: Figure, seed: int) -> None:
    generator = np.random.default_rng(seed)
    pages, rows = generator.permutation(figure.pages), generator.permutation(3)
    mixed = Figure(
        tuple(part[rows][:, pages] for part in figure.parts), figure.scores[rows][:, pages]
    )
    ours = allpairs.standing(figure, bootstrap=Bootstrap(50))
    theirs = allpairs.standing(mixed, bootstrap=Bootstrap(50))
    for a, b in ((0, 1), (0, 2), (1, 2)):
        one, other = theirs.difference(a, b), ours.difference(int(rows[a]), int(rows[b]))
        for name in ("pages", "value", "p", "p_holm", "wins", "ties", "losses"):
            assert getattr(one, name) == pytest.approx(getattr(other, name)), name


@given(small())
def test_what_a_difference_promises(figure: Figure) -> None:
    for each in allpairs.standing(figure, bootstrap=Bootstrap(50)).differences:
        assert each.wins + each.ties + each.losses == figure.pages
        assert each.dominance is not None
        assert -1 <= each.dominance <= 1
        if each.p is None or each.p_holm is None:
            assert not each.enough
            continue
        assert 2 / 2**figure.pages <= each.p <= each.p_holm <= 1
        if each.value == 0:
            assert each.p == 1


def test_a_row_against_itself_never_differs() -> None:
    one = some_systems(1, 181, 2)
    found = paired.compare(one.take([0, 0]))
    assert (found.value, found.std, found.lo, found.hi) == (0, 0, 0, 0)
    assert (found.p, found.p_holm, found.effect) == (1, 1, 0)
    assert (found.wins, found.ties, found.losses) == (0, 181, 0)
    assert found.enough
    assert not found.told_apart()


# What is said of little data


@pytest.mark.parametrize("pages", [0, 1, MIN_PAGES - 1])
def test_too_little_data_is_no_verdict(pages: int) -> None:
    found = paired.compare(composite(*np.stack([[np.ones(pages), np.zeros(pages)]] * 2)))
    assert found.value == (1.0 if pages else None)
    assert (found.std, found.lo, found.hi, found.p, found.p_holm, found.effect) == (None,) * 6
    assert (found.enough, found.told_apart(), found.detectable()) == (False, False, None)
    assert found.wins == pages


def test_the_fewest_pages_that_can_tell_do() -> None:
    found = paired.compare(composite(*np.stack([[np.ones(MIN_PAGES), np.zeros(MIN_PAGES)]] * 2)))
    assert found.p == pytest.approx(2 / 2**MIN_PAGES)
    assert found.told_apart()
    assert found.effect is None  # every page differs by the same: no yardstick


def test_a_row_without_a_page_that_counts_has_no_difference() -> None:
    values = np.full((2, 30), np.nan)
    values[0] = 0.9
    found = paired.compare(Figure((values,)))
    assert (found.pages, found.value, found.p) == (0, None, None)
    assert (found.wins, found.ties, found.losses) == (0, 0, 0)
    assert found.dominance is None


def test_comparisons_that_cannot_be_made_are_not_corrected_for() -> None:
    figure = some_systems(2, 40, 4)
    whole, none = paired.compare(figure), paired.compare(figure.on(np.zeros(40, bool)))
    again, still = paired.corrected([whole, none])
    assert again.p_holm == whole.p
    assert still.p_holm is None


# Details


def test_swaps_are_enough_for_any_number_of_comparisons() -> None:
    for comparisons in (1, 496, 5000):
        swaps = paired.enough_permutations(comparisons)
        assert comparisons / (swaps + 1) <= 0.025


def test_p_is_never_zero() -> None:
    figure = composite(*np.stack([[np.full(50, 0.9), np.full(50, 0.1)]] * 2))
    assert paired.compare(figure, permutations=999).p == pytest.approx(1 / 1000)


def test_the_same_seed_the_same_verdict() -> None:
    figure = some_systems(2, 60, 6)
    one, same, other = (
        paired.compare(figure, bootstrap=Bootstrap(seed=seed)) for seed in (1, 1, 2)
    )
    assert one == same
    assert (one.p, one.lo) != (other.p, other.lo)


def test_a_tie_is_within_its_tolerance() -> None:
    near = 0.5 + paired.TIE / 2
    found = paired.compare(Figure((np.array([[near, 0.52, 0.6] * 3, [0.5, 0.5, 0.9] * 3]),)))
    assert (found.wins, found.ties, found.losses) == (3, 3, 3)
    found = paired.compare(Figure((np.array([[near, near, 0.6] * 3, [0.5, 0.5, 0.9] * 3]),)))
    assert (found.wins, found.ties, found.losses) == (0, 6, 3)
    assert found.dominance == pytest.approx(-1 / 3)


def test_effect_of_a_mean_is_cohens_d_z() -> None:
    x, y = np.random.default_rng(5).beta(4, 1, (2, 181))
    found = paired.compare(Figure((np.stack([x, y]),)), bootstrap=Bootstrap(20_000))
    assert found.effect == pytest.approx(np.mean(x - y) / np.std(x - y, ddof=1), rel=0.03)


def test_all_pairs_are_the_pairs_one_by_one() -> None:
    figure = some_systems(5, 50, 9)
    found = allpairs.standing(figure)
    alone = [paired.compare(figure, a, b) for a in range(5) for b in range(a + 1, 5)]
    assert [each.p for each in found.differences] == [each.p for each in alone]
    for ours, theirs in zip(found.differences, alone, strict=True):
        assert (ours.value, ours.lo, ours.hi) == pytest.approx((theirs.value, theirs.lo, theirs.hi))
    assert [each.p_holm for each in found.differences] == pytest.approx(
        list(holm.adjust([each.p or 0.0 for each in alone]))
    )
    assert found.difference(3, 1).value == -(found.difference(1, 3).value or 0.0)
    with pytest.raises(ValueError, match="no pair"):
        found.difference(2, 2)


def test_groups_follow_the_order_of_figures() -> None:
    generator = np.random.default_rng(3)
    values = np.clip(np.array([[0.3], [0.9], [0.9]]) + generator.normal(0, 0.02, (3, 80)), 0, 1)
    found = allpairs.standing(Figure((values,)))
    assert sorted(found.order[:2]) == [1, 2]
    assert found.order[2] == 0
    assert [(each.rank, each.text) for each in found.groups] == [(3, "b"), (1, "a"), (1, "a")]
    turned = allpairs.standing(Figure((values,)), order=[2, 1, 0])
    assert turned.order == (2, 1, 0)


@pytest.mark.parametrize("rows", [0, 1])
def test_a_board_of_one_or_none(rows: int) -> None:
    found = allpairs.standing(Figure((np.full((rows, 10), 0.5),)))
    assert [each.text for each in found.groups] == ["a"] * rows
    assert found.differences == ()


def test_the_draws_are_those_of_the_leaderboard() -> None:
    figure = some_systems(2, 40, 1)
    draws = figure.values(Bootstrap().weights(40))
    found = paired.compare(figure)
    assert (found.std, found.lo, found.hi) == pytest.approx(
        bootstrap.interval(draws[:, 0] - draws[:, 1])
    )
