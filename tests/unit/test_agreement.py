"""Overlap, union and oracle: compared with plain implementations, and by hand."""

from __future__ import annotations

import math
import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.scoring import agreement
from bench.scoring.agreement import Gathered

WORDS = st.lists(st.sampled_from(["a", "b", "c", "dd", "e1", "ä"]), max_size=14).map(" ".join)


def grams(text: str, n: int) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text)
    if not words:
        return set()
    return {tuple(words[at : at + n]) for at in range(max(1, len(words) - n + 1))}


def plainly(a: str, b: str, n: int) -> float:
    x, y = grams(a, n), grams(b, n)
    return len(x & y) / len(x | y) if x | y else 1.0


@given(WORDS, st.lists(WORDS, min_size=1, max_size=5), st.integers(1, 5))
def test_overlap_and_union_are_those_of_plain_sets(gold: str, texts: list[str], n: int) -> None:
    found = agreement.of_page(gold, texts, n)
    for a, b in combinations(range(len(texts)), 2):
        assert found.pairs[a, b] == pytest.approx(plainly(texts[a], texts[b], n), abs=1e-6)
        assert found.pairs[a, b] == found.pairs[b, a]
    wanted, sets = grams(gold, n), [grams(text, n) for text in texts]
    if not wanted:
        assert math.isnan(found.union)
        return
    assert found.union == pytest.approx(len(wanted & set.union(*sets)) / len(wanted), abs=1e-6)
    assert found.common == pytest.approx(
        len(wanted & set.intersection(*sets)) / len(wanted), abs=1e-6
    )


def test_many_different_words_are_still_told_apart() -> None:
    """So many that four numbers of words do not fit into one integer side by side."""
    first = " ".join(f"w{at}" for at in range(70_000))
    second = " ".join(f"w{at}" for at in range(35_000, 105_000))
    found = agreement.of_page(first, [first, second])
    assert found.pairs[0, 1] == pytest.approx(plainly(first, second, 4), abs=1e-6)


def test_characters_count_where_there_are_no_spaces() -> None:
    found = agreement.of_page("天地玄黃宇宙", ["天地玄黃宇宙", "天地玄黃"], unit="character")
    assert found.pairs[0, 1] == pytest.approx(1 / 3)
    assert found.common == pytest.approx(1 / 3)


def test_sums_of_parts_are_the_sums_of_the_whole() -> None:
    pages = [("a b c d e", ["a b c d e", "a b c d"]), ("", ["", "x"]), ("x y", ["x y", "x y"])]
    whole, left, right = Gathered(2), Gathered(2), Gathered(2)
    for at, (gold, texts) in enumerate(pages):
        page = agreement.of_page(gold, texts)
        whole.add(page)
        (left, right)[at % 2].add(page)
    left.join(right)
    assert np.allclose(left.overlap, whole.overlap)
    assert left.union == whole.union == 1.0
    assert whole.common == pytest.approx(0.75)
    assert whole.overlap[0, 1] == pytest.approx((0.5 + 0.0 + 1.0) / 3)


def test_nothing_gathered_is_nothing_known() -> None:
    assert Gathered(3).union is None
    assert agreement.oracle(np.full((2, 3), np.nan)).value is None


def test_the_oracle_by_hand() -> None:
    scores = np.array([[1.0, 0.2, 0.5, np.nan], [0.4, 0.2, 0.9, np.nan], [0.4, 0.2, 0.1, np.nan]])
    found = agreement.oracle(scores)
    assert found.pages == 3
    assert found.value == pytest.approx((1.0 + 0.2 + 0.9) / 3)
    assert (found.single, found.best) == (pytest.approx(1.7 / 3), 0)
    assert found.alone == (1, 1, 0)
    assert found.shared == (1, 1, 1)
    assert found.all_same == 1
    assert [row for row, _ in found.chosen] == [0, 1]
    assert found.chosen[-1][1] == pytest.approx(found.value)


@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=4, max_size=4),
        min_size=1,
        max_size=5,
    )
)
def test_the_oracle_is_never_below_a_row_and_wins_add_up(rows: list[list[float]]) -> None:
    scores = np.array(rows)
    found = agreement.oracle(scores, few=len(rows))
    assert found.value is not None
    assert found.value >= scores.mean(axis=1).max() - 1e-12
    shared_pages = (np.isclose(scores, scores.max(axis=0)).sum(axis=0) > 1).sum()
    assert sum(found.alone) + shared_pages == 4
    values = [value for _, value in found.chosen]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(found.value)


def test_correlation_is_numpys_where_both_vary() -> None:
    generator = np.random.default_rng(3)
    scores = generator.random((3, 20))
    scores[1, 4] = np.nan
    scores[2] = 0.5
    found = agreement.correlations(scores)
    there = ~np.isnan(scores[1])
    assert found[0, 1] == pytest.approx(np.corrcoef(scores[0, there], scores[1, there])[0, 1])
    assert found[0, 0] == pytest.approx(1.0)
    assert math.isnan(found[0, 2])
