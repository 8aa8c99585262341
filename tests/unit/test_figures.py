"""From counts to figures: DESIGN's table, written out as plain loops."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metrics.ngram import Ngram
from bench.stats.figure import Figure

Page = tuple[float, float, float, bool, bool]
"""tp, fp, fn, exact, failed."""


def folded(rows: Sequence[Sequence[Page]]) -> dict[str, Figure]:
    *numbers, failed = [np.array([[page[at] for page in row] for row in rows]) for at in range(5)]
    columns = dict(zip(Ngram.columns, [own.astype(np.float64) for own in numbers], strict=True))
    return Ngram().fold(columns, failed.astype(bool))


def mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0


def plain(pages: Sequence[Page]) -> dict[str, float]:
    precisions, recalls, accuracies, exacts, f1s = [], [], [], [], []
    for tp, fp, fn, exact, failed in pages:
        p = 1.0 if fp == fn == 0 else 0.0 if tp == fp == 0 else tp / (tp + fp)
        r = 1.0 if fp == fn == 0 else 0.0 if tp == fn == 0 else tp / (tp + fn)
        if tp + fp > 0:
            precisions.append(p)
        if tp + fn > 0:
            recalls.append(r)
        if failed:
            accuracies.append(0.0)
            exacts.append(0.0)
            f1s.append(0.0)
            continue
        accuracies.append(1.0 if tp + fp + fn == 0 else tp / (tp + fp + fn))
        exacts.append(float(exact))
        f1s.append(2 * p * r / (p + r) if p + r else 0.0)
    p, r = mean(precisions), mean(recalls)
    return {
        "precision": p,
        "recall": r,
        "f1": 2 * p * r / (p + r) if p + r else 0.0,
        "accuracy": mean(accuracies),
        "exact": mean(exacts),
        "page_f1": mean(f1s),
    }


def ours(rows: Sequence[Sequence[Page]]) -> list[dict[str, float]]:
    values = {name: figure.values() for name, figure in folded(rows).items()}
    return [{name: float(values[name][at]) for name in values} for at in range(len(rows))]


@st.composite
def a_page(draw: st.DrawFn) -> Page:
    tp, fp, fn = (draw(st.integers(0, 6)) for _ in range(3))
    failed = draw(st.booleans())
    if failed:  # the text of a failed cell is empty
        tp, fp = 0, 0
    whole = tp + fp + fn or 1
    return tp / whole, fp / whole, fn / whole, fp == fn == 0 and draw(st.booleans()), failed


@given(st.integers(1, 12).flatmap(
    lambda size: st.lists(st.lists(a_page(), min_size=size, max_size=size), min_size=1, max_size=4)
))  # fmt: skip
def test_equals_the_plain_loops(rows: list[list[Page]]) -> None:
    for got, row in zip(ours(rows), rows, strict=True):
        assert got == pytest.approx(plain(row), abs=1e-12)


@given(
    st.lists(a_page(), min_size=1, max_size=9),
    st.lists(st.integers(0, 4), min_size=9, max_size=9),
)
def test_weights_are_pages_drawn_so_often(pages: list[Page], often: list[int]) -> None:
    often = often[: len(pages)]
    drawn = [page for page, times in zip(pages, often, strict=True) for _ in range(times)]
    weights = np.array([often, [1] * len(pages)], dtype=np.float64)
    values = {name: figure.values(weights) for name, figure in folded([pages]).items()}
    first = {name: float(values[name][0, 0]) for name in values}
    second = {name: float(values[name][1, 0]) for name in values}
    assert first == pytest.approx(plain(drawn), abs=1e-12)
    assert second == pytest.approx(plain(pages), abs=1e-12)


def test_shapes() -> None:
    page: Page = (0.5, 0.25, 0.25, False, False)
    figures = folded([[page] * 5] * 3)
    assert {figure.values().shape for figure in figures.values()} == {(3,)}
    assert {figure.values(np.ones((7, 5))).shape for figure in figures.values()} == {(7, 3)}
    assert tuple(figures) == Ngram.figures


def one(*pages: Page) -> dict[str, float]:
    return ours([pages])[0]


PERFECT: Page = (1.0, 0.0, 0.0, True, False)
BOTH_EMPTY: Page = (0.0, 0.0, 0.0, True, False)
NO_ANSWER: Page = (0.0, 0.0, 1.0, False, False)
INVENTED: Page = (0.0, 1.0, 0.0, False, False)
FAILED: Page = (0.0, 0.0, 1.0, False, True)
FAILED_ON_EMPTY_GOLD: Page = (0.0, 0.0, 0.0, True, True)


def test_a_page_without_output_leaves_the_mean_precision() -> None:
    got = one(PERFECT, NO_ANSWER)
    assert (got["precision"], got["recall"], got["page_f1"]) == (1.0, 0.5, 0.5)
    assert got["f1"] == pytest.approx(2 / 3)


def test_a_page_with_empty_gold_leaves_the_mean_recall() -> None:
    got = one(PERFECT, INVENTED)
    assert (got["precision"], got["recall"], got["page_f1"]) == (0.5, 1.0, 0.5)


def test_both_empty_is_right() -> None:
    got = one(BOTH_EMPTY)
    assert (got["accuracy"], got["exact"], got["page_f1"]) == (1.0, 1.0, 1.0)
    # A mean over no page is 0, as in AEB's evaluate.py.
    assert (got["precision"], got["recall"], got["f1"]) == (0.0, 0.0, 0.0)


def test_a_failed_cell_counts_nothing_even_where_the_gold_is_empty() -> None:
    got = one(FAILED, FAILED_ON_EMPTY_GOLD)
    assert set(got.values()) == {0.0}


def test_f1_is_of_the_means_and_page_f1_the_mean_of_f1() -> None:
    got = one((0.5, 0.5, 0.0, False, False), (0.5, 0.0, 0.5, False, False))
    assert got["f1"] == pytest.approx(0.75)
    assert got["page_f1"] == pytest.approx(2 / 3)
    assert got["accuracy"] == pytest.approx(0.5)
