"""Snippets that must and must not appear."""

from __future__ import annotations

import pytest

from bench.metrics.snippets import Counts, GoldSnippets, figures, total


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we sailed\n  at dawn, late", (1, 0, 1, 1)),
        ("we sailed at dawn. the sea was calm. Sign up\u00a0now", (2, 1, 0, 0)),
        ("We Sailed At Dawn", (0, 0, 2, 1)),  # case counts, as in trafilatura's
        ("", (0, 0, 2, 1)),
        (" \n", (0, 0, 2, 1)),
    ],
)
def test_counts_of_a_page(text: str, expected: tuple[int, ...]) -> None:
    gold = GoldSnippets(["we  sailed at dawn", "the sea was calm"], ["Sign up\nnow"])
    assert gold.score(text) == expected


def test_counts_are_summed_before_figures_are_taken() -> None:
    counts = total([Counts(3, 1, 0, 2), Counts(0, 0, 3, 3)])
    assert counts == (3, 1, 3, 5)
    assert figures(counts) == pytest.approx((3 / 4, 3 / 6, 8 / 12, 6 / 10))


def test_no_snippets_score_nothing() -> None:
    assert GoldSnippets((), ()).score("text") == (0, 0, 0, 0)
    assert figures(total([])) == (0, 0, 0, 0)
