"""Slices of the pages, and the two averages over them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.stats import slices
from bench.stats.figure import Figure


def test_slices_by_name_and_pages_without_a_label_last() -> None:
    found = slices.masks(["news", None, "blog", "news"])
    assert list(found) == ["blog", "news", "unknown"]
    assert found["news"].tolist() == [True, False, False, True]
    assert slices.masks([]) == {}


@given(st.lists(st.sampled_from(["a", "b", None]), max_size=30))
def test_every_page_is_in_one_slice(labels: list[str | None]) -> None:
    found = slices.masks(labels)
    assert np.array_equal(sum(found.values(), np.zeros(len(labels), int)), np.ones(len(labels)))
    assert all(mask.any() for mask in found.values())


def test_lengths_get_the_bin_they_are_in() -> None:
    lengths = [0, 99, 100, 999, 1000, 5000]
    assert slices.length_labels(lengths, [100, 1000]) == [
        "0000-0099", "0000-0099", "0100-0999", "0100-0999", "1000+", "1000+",
    ]  # fmt: skip
    assert slices.length_labels([7], []) == ["0+"]
    with pytest.raises(ValueError, match="rise"):
        slices.length_labels(lengths, [1000, 100])


@given(st.lists(st.integers(0, 10_000), max_size=50), st.integers(1, 6))
def test_any_lengths_can_be_cut(lengths: list[int], bins: int) -> None:
    labels = slices.length_labels(lengths, slices.length_edges(lengths, bins))
    assert len(labels) == len(lengths)
    assert len(set(labels)) <= bins
    by_length = [label for _, label in sorted(zip(lengths, labels, strict=True))]
    assert by_length == sorted(labels)


def test_bins_are_of_about_the_same_size() -> None:
    lengths = list(range(1, 401))
    labels = slices.length_labels(lengths, slices.length_edges(lengths))
    assert [labels.count(name) for name in sorted(set(labels))] == pytest.approx([100] * 4, abs=1)


def test_a_small_slice_has_a_figure_but_no_interval() -> None:
    values = np.linspace(0, 1, 24)[None, :]
    labels = ["big"] * 20 + ["small"] * 4
    big, small = slices.of(Figure((values,)), labels)
    assert (big.name, big.pages) == ("big", 20)
    assert big.estimates[0].lo is not None
    assert small.estimates[0].value == pytest.approx(values[0, 20:].mean())
    assert small.estimates[0].lo is None


def test_micro_weighs_pages_and_macro_weighs_slices() -> None:
    generator = np.random.default_rng(2)
    values = np.concatenate([generator.normal(0.9, 0.01, 90), generator.normal(0.5, 0.01, 10)])
    labels = ["many"] * 90 + ["few"] * 10
    found = slices.averages(Figure((values[None, :],)), labels)
    (micro,), (macro,) = found.micro, found.macro
    assert micro.value == pytest.approx(values.mean())
    assert macro.value == pytest.approx((values[:90].mean() + values[90:].mean()) / 2)
    assert micro.lo < micro.value < micro.hi
    assert macro.lo < macro.value < macro.hi
    # Slice by slice, the sizes of slices do not vary, and within a slice nearly nothing does.
    assert macro.se < micro.se / 3


def test_one_slice_alone_has_one_average() -> None:
    values = np.random.default_rng(3).random((2, 40))
    found = slices.averages(Figure((values,)), ["a"] * 40)
    for micro, macro in zip(found.micro, found.macro, strict=True):
        assert (micro.value, micro.se) == pytest.approx((macro.value, macro.se))
    empty = slices.averages(Figure((values[:, :0],)), [])
    assert [each.value for each in empty.macro] == [None, None]


def test_a_row_is_averaged_over_the_slices_it_has_pages_in() -> None:
    values = np.full((1, 20), 0.8)
    values[0, 10:] = np.nan
    (macro,) = slices.averages(Figure((values,)), ["a"] * 10 + ["b"] * 10).macro
    assert (macro.pages, macro.value) == (10, pytest.approx(0.8))


def test_slices_without_a_page_that_counts_widen_no_interval() -> None:
    values = np.random.default_rng(4).random((1, 40))
    labels = ["a"] * 20 + ["b"] * 20
    without = slices.averages(Figure((values,)), labels)
    unlabelled = np.concatenate([values, np.full((1, 35), np.nan)], axis=1)
    among = slices.averages(Figure((unlabelled,)), [*labels, *map(str, range(35))])
    assert among.macro == without.macro
