"""ROUGE against Google's rouge-score: on real pairs, on made-up lines, by hand."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from bench.metrics import rouge
from bench.metrics.rouge import RougeLsum, RougeN
from bench.model import Gold
from tests import pairs
from tests.pairs import scored

# Few words, so that lines have several longest common subsequences to choose from.
LINES = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "D", "x1", "é", "…"]), max_size=12).map(" ".join),
    max_size=6,
).map("\n".join)
TEXTS = st.text(alphabet="aAbBİßK é1_ \n\r\u2028.-字", max_size=40)
SIZES = st.integers(1, 5)
TOLERANCE = 1e-9


@cache
def theirs(*kinds: str) -> RougeScorer:
    return RougeScorer(list(kinds), use_stemmer=False)


def assert_same_lines(gold: str, found: str) -> None:
    expected = tuple(theirs("rougeLsum").score(gold, found)["rougeLsum"])
    if (gold + found).strip(" \n\r\u2028….-"):
        assert scored(RougeLsum(), gold, found) == pytest.approx(expected, abs=TOLERANCE)
    else:
        assert expected == (0, 0, 0)
        assert scored(RougeLsum(), gold, found) == (1, 1, 1)


def assert_same_ngrams(gold: str, found: str, n: int) -> None:
    expected = tuple(theirs(f"rouge{n}").score(gold, found)[f"rouge{n}"])
    if (gold + found).strip(" \n\r\u2028….-"):
        assert scored(RougeN(n), gold, found) == pytest.approx(expected, abs=TOLERANCE)
    else:
        assert scored(RougeN(n), gold, found) == (1, 1, 1)


@given(LINES, LINES)
def test_lines_as_rouge_score(gold: str, found: str) -> None:
    assert_same_lines(gold, found)


@given(LINES, LINES)
def test_lines_in_small_blocks_and_pieces(gold: str, found: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rouge, "_BLOCK_BITS", 5)
        patch.setattr(rouge, "_KEPT_BITS", 20)
        assert_same_lines(gold, found)


@given(TEXTS, TEXTS)
def test_any_text_as_rouge_score(gold: str, found: str) -> None:
    assert_same_lines(gold, found)


@given(st.one_of(LINES, TEXTS), st.one_of(LINES, TEXTS), SIZES)
def test_ngrams_as_rouge_score(gold: str, found: str, n: int) -> None:
    assert_same_ngrams(gold, found, n)


def test_long_lines_as_rouge_score() -> None:
    generator = random.Random(3)

    def text(words: int) -> str:
        return " ".join(
            generator.choice("abcdefgh") + generator.choice(["", "\n"] if not i % 70 else [""])
            for i in range(words)
        )

    for m, n in ((300, 400), (700, 90), (60, 800)):
        assert_same_lines(text(m), text(n))


def test_starter_pages_as_rouge_score() -> None:
    real = [(gold, found[:6000]) for gold, found in pairs.starter()]
    assert len(real) >= 8
    for gold, found in real:
        for n in (1, 2, 4):
            assert_same_ngrams(gold, found, n)
    for gold, found in real[:6]:
        assert_same_lines(gold, found)


def test_published_outputs_as_rouge_score(shared: Path) -> None:
    real = pairs.aeb(shared / "gold" / "aeb", 25, most_cells=1e7)
    scores = [scored(RougeLsum(), gold, found) for gold, found in real]
    assert sum(0.05 < f1 < 0.95 for _, _, f1 in scores) >= 5, "the pairs must be of all kinds"
    for gold, found in real:
        assert_same_lines(gold, found)
        assert_same_ngrams(gold, found, 1)
        assert_same_ngrams(gold, found, 2)


@pytest.mark.parametrize(
    ("gold", "found", "expected"),
    [
        # The second gold line is in two lines found, together whole.
        ("a b\nc d e", "c d\nx\nd e", (3 / 5, 3 / 5, 3 / 5)),
        # Found once, it is a hit once.
        ("a\na", "a", (1, 1 / 2, 2 / 3)),
        ("A, b!", "a B", (1, 1, 1)),
        ("a", "b", (0, 0, 0)),
        ("a", "", (0, 0, 0)),
        ("", "a", (0, 0, 0)),
        ("", "", (1, 1, 1)),
        (" \n", "— …", (1, 1, 1)),
        # Words, but none that ROUGE sees.
        ("漢字", "漢字", (0, 0, 0)),
        ("", "漢字", (0, 0, 0)),
        ("漢字", "", (0, 0, 0)),
    ],
)
def test_lines_by_hand(gold: str, found: str, expected: tuple[float, ...]) -> None:
    assert scored(RougeLsum(), gold, found) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("gold", "found", "n", "expected"),
    [
        ("a b c", "a b d", 1, (2 / 3, 2 / 3, 2 / 3)),
        ("a b c", "a b d", 2, (1 / 2, 1 / 2, 1 / 2)),
        ("a a b", "a a a a", 1, (2 / 4, 2 / 3, 4 / 7)),
        # Shorter than n: there is nothing to count, as in rouge-score.
        ("a", "a", 2, (0, 0, 0)),
        ("", "", 2, (1, 1, 1)),
        ("漢字", "漢字", 1, (0, 0, 0)),
        ("a", "", 1, (0, 0, 0)),
        ("", "a", 1, (0, 0, 0)),
    ],
)
def test_ngrams_by_hand(gold: str, found: str, n: int, expected: tuple[float, ...]) -> None:
    assert scored(RougeN(n), gold, found) == pytest.approx(expected)


@given(LINES)
def test_a_text_is_perfect_against_itself(text: str) -> None:
    seen = any(c.isascii() and c.isalnum() for c in text) or "é" not in text
    assert scored(RougeLsum(), text, text) == ((1, 1, 1) if seen else (0, 0, 0))


@given(LINES, LINES)
def test_figures_are_shares(gold: str, found: str) -> None:
    score = scored(RougeLsum(), gold, found)
    assert 0 <= min(score) <= max(score) <= 1
    precision, recall, f1 = score
    assert min(precision, recall) - TOLERANCE <= f1 <= max(precision, recall) + TOLERANCE


@given(LINES, LINES, LINES)
def test_a_gold_text_scores_any_number_of_extractions(gold: str, one: str, other: str) -> None:
    first, _, again = RougeLsum().count(Gold(gold), None, [one, other, one])
    assert first == again == scored(RougeLsum(), gold, one)


def test_what_is_past_the_limit_counts_as_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rouge, "MAX_GOLD_TOKENS", 4)
    monkeypatch.setattr(rouge, "MAX_TOKENS", 6)
    eight = "a b c\nd e\nf g h"
    assert scored(RougeLsum(), eight, eight) == (4 / 8, 4 / 8, 4 / 8)
    assert scored(RougeLsum(), "h", eight) == (0, 0, 0)
    assert scored(RougeLsum(), "f", eight) == pytest.approx((1 / 8, 1, 2 / 9))
    monkeypatch.setattr(rouge, "MAX_CELLS", 8)
    assert scored(RougeLsum(), "a b c d", eight) == pytest.approx((2 / 8, 2 / 4, 2 / 6))


@pytest.mark.slow
def test_a_hundred_thousand_words_in_one_line() -> None:
    generator = random.Random(4)
    words = [f"w{generator.randrange(30_000)}" for _ in range(100_000)]
    score = scored(RougeLsum(), " ".join(words), " ".join(words))
    assert score == (1 / 2, 1 / 2, 1 / 2)
