"""Marking what is missing and surplus: nothing is lost, and the least is marked."""

from __future__ import annotations

import re
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metrics.texts import token_numbers
from bench.metrics.texts.tokens import tokenize
from bench.report import text_diff
from bench.report.text_diff import LEFT_OUT, MISSING, SAME, SURPLUS, Lexicon, Span

WORDS = st.lists(
    st.sampled_from(["the", "cat", "sat", "on", "a", "mat", "Mat", "naïve"]), max_size=30
)
TEXTS = st.one_of(
    WORDS.map(" ".join),
    st.text(max_size=80),
    WORDS.map(lambda words: ", ".join(words) + ".\n\n"),
)


def joined(spans: list[Span], *kinds: str, by: str = "") -> str:
    return by.join(span.text for span in spans if span.kind in kinds)


def lcs(a: list[str], b: list[str]) -> int:
    """Length of the longest common subsequence, the slow and simple way."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = row[:]
        for at, y in enumerate(b, 1):
            row[at] = before[at - 1] + 1 if x == y else max(before[at], row[at - 1])
    return row[-1]


@given(TEXTS, TEXTS)
def test_the_extraction_is_there_character_by_character(gold: str, text: str) -> None:
    spans = text_diff.spans(gold, text)
    assert joined(spans, SAME, SURPLUS) == text
    assert tokenize(joined(spans, SAME, MISSING, by=" ")) == tokenize(gold) or not tokenize(gold)
    assert all(span.text for span in spans)
    assert all(a.kind != b.kind for a, b in pairwise(spans))


@given(WORDS, WORDS)
def test_as_much_as_can_be_is_the_same(a: list[str], b: list[str]) -> None:
    spans = text_diff.spans(" ".join(a), " ".join(b))
    assert len(tokenize(joined(spans, SAME, by=" "))) == lcs(a, b)


@given(TEXTS, TEXTS)
def test_cut_up_texts_lose_nothing_either(gold: str, text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_diff, "_CELLS", 16)
        spans = text_diff.spans(gold, text)
    assert joined(spans, SAME, SURPLUS) == text
    if tokenize(gold):
        assert tokenize(joined(spans, SAME, MISSING, by=" ")) == tokenize(gold)


# Beginnings of one another, around the eight bytes that are one integer; and signs between them.
NEARLY_EQUAL = st.text(st.sampled_from("aaaaaaaé漢\0\x85—😀𝒜_ \n\ud800"), max_size=60)


@given(st.lists(NEARLY_EQUAL | TEXTS, min_size=1, max_size=5), st.sampled_from([0, 500]))
def test_words_have_one_number_if_they_are_equal(texts: list[str], many: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_diff, "_MANY", many)
        patch.setattr(token_numbers, "_CHARS_AT_ONCE", 20)
        lexicon = Lexicon(["known", "words"])
        cut = list(lexicon.cut(texts))
    assert lexicon.words[:2] == ["known", "words"]
    assert len(lexicon.words) == len(set(lexicon.words))
    for text, words in zip(texts, cut, strict=True):
        assert [lexicon.words[number - 1] for number in words.tokens] == tokenize(text)


def test_missing_comes_before_surplus() -> None:
    assert text_diff.spans("The cat sat on the mat.", "Menu: The cat sat on a mat.") == [
        Span(SURPLUS, "Menu: "),
        Span(SAME, "The cat sat on "),
        Span(MISSING, "the "),
        Span(SURPLUS, "a "),
        Span(SAME, "mat."),
    ]


def test_punctuation_and_space_are_no_difference() -> None:
    (span,) = text_diff.spans("One, two -- three!", "One two\nthree")
    assert span == (SAME, "One two\nthree")


@pytest.mark.parametrize(
    ("gold", "text", "spans"),
    [
        ("", "", []),
        ("a b", "", [Span(MISSING, "a b")]),
        ("", "a b", [Span(SURPLUS, "a b")]),
        ("a", "A", [Span(MISSING, "a"), Span(SURPLUS, "A")]),
    ],
)
def test_edges(gold: str, text: str, spans: list[Span]) -> None:
    assert text_diff.spans(gold, text) == spans


def test_long_stretches_of_the_same_are_left_out() -> None:
    words = " ".join(f"w{number}" for number in range(1000))
    spans = text_diff.spans(f"{words} end", f"start {words}", context=5)
    assert [span.kind for span in spans] == [SURPLUS, SAME, LEFT_OUT, SAME, MISSING]
    assert spans[1].text == "w0 w1 w2 w3 w4 "
    assert spans[2].text == "990 words the same"
    assert re.fullmatch(r"w995 w996 w997 w998 w999 ?", spans[3].text)


def test_a_text_too_long_for_one_go_is_held_at_words_that_stand_once() -> None:
    """100,000 words: the table of the whole would be 10 billion cells."""
    gold = [f"w{number}" for number in range(100_000)]
    text = [word for number, word in enumerate(gold) if number % 1000]
    spans = text_diff.spans(" ".join(gold), " ".join(text))
    assert len(tokenize(joined(spans, MISSING))) == 100
    assert joined(spans, SURPLUS) == ""


def test_more_words_than_there_are_characters_are_told_apart_too() -> None:
    gold = [f"{number:x}" for number in range(sys.maxunicode + 10)]
    text = [*gold[:-3], *reversed(gold[-3:])]
    spans = text_diff.spans(" ".join(gold), " ".join(text))
    assert tokenize(joined(spans, SAME, SURPLUS)) == text
    assert tokenize(joined(spans, SAME, MISSING, by=" ")) == gold
    assert len(tokenize(joined(spans, SURPLUS))) == 2
