"""Differences on the same pages: SciPy's where SciPy has them, and no false zeros."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from bench.stats import figure, groups, holm, paired
from bench.stats.estimate import MIN_PAGES, Difference, detectable
from bench.stats.figure import Figure

SHARES = st.floats(0, 1, allow_nan=False).map(lambda x: round(x, 3))


def composite(precision: np.ndarray, recall: np.ndarray, sites: np.ndarray | None = None) -> Figure:
    total = precision + recall
    page_f1 = np.where(total > 0, 2 * precision * recall / np.where(total > 0, total, 1), 0)
    return Figure((precision, recall), np.nan_to_num(page_f1), sites=sites)


def some_systems(rows: int, pages: int, seed: int, silent: float = 0.1) -> Figure:
    generator = np.random.default_rng(seed)
    precision, recall = generator.beta(6, 1, (2, rows, pages))
    none = generator.random((rows, pages)) < silent
    return composite(np.where(none, np.nan, precision), np.where(none, 0.0, recall))


@st.composite
def systems(draw: st.DrawFn) -> Figure:
    """Three systems, often alike on pages."""
    shape = (3, draw(st.integers(MIN_PAGES, 26)))
    precision, recall = (draw(hnp.arrays(np.float64, shape, elements=SHARES)) for _ in "pr")
    same = draw(hnp.arrays(np.bool_, shape[1]))
    precision[1:, same], recall[1:, same] = precision[0, same], recall[0, same]
    return composite(np.where(recall == 0, np.nan, precision), recall)


def all_pairs(of: Figure) -> dict[tuple[int, int], Difference]:
    pairs = list(combinations(range(of.rows), 2))
    return dict(zip(pairs, paired.differences(of, pairs), strict=True))


# Against SciPy


@pytest.mark.parametrize("shift", [0.0, 0.01, 0.03])
def test_means_are_compared_by_scipys_paired_t_test(shift: float) -> None:
    x, y = np.random.default_rng(1).beta(4, 1, (2, 181))
    x, y = x * (1 - shift), 0.7 * x + 0.3 * y
    own, theirs = paired.compare(Figure((np.stack([x, y]),))), stats.ttest_rel(x, y)
    assert own.p == pytest.approx(theirs.pvalue)
    assert (own.lo, own.hi) == pytest.approx(tuple(theirs.confidence_interval(0.95)))
    assert own.effect == pytest.approx(np.mean(x - y) / np.std(x - y, ddof=1))


def test_pages_that_tie_give_no_degrees_of_freedom() -> None:
    x = np.full(100, 0.9)
    y = x.copy()
    y[:4] -= (0.1, 0.2, 0.3, 0.4)
    own = paired.compare(Figure((np.stack([x, y]),)))
    t = np.mean(x - y) / stats.sem(x - y)
    assert own.p == pytest.approx(2 * stats.t.sf(t, 3))
    assert not own.significant(), "four pages that went the same way are no proof"


def test_f1_is_compared_as_numbers_of_a_jackknife_say() -> None:
    two = some_systems(2, 181, 7)
    left_out = 1 - np.eye(181)
    values = two.values(left_out)
    jackknife = values[:, 0] - values[:, 1]
    error = np.sqrt(180 / 181 * ((jackknife - jackknife.mean()) ** 2).sum())
    assert paired.compare(two).se == pytest.approx(error, rel=0.02)


# What holds for any data


@given(systems())
def test_an_interval_leaves_out_0_exactly_if_p_is_under_5_per_cent(of: Figure) -> None:
    for difference in all_pairs(of).values():
        assert (difference.lo > 0 or difference.hi < 0) == (difference.p < 0.05)


@given(systems())
def test_the_other_way_round_is_the_negative(of: Figure) -> None:
    there, back = (paired.compare(of, *rows) for rows in ((0, 1), (1, 0)))
    assert (there.pages, there.ties, there.wins) == (back.pages, back.ties, back.losses)
    assert (there.p, there.p_holm, there.se) == pytest.approx((back.p, back.p_holm, back.se))
    for one, other in (("value", "value"), ("lo", "hi"), ("hi", "lo"), ("effect", "effect")):
        negative = getattr(back, other)
        assert getattr(there, one) == pytest.approx(None if negative is None else -negative)


@given(systems(), st.integers(0, 1000))
def test_the_order_of_pages_and_of_rows_does_not_matter(of: Figure, seed: int) -> None:
    generator = np.random.default_rng(seed)
    pages, rows = generator.permutation(of.pages), generator.permutation(3)
    mixed = Figure(tuple(part[rows][:, pages] for part in of.parts), of.by_page[rows][:, pages])
    ours = all_pairs(of)
    for (a, b), one in all_pairs(mixed).items():
        first, second = sorted((int(rows[a]), int(rows[b])))
        other, sign = ours[first, second], 1 if rows[a] < rows[b] else -1
        for name in ("pages", "p", "p_holm", "ties"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-9), name
        assert one.value == pytest.approx(sign * other.value)
        assert one.wins - one.losses == sign * (other.wins - other.losses)


@given(systems())
def test_what_a_difference_promises(of: Figure) -> None:
    for difference in all_pairs(of).values():
        assert difference.wins + difference.ties + difference.losses == of.pages
        assert 0 <= difference.p <= difference.p_holm <= 1
        assert difference.lo <= difference.value <= difference.hi


def test_a_row_against_its_twin_never_differs() -> None:
    same = paired.compare(some_systems(1, 181, 2).take([0, 0]))
    assert (same.value, same.se, same.lo, same.hi) == (0, 0, 0, 0)
    assert (same.p, same.p_holm, same.effect) == (1, 1, 0)
    assert (same.wins, same.ties, same.losses) == (0, 181, 0)
    assert not same.significant()


def test_pages_of_one_site_are_one_piece_of_evidence() -> None:
    two = some_systems(2, 40, 3)
    pages = np.repeat(np.arange(40), 3)
    thrice = composite(*(part[:, pages] for part in two.parts), sites=pages)
    once, again = paired.compare(two), paired.compare(thrice)
    assert (again.p, again.lo, again.hi) == pytest.approx((once.p, once.lo, once.hi))
    assert again.effect == pytest.approx(once.effect)


def test_verdicts_depend_on_nothing_random() -> None:
    many = some_systems(12, 60, 6)
    first = groups.of_figure(many)
    for seed in range(3):
        np.random.seed(seed)
        assert groups.of_figure(many) == first


def test_equal_f1_of_systems_that_fail_differently_is_no_difference() -> None:
    """What made permutation tests alarm: one system is silent where the other is noisy."""
    alarms, generator = 0, np.random.default_rng(8)
    for _ in range(400):
        silent = generator.random(60) < 0.3
        first = (np.where(silent, np.nan, 1.0), np.where(silent, 0.0, 1.0))
        # Means of precision 1 and of recall .7: F1 .8235; the noisy one has both at that.
        noisy = np.clip(generator.normal(14 / 17, 0.1, (2, 60)), 0, 1)
        both = composite(*np.stack([first, tuple(noisy)], axis=1))
        alarms += paired.compare(both).significant()
    assert alarms / 400 < 0.09


# What is said of little data


@pytest.mark.parametrize("pages", [0, 1, MIN_PAGES - 1])
def test_too_little_data_is_no_verdict(pages: int) -> None:
    few = paired.compare(composite(*np.stack([[np.ones(pages), np.zeros(pages)]] * 2)))
    assert few.value == (1.0 if pages else None)
    assert (few.se, few.lo, few.hi, few.p, few.p_holm, few.effect) == (None,) * 6
    assert (few.significant(), few.detectable()) == (False, None)
    assert few.wins == pages


def test_the_fewest_pages_that_can_tell_do() -> None:
    sure = paired.compare(composite(*np.stack([[np.ones(MIN_PAGES), np.zeros(MIN_PAGES)]] * 2)))
    assert sure.significant()
    assert sure.effect is None  # every page differs by the same: no yardstick


def test_a_row_without_a_page_that_counts_has_no_difference() -> None:
    values = np.full((2, 30), np.nan)
    values[0] = 0.9
    none = paired.compare(Figure((values,)))
    assert (none.pages, none.value, none.p) == (0, None, None)
    assert (none.wins, none.ties, none.losses) == (0, 0, 0)


def test_comparisons_that_cannot_be_made_are_not_corrected_for() -> None:
    of = some_systems(2, 40, 4)
    whole, none = paired.compare(of), paired.compare(of.on(np.zeros(40, bool)))
    again, still = paired.corrected([whole, none])
    assert again.p_holm == whole.p
    assert still.p_holm is None


# Details


def test_a_tie_is_within_its_tolerance() -> None:
    near = 0.5 + paired.TIE / 2
    own = paired.compare(Figure((np.array([[near, 0.52, 0.6] * 9, [0.5, 0.5, 0.9] * 9]),)))
    assert (own.wins, own.ties, own.losses) == (9, 9, 9)
    own = paired.compare(Figure((np.array([[near, near, 0.6] * 9, [0.5, 0.5, 0.9] * 9]),)))
    assert (own.wins, own.ties, own.losses) == (0, 18, 9)


def test_a_detectable_difference_is_found_four_times_in_five() -> None:
    generator = np.random.default_rng(9)
    true = detectable(0.1 / np.sqrt(100))
    hits = 0
    for _ in range(500):
        drawn = generator.normal(true, 0.1, 100)
        hits += stats.ttest_1samp(drawn, 0).pvalue < 0.05
    assert 0.75 < hits / 500 < 0.85
    assert detectable(1.0, 10) > detectable(1.0)


def test_all_pairs_are_the_pairs_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    of = some_systems(5, 50, 9)
    together = list(all_pairs(of).values())
    alone = [paired.compare(of, a, b) for a in range(5) for b in range(a + 1, 5)]
    assert [each.p for each in together] == [each.p for each in alone]
    assert [each.p_holm for each in together] == pytest.approx(
        list(holm.adjust([each.p or 0.0 for each in alone]))
    )
    monkeypatch.setattr(paired, "_AT_ONCE", 100)  # two pairs at a time
    assert list(all_pairs(of).values()) == together


def test_the_error_is_that_of_the_difference_of_influences() -> None:
    two = some_systems(2, 40, 1)
    first, second = two.influences()
    assert paired.compare(two).se == pytest.approx(float(figure.standard_errors(first - second)))
