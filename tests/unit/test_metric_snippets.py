"""Snippets that must and must not appear."""

from __future__ import annotations

import numpy as np
import pytest

from bench.metrics.snippets import Snippets
from bench.model import Gold

GOLD = Gold(None, ("we  sailed at dawn", "the sea was calm"), ("Sign up\nnow",))


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
    assert list(Snippets().count(GOLD, None, [text])) == [expected]


def folded(*pages: tuple[int, int, int, int]) -> dict[str, float]:
    columns = dict(zip(Snippets.columns, np.array(pages, np.float64).T[:, None, :], strict=True))
    figures = Snippets().fold(columns, np.zeros((1, len(pages)), bool))
    return {name: float(figure.values()[0]) for name, figure in figures.items()}


def test_counts_are_summed_before_figures_are_taken() -> None:
    expected = {"precision": 3 / 4, "recall": 3 / 6, "f1": 6 / 10, "accuracy": 8 / 12}
    assert folded((3, 1, 0, 2), (0, 0, 3, 3)) == pytest.approx(expected)


def test_no_snippets_score_nothing() -> None:
    assert list(Snippets().count(Gold(None), None, ["text"])) == [(0, 0, 0, 0)]
    assert set(folded((0, 0, 0, 0)).values()) == {0.0}
