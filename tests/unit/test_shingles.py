"""The n-gram scorer against a plain one: tuples, Counter, loops."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metrics.texts import shingles, token_numbers, tokens
from bench.metrics.texts.shingles import N, PageScore
from bench.metrics.texts.token_numbers import Ints
from bench.metrics.texts.tokens import Unit, characters, tokenize, unit_for
from tests.perf import reference_scorer

TOLERANCE = 1e-12


def plain_tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def scored(gold: str, extracted: str, n: int = N, unit: Unit = "word") -> PageScore:
    (score,) = shingles.scores(gold, [extracted], n, unit)
    return score


def assert_same(gold: str, extracted: str, n: int) -> None:
    score = scored(gold, extracted, n)
    assert score[:3] == pytest.approx(reference_scorer.counts(gold, extracted, n), abs=TOLERANCE)
    assert score.exact == (plain_tokens(gold) == plain_tokens(extracted))


# Few words, so that shingles repeat and coincide.
few_words = st.lists(
    st.sampled_from(["a", "b", "c", "the", "The", "ünï", "漢字", "_x", "1"]), max_size=30
).map(" ".join)
any_text = st.text(max_size=80)
sizes = st.integers(1, 8)


@given(few_words, few_words, sizes)
def test_equals_the_plain_scorer_on_repeating_words(gold: str, extracted: str, n: int) -> None:
    assert_same(gold, extracted, n)


@given(any_text, any_text, sizes)
def test_equals_the_plain_scorer_on_any_text(gold: str, extracted: str, n: int) -> None:
    assert_same(gold, extracted, n)


@given(few_words, st.lists(few_words, max_size=6), sizes, st.integers(1, 200))
def test_texts_of_a_page_do_not_touch(
    gold: str, texts: list[str], n: int, chars_at_once: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_numbers, "_CHARS_AT_ONCE", chars_at_once)
        together = list(shingles.scores(gold, texts, n))
    assert together == [scored(gold, text, n) for text in texts]


def test_a_long_gold_is_numbered_once_for_as_much_text(monkeypatch: pytest.MonkeyPatch) -> None:
    of_texts, parts = token_numbers.of_texts, []

    def noting(texts: Sequence[str], unit: Unit) -> tuple[Ints, Ints]:
        parts.append(sum(map(len, texts)))
        return of_texts(texts, unit)

    monkeypatch.setattr(token_numbers, "of_texts", noting)
    monkeypatch.setattr(token_numbers, "_CHARS_AT_ONCE", 10)
    gold, texts = "a b c d e " * 100, ["a b c d e "] * 100
    list(shingles.scores(gold, texts))
    assert sum(parts) < 4 * len(gold)


@given(any_text, sizes)
def test_a_text_is_perfect_against_itself(text: str, n: int) -> None:
    score = scored(text, text, n)
    assert score.exact
    assert score[:3] == ((1.0, 0.0, 0.0) if plain_tokens(text) else (0.0, 0.0, 0.0))


@given(few_words, few_words, sizes)
def test_changing_sides_swaps_false_positives_and_negatives(a: str, b: str, n: int) -> None:
    one, other = scored(a, b, n), scored(b, a, n)
    assert (one.tp, one.fp, one.fn) == pytest.approx((other.tp, other.fn, other.fp))


@given(few_words, few_words, sizes)
def test_counts_are_shares(gold: str, extracted: str, n: int) -> None:
    counts = scored(gold, extracted, n)[:3]
    assert min(counts) >= 0.0
    assert sum(counts) == pytest.approx(1.0 if (gold + extracted).strip() else 0.0)


@pytest.mark.parametrize(
    ("gold", "extracted", "expected"),
    [
        ("", "", (0, 0, 0)),
        ("", " \n—…!", (0, 0, 0)),
        ("a b c d", "", (0, 0, 1)),
        ("", "a b c d e", (0, 1, 0)),
        ("a b c d", "a b c d", (1, 0, 0)),
        ("a b c d e", "a b c d", (1 / 2, 0, 1 / 2)),
        ("a b c d", "a b c d e", (1 / 2, 1 / 2, 0)),
        # Case counts, punctuation does not.
        ("A b c d", "a b c d", (0, 1 / 2, 1 / 2)),
        ("a, b. c! d?", "a b\nc\td", (1, 0, 0)),
        # A multiset: the gram that comes twice is found once.
        ("x x x x x", "x x x x", (1 / 2, 0, 1 / 2)),
        # One shorter gram, which is not the beginning of a longer one.
        ("a b c", "a b c", (1, 0, 0)),
        ("a b", "a b c", (0, 1 / 2, 1 / 2)),
        ("a b c", "a b c d", (0, 1 / 2, 1 / 2)),
        ("a", "a a", (0, 1 / 2, 1 / 2)),
    ],
)
def test_by_hand(gold: str, extracted: str, expected: tuple[float, float, float]) -> None:
    assert scored(gold, extracted)[:3] == pytest.approx(expected)
    assert reference_scorer.counts(gold, extracted, N) == pytest.approx(expected)


def test_exact_looks_at_tokens_in_order() -> None:
    gold = "one two three"
    assert scored(gold, "one, two — three!").exact
    assert not scored(gold, "one three two").exact
    assert not scored(gold, "One two three").exact


@pytest.mark.parametrize("n", range(1, 9))
def test_more_words_than_fit_into_63_bits(n: int) -> None:
    generator = np.random.default_rng(n)
    gold = [f"w{i}" for i in generator.integers(0, 60_000, 70_000)]
    extracted = gold[10_000:60_000] + [f"v{i}" for i in generator.integers(0, 30_000, 30_000)]
    vocabulary = len(set(gold) | set(extracted))
    assert (vocabulary**n >= 2**63) == (n >= 4), "the case must take both ways of counting"
    assert_same(" ".join(gold), " ".join(extracted), n)


@pytest.mark.parametrize("n", [4, 8, 20])
def test_short_against_a_large_vocabulary(n: int) -> None:
    gold = " ".join(f"w{i}" for i in range(70_000))
    assert_same(gold, "w1 w2 w3", n)
    assert_same("w1 w2 w3", gold, n)
    assert_same(gold, "", n)


def test_the_default_is_four() -> None:
    assert N == 4


@given(st.text())
def test_tokens_are_those_of_aeb(text: str) -> None:
    assert tokenize(text) == plain_tokens(text)


# Beginnings of one another, around the eight bytes that are one integer; and signs between them.
nearly_equal_words = st.text(st.sampled_from("aaaaaaaé漢\0\x85—😀𝒜_ \n\ud800"), max_size=60)


@given(
    st.lists(nearly_equal_words | any_text, min_size=1, max_size=4), st.sampled_from(Unit.__args__)
)
def test_tokens_have_one_number_if_they_are_equal(texts: list[str], unit: Unit) -> None:
    numbers, ends = token_numbers.of_texts(texts, unit)
    cut = [tokens.of(text, unit) for text in texts]
    assert ends.tolist() == np.cumsum([len(own) for own in cut]).tolist()
    pairs = set(zip(chain.from_iterable(cut), numbers.tolist(), strict=True))
    assert len(pairs) == len({token for token, _ in pairs})
    known = {number for token, number in pairs if token in cut[0]}
    assert 0 not in known
    assert len(known) == len(set(cut[0]))
    assert known.isdisjoint(number for token, number in pairs if token not in cut[0])


# -- languages without spaces between words -------------------------------------------------------


def apart(text: str) -> str:
    """Return a text's characters as words: letters of a script that has nothing but words."""
    return " ".join(f"u{ord(c)}" for c in text if not c.isspace())


@given(any_text, any_text, sizes)
def test_characters_count_as_words_apart(gold: str, extracted: str, n: int) -> None:
    by_character = scored(gold, extracted, n, "character")
    assert by_character == scored(apart(gold), apart(extracted), n)


@given(any_text)
def test_white_space_does_not_count_between_characters(text: str) -> None:
    assert characters(text) == [c for c in text if not c.isspace()]
    assert scored(text, "\n ".join(text), unit="character").exact


def test_characters_tell_what_words_cannot() -> None:
    # One run of letters either way: as words all is lost for one character too many.
    gold, found = "これは本文です", "これは本文ですね"
    assert scored(gold, found).tp == 0
    assert scored(gold, found, unit="character")[:3] == pytest.approx((4 / 5, 1 / 5, 0))


@pytest.mark.parametrize(
    ("language", "unit"),
    [("zh", "character"), ("zh-Hant-TW", "character"), ("ja_JP", "character"), ("TH", "character"),
     ("lo", "character"), ("km", "character"), ("my", "character"), ("en", "word"), ("ko", "word"),
     ("vi", "word"), ("", "word"), (None, "word"), ("zhx", "word")],
)  # fmt: skip
def test_the_unit_of_a_language(language: str | None, unit: str) -> None:
    assert unit_for(language) == unit


def test_no_word_spans_white_space() -> None:
    spaces = "".join(filter(str.isspace, map(chr, range(0x110000))))
    assert not tokenize(spaces)
