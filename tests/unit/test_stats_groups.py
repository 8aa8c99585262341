"""Letters and ranks say exactly which rows differ."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.stats import groups
from bench.stats.estimate import Standing
from bench.stats.figure import Figure

Flags = npt.NDArray[np.bool_]


def matrix(size: int, differ: set[tuple[int, int]]) -> Flags:
    cells = np.zeros((size, size), bool)
    for i, j in differ:
        cells[i, j] = cells[j, i] = True
    return cells


@st.composite
def matrices(draw: st.DrawFn) -> Flags:
    size = draw(st.integers(0, 11))
    pairs = list(combinations(range(size), 2))
    return matrix(size, {pair for pair in pairs if draw(st.booleans())})


def texts(differ: Flags) -> list[str]:
    return ["".join(own) for own in groups.letters(differ)]


def noisy(means: list[float], pages: int = 80, seed: int = 3, spread: float = 0.02) -> Figure:
    """Rows of these means, best first, each with noise of its own."""
    noise = np.random.default_rng(seed).normal(0, spread, (len(means), pages))
    values = np.clip(np.array(means)[:, None] + noise, 0, 1)
    return Figure((values[np.argsort(-values.mean(axis=1))],))


def test_all_alike_and_all_different() -> None:
    assert texts(matrix(3, set())) == ["a", "a", "a"]
    assert texts(matrix(3, {(0, 1), (0, 2), (1, 2)})) == ["a", "b", "c"]


def test_alike_is_not_transitive() -> None:
    assert texts(matrix(3, {(0, 2)})) == ["a", "ab", "b"]


@given(matrices())
def test_two_rows_share_a_letter_if_and_only_if_they_do_not_differ(differ: Flags) -> None:
    letters = groups.letters(differ)
    for i, j in combinations(range(len(differ)), 2):
        assert bool(set(letters[i]) & set(letters[j])) != differ[i, j]


@given(matrices())
def test_no_letter_is_part_of_another_and_letters_come_in_order(differ: Flags) -> None:
    rows: dict[str, set[int]] = {}
    for row, own in enumerate(groups.letters(differ)):
        assert own
        for letter in own:
            rows.setdefault(letter, set()).add(row)
    assert not any(a < b or b < a for a, b in combinations(rows.values(), 2))
    names = sorted(rows, key=lambda name: sorted(rows[name]))
    assert names == [groups.letter(at) for at in range(len(names))]


def test_more_than_26_groups() -> None:
    shown = texts(~np.eye(60, dtype=bool))
    assert shown[24:29] == ["y", "z", "aa", "ab", "ac"]
    assert len(set(shown)) == 60
    assert groups.letter(26 + 26 * 26 - 1) == "zz"
    assert groups.letter(26 + 26 * 26) == "aaa"


def test_letters_of_two_characters_are_kept_apart_in_text() -> None:
    assert Standing(True, 0, ("b", "c")).text == "bc"
    assert Standing(True, 0, ("z", "aa")).text == "z aa"


@pytest.mark.parametrize(
    "wrong", [np.eye(2, dtype=bool), np.triu(np.ones((3, 3), bool), 1), np.zeros((2, 3), bool)]
)
def test_refuses_what_is_no_such_matrix(wrong: Flags) -> None:
    with pytest.raises(ValueError, match="symmetric"):
        groups.letters(wrong)


def test_rows_that_do_not_differ_share_rank_and_letter() -> None:
    standings = groups.of_figure(noisy([0.9, 0.9, 0.3]))
    assert [(own.rank, own.text) for own in standings.rows] == [(1, "a"), (1, "a"), (3, "b")]
    assert [own.best for own in standings.rows] == [True, True, False]


@pytest.mark.parametrize("seed", range(20))
def test_no_row_ranks_below_others_unless_one_beats_it(seed: int) -> None:
    figure = noisy([0.9, 0.895, 0.89, 0.88, 0.87, 0.8], 60, seed, spread=0.05)
    rows = groups.of_figure(figure).rows
    assert rows[0].rank == 1
    for place, own in enumerate(rows):
        apart = [not set(own.letters) & set(above.letters) for above in rows[:place]]
        assert own.rank == 1 + sum(apart), "one more than the rows above that differ from it"
        if own.beaten_by == 0:
            assert own.rank == 1
        if not own.best:
            assert own.beaten_by > 0


def test_the_smaller_family_finds_what_the_larger_one_misses() -> None:
    """A row that differs from the best by k - 1 comparisons is beaten by it, whatever k² say."""
    figure = noisy([0.9, *[0.9] * 30, 0.8945], 100, seed=1, spread=0.01)
    rows = groups.of_figure(figure).rows
    assert all(own.best or own.beaten_by > 0 for own in rows)


@pytest.mark.parametrize("rows", [0, 1])
def test_a_board_of_one_or_none(rows: int) -> None:
    standings = groups.of_figure(Figure((np.full((rows, 40), 0.5),)))
    assert [own.text for own in standings.rows] == ["a"] * rows
    assert standings.detectable is None


def test_what_can_be_found_is_said() -> None:
    few, many = (groups.of_figure(noisy([0.9, 0.88, 0.8], pages)) for pages in (40, 160))
    assert few.detectable == pytest.approx(2 * many.detectable, rel=0.3)
    assert groups.of_figure(noisy([0.9, 0.8], 19)).detectable is None
