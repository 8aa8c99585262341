"""Letters and ranks say exactly what was told apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.stats import groups

Flags = npt.NDArray[np.bool_]


def matrix(size: int, apart: set[tuple[int, int]]) -> Flags:
    found = np.zeros((size, size), bool)
    for i, j in apart:
        found[i, j] = found[j, i] = True
    return found


@st.composite
def matrices(draw: st.DrawFn) -> Flags:
    size = draw(st.integers(0, 11))
    pairs = list(combinations(range(size), 2))
    return matrix(size, {pair for pair in pairs if draw(st.booleans())})


def shown(apart: Flags) -> list[str]:
    return [f"{each.rank}{each.text}" for each in groups.of(apart)]


def test_all_alike_and_all_apart() -> None:
    assert shown(matrix(3, set())) == ["1a", "1a", "1a"]
    assert shown(matrix(3, {(0, 1), (0, 2), (1, 2)})) == ["1a", "2b", "3c"]


def test_alike_is_not_transitive() -> None:
    assert shown(matrix(3, {(0, 2)})) == ["1a", "1ab", "3b"]


@given(matrices())
def test_two_rows_share_a_letter_if_and_only_if_they_were_not_told_apart(apart: Flags) -> None:
    found = groups.of(apart)
    for i, j in combinations(range(len(apart)), 2):
        assert bool(set(found[i].letters) & set(found[j].letters)) != apart[i, j]


@given(matrices())
def test_two_rows_that_share_a_rank_were_not_told_apart(apart: Flags) -> None:
    found = groups.of(apart)
    for i, j in combinations(range(len(apart)), 2):
        assert found[i].rank <= found[j].rank
        assert not (found[i].rank == found[j].rank and apart[i, j])
    # A rank is the place of the first row that has it.
    assert all(found[each.rank - 1].rank == each.rank for each in found)


@given(matrices())
def test_no_letter_is_part_of_another_and_letters_come_in_order(apart: Flags) -> None:
    found = groups.of(apart)
    rows: dict[str, set[int]] = {}
    for row, each in enumerate(found):
        assert each.letters
        for letter in each.letters:
            rows.setdefault(letter, set()).add(row)
    assert not any(a < b or b < a for a, b in combinations(rows.values(), 2))
    names = sorted(rows, key=lambda name: sorted(rows[name]))
    assert names == [groups.letter(at) for at in range(len(names))]


def test_more_than_26_groups() -> None:
    apart = ~np.eye(60, dtype=bool)
    texts = [each.text for each in groups.of(apart)]
    assert texts[24:29] == ["y", "z", "aa", "ab", "ac"]
    assert len(set(texts)) == 60
    assert groups.letter(26 + 26 * 26 - 1) == "zz"
    assert groups.letter(26 + 26 * 26) == "aaa"


def test_letters_of_two_characters_are_kept_apart_in_text() -> None:
    # A chain of neighbours that are alike: row i has letters i-1 and i.
    apart = np.abs(np.subtract.outer(np.arange(40), np.arange(40))) > 1
    found = groups.of(apart)
    assert found[2].text == "bc"
    assert found[26].text == "z aa"


@pytest.mark.parametrize(
    "wrong", [np.eye(2, dtype=bool), np.triu(np.ones((3, 3), bool), 1), np.zeros((2, 3), bool)]
)
def test_refuses_what_is_no_such_matrix(wrong: Flags) -> None:
    with pytest.raises(ValueError, match="symmetric"):
        groups.of(wrong)
