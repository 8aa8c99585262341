"""Figures of texts without gold: their bounds, what they must not depend on, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.datasets.lint import grams
from bench.metrics.texts import shingles
from bench.scoring import page_survey

WORDS = st.lists(st.sampled_from(["a", "b", "c", "dd", "e1", "ä", "\n"]), max_size=14)
TEXTS = WORDS.map(" ".join)
FAMILY = st.sampled_from(["x", "y", "z", None])
ROWS = st.lists(st.tuples(st.none() | TEXTS, FAMILY), min_size=1, max_size=6)
SHARES = ("consensus", "invented", "invented_words", "repeated")


def survey(page: str, rows: list[tuple[str | None, str | None]]) -> page_survey.PageSurvey:
    texts, families = zip(*rows, strict=True)
    return page_survey.of_page(grams.folded(page), texts, families)


@given(TEXTS, ROWS)
def test_figures_stay_within_their_bounds(
    page: str, rows: list[tuple[str | None, str | None]]
) -> None:
    found = survey(page, rows)
    for name in SHARES:
        known = getattr(found, name)[~np.isnan(getattr(found, name))]
        assert ((known >= 0) & (known <= 1)).all(), name
    for at, (text, _) in enumerate(rows):
        assert np.isnan(found.words[at]) == (text is None)
        assert not found.alone[at] > found.words[at]
        if text is None:
            assert found.consensus[at] == 0
            assert np.isnan([found.invented[at], found.repeated[at], found.alone[at]]).all()


@given(TEXTS, ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(
    page: str, rows: list[tuple[str | None, str | None]], random: object
) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)  # type: ignore[attr-defined]
    before, after = survey(page, rows), survey(page, [rows[at] for at in order])
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(one[order], other, atol=1e-9)


@given(TEXTS, st.integers(2, 5))
def test_one_text_everywhere_is_full_consensus(text: str, rows: int) -> None:
    found = survey(text, [(text, f"family {at}") for at in range(rows)])
    assert (found.consensus == 1).all()
    assert (found.alone == 0).all()
    assert (found.lost == 0).all()
    assert not found.invented_words[~np.isnan(found.invented_words)].any()


@given(TEXTS, TEXTS)
def test_consensus_of_two_is_the_f1_that_scores_have(one: str, other: str) -> None:
    (page,) = shingles.scores(one, [other])
    both = page.tp + page.fp + page.fn
    wanted = 2 * page.tp / (2 * page.tp + page.fp + page.fn) if both else 1.0
    found = survey("", [(one, "x"), (other, "y")])
    assert found.consensus == pytest.approx([wanted, wanted])


@given(ROWS, TEXTS, st.integers(1, 4))
def test_variants_of_a_family_count_once(
    rows: list[tuple[str | None, str | None]], text: str, copies: int
) -> None:
    others = [row for row in rows if row[1] != "ports"]
    once = survey("", [*others, (text, "ports")])
    often = survey("", [*others, *[(text, "ports")] * copies])
    for one, other in zip(once, often, strict=True):
        np.testing.assert_allclose(one[: len(others)], other[: len(others)], atol=1e-9)


def test_a_control_is_compared_and_no_opinion() -> None:
    rows = [("one two three four", "x"), ("one two three four", "y")]
    with_control = [*rows, ("five six seven eight", None)]
    assert survey("", with_control).consensus[:2] == pytest.approx([1, 1])
    assert survey("", with_control).consensus[2] == 0


def test_nobody_else_says_nothing_of_consensus() -> None:
    found = survey("one two", [("one two", "x"), ("two", "x")])
    assert np.isnan(found.consensus).all()
    assert np.isnan(found.lost).all()


def test_invented_text_by_hand() -> None:
    page = "The old ferry crossed the river. Twice a day."
    found = survey(page, [("The old ferry\ncrossedthe river", "x"), ("Twice a day.", "y")])
    assert found.invented_words == pytest.approx([1 / 5, 0])  # words glued together
    assert found.invented == pytest.approx([1 / 2, 0])  # of two lines one
    lost = survey(page, [("Twice a night", "x"), ("Twice a day", "y")])
    assert lost.invented == pytest.approx([1, 0])


def test_what_one_alone_keeps_and_loses_by_hand() -> None:
    rows = [("a a b z", "x"), ("a b c", "y"), ("a c b", "z")]
    found = survey("", [(text, family) for text, family in rows])
    assert found.alone.tolist() == [2, 0, 0]  # the second a, and z
    assert found.lost.tolist() == [1, 0, 0]  # c


def test_hardly_any_is_one_family_in_ten() -> None:
    rows: list[tuple[str | None, str | None]] = [("rare", "x"), ("rare", "y")]
    nine, ten = ([*rows, *[("", f"other {at}") for at in range(more)]] for more in (8, 9))
    assert survey("", nine).alone[0] == 0
    assert survey("", ten).alone[0] == 1


def test_lines_of_one_text_that_repeat() -> None:
    found = survey("", [("Share\n text \n Share\n\nShare", "x"), ("", "y")])
    assert found.repeated[0] == pytest.approx(2 / 4)
    assert np.isnan(found.repeated[1])


def test_lines_that_recur_on_pages_of_a_host() -> None:
    pages = [page_survey.hashed_lines(t) for t in ("menu\none", "menu \ntwo", "three", "")]
    shares = page_survey.recurring(pages, ["1", "2", "3", "4"])
    np.testing.assert_allclose(shares, [0.5, 0.5, 0, np.nan])
    # A copy of a page is no second page.
    np.testing.assert_allclose(page_survey.recurring(pages[:1] * 2, ["1", "1"]), [np.nan] * 2)


@given(st.lists(TEXTS, min_size=2, max_size=6))
def test_boilerplate_is_a_share_and_of_no_order(texts: list[str]) -> None:
    lines = [page_survey.hashed_lines(text) for text in texts]
    names = list(range(len(texts)))
    shares = page_survey.recurring(lines, names)
    known = shares[~np.isnan(shares)]
    assert ((known >= 0) & (known <= 1)).all()
    np.testing.assert_allclose(shares[::-1], page_survey.recurring(lines[::-1], names))


def test_characters_count_where_there_are_no_spaces() -> None:
    texts = ["天地玄黃宇宙", "天地玄黃洪荒"]
    found = page_survey.of_page(grams.folded(texts[0]), texts, ["x", "y"], "character")
    assert found.consensus == pytest.approx([1 / 3, 1 / 3])
    assert found.words.tolist() == [6, 6]
