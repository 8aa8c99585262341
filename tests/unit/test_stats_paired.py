"""Differences on the same pages: SciPy's where SciPy has them, and no false zeros."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from bench.stats import bootstrap, groups, holm, paired
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


def all_pairs(figure: Figure, draws: Bootstrap = Bootstrap()) -> dict[tuple[int, int], Difference]:
    pairs = list(combinations(range(figure.rows), 2))
    return dict(zip(pairs, paired.differences(figure, pairs, draws), strict=True))


@given(small())
def test_the_other_way_round_is_the_negative(figure: Figure) -> None:
    there, back = (
        paired.compare(figure, *rows, bootstrap=Bootstrap(100)) for rows in ((0, 1), (1, 0))
    )
    assert (there.pages, there.ties, there.wins) == (back.pages, back.ties, back.losses)
    assert (there.p, there.p_holm, there.std) == pytest.approx((back.p, back.p_holm, back.std))
    for one, other in (("value", "value"), ("lo", "hi"), ("hi", "lo"), ("effect", "effect")):
        negative = getattr(back, other)
        assert getattr(there, one) == pytest.approx(None if negative is None else -negative)


@given(small(), st.integers(0, 1000))
def test_the_order_of_pages_and_of_rows_does_not_matter(figure: Figure, seed: int) -> None:
    generator = np.random.default_rng(seed)
    pages, rows = generator.permutation(figure.pages), generator.permutation(3)
    mixed = Figure(
        tuple(part[rows][:, pages] for part in figure.parts), figure.scores[rows][:, pages]
    )
    ours, theirs = all_pairs(figure, Bootstrap(50)), all_pairs(mixed, Bootstrap(50))
    for (a, b), one in theirs.items():
        first, second = sorted((int(rows[a]), int(rows[b])))
        other, sign = ours[first, second], 1 if rows[a] < rows[b] else -1
        for name in ("pages", "p", "p_holm", "ties"):
            assert getattr(one, name) == pytest.approx(getattr(other, name)), name
        assert one.value == pytest.approx(None if other.value is None else sign * other.value)
        assert one.wins - one.losses == sign * (other.wins - other.losses)


@given(small())
def test_what_a_difference_promises(figure: Figure) -> None:
    for each in all_pairs(figure, Bootstrap(50)).values():
        assert each.wins + each.ties + each.losses == figure.pages
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


def test_effect_of_a_mean_is_cohens_d_z() -> None:
    x, y = np.random.default_rng(5).beta(4, 1, (2, 181))
    found = paired.compare(Figure((np.stack([x, y]),)), bootstrap=Bootstrap(20_000))
    assert found.effect == pytest.approx(np.mean(x - y) / np.std(x - y, ddof=1), rel=0.03)


def test_all_pairs_are_the_pairs_one_by_one() -> None:
    figure = some_systems(5, 50, 9)
    found = list(all_pairs(figure).values())
    alone = [paired.compare(figure, a, b) for a in range(5) for b in range(a + 1, 5)]
    assert [each.p for each in found] == [each.p for each in alone]
    for ours, theirs in zip(found, alone, strict=True):
        assert (ours.value, ours.lo, ours.hi) == pytest.approx((theirs.value, theirs.lo, theirs.hi))
    assert [each.p_holm for each in found] == pytest.approx(
        list(holm.adjust([each.p or 0.0 for each in alone]))
    )


def test_rows_that_are_not_told_apart_share_a_group() -> None:
    generator = np.random.default_rng(3)
    values = np.clip(np.array([[0.9], [0.9], [0.3]]) + generator.normal(0, 0.02, (3, 80)), 0, 1)
    found = groups.of_figure(Figure((values,)))
    assert [(each.rank, each.text) for each in found] == [(1, "a"), (1, "a"), (3, "b")]


@pytest.mark.parametrize("rows", [0, 1])
def test_a_board_of_one_or_none(rows: int) -> None:
    found = groups.of_figure(Figure((np.full((rows, 10), 0.5),)))
    assert [each.text for each in found] == ["a"] * rows


def test_the_draws_are_those_of_the_leaderboard() -> None:
    figure = some_systems(2, 40, 1)
    draws = figure.values(Bootstrap().weights(40))
    found = paired.compare(figure)
    assert (found.std, found.lo, found.hi) == pytest.approx(
        bootstrap.interval(draws[:, 0] - draws[:, 1])
    )
