"""Filters: what each does to a text, and what none ever does."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.worker.filters.catalogue import FILTERS
from bench.worker.filters.sentences import paragraphs, pieces
from tests.unit.test_webreader_reading import calls

TEXT = st.text(
    st.one_of(
        st.characters(codec="utf-8"), st.sampled_from(list("  \n\n..!?…«»“”()[1]-–—•|aBc。।"))
    )
)


def apply(name: str, text: str) -> str:
    return FILTERS[name](text)


def tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("• First item", "First item"),
        ("Home | News | About", "Home News About"),
        ("► Play ★★★☆☆ now", "Play now"),
        ("one – two", "one – two"),
        ("– one", "one"),
        ("one –", "one"),
        ("3 + 4 = 7 and 5 °C cost €9", "3 + 4 = 7 and 5 °C cost €9"),
        ("Salt & Co", "Salt & Co"),
        ("« oui » dit-il !", "« oui » dit-il !"),
        ("_____ ==== ~~~", ""),
        ("a_b __init__", "a_b __init__"),
        ("ok👍fine", "ok fine"),
        ("all.•Share", "all. Share"),
        ("पानी की सुराही।", "पानी की सुराही।"),
        ("می\u200cرود", "می\u200cرود"),
        ("line one\n\n• line two", "line one\n\nline two"),
    ],
)
def test_symbols(text: str, wanted: str) -> None:
    assert apply("symbols", text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Yes!!!!", "Yes!"),
        ("What?!?!?!", "What?!"),
        ("Wait..... and so on", "Wait... and so on"),
        ("End.. of", "End. of"),
        ("so…… on", "so… on"),
        ("a --- b, c,, d", "a - b, c, d"),
        ("お茶！！！", "お茶！"),
        ("http://x.org/a//b", "http://x.org/a//b"),
        ("__init__ ''quoted''", "__init__ ''quoted''"),
    ],
)
def test_punctuation(text: str, wanted: str) -> None:
    assert apply("punctuation", text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("A heading\nThis is a sentence.", "This is a sentence."),
        ("This is a sentence. Read more", "This is a sentence."),
        ("He came in. Why not? Nobody knew.", "He came in. Why not? Nobody knew."),
        ("Really?\nYes.", ""),
        ("“Go home now.” Share", "“Go home now.”"),
        ("It was said before.[1] See also", "It was said before.[1]"),
        (
            "Mr. Smith paid 3.14 euros at example.org. Menu",
            "Mr. Smith paid 3.14 euros at example.org.",
        ),
        ("The U.S. and J. Doe agreed (at last.)", "The U.S. and J. Doe agreed (at last.)"),
        ("今日は天気がいい。散歩", "今日は天気がいい。"),
        ("यह एक वाक्य है। शीर्षक", "यह एक वाक्य है।"),
        ("هل هذا سؤال جيد؟ عنوان", "هل هذا سؤال جيد؟"),
        ("โรงเรียนลอยน้ำเปิดทำการทุกวัน", "โรงเรียนลอยน้ำเปิดทำการทุกวัน"),
        ("", ""),
    ],
)
def test_sentences(text: str, wanted: str) -> None:
    assert apply("sentences", text) == wanted


def test_lines_filled_to_a_width_are_one_paragraph() -> None:
    wrapped = (
        "When the footbridge over the moss gave way in\n"
        "February, the parish was told that steel would\n"
        "cost more than it had."
    )
    assert apply("sentences", f"Menu\n\n{wrapped}\n\nShare") == wrapped.replace("\n", " ")
    # Paragraphs a line each are not taken for one, although no empty line is between them.
    separate = (
        "A heading of these forty characters or so\nIt was over.\nAnd that was the end of it."
    )
    assert apply("sentences", separate) == "It was over.\nAnd that was the end of it."


def test_the_chain_is_its_steps_in_order() -> None:
    text = "► Home | News\n• The bus was late again!!!!! More »\nWait..... Was it really?!?!"
    steps = text
    for name in ("symbols", "punctuation", "sentences"):
        steps = apply(name, steps)
    assert apply("clean", text) == steps == "The bus was late again!\nWait... Was it really?!"


@pytest.mark.parametrize("name", FILTERS)
@given(text=TEXT)
def test_no_filter_invents_or_reorders_a_character(name: str, text: str) -> None:
    out = re.sub(r"\s", "", apply(name, text))
    rest = iter(re.sub(r"\s", "", text))
    assert all(character in rest for character in out), "a subsequence"
    assert not Counter(out) - Counter(text)


@pytest.mark.parametrize("name", ["symbols", "punctuation"])
@given(text=TEXT)
def test_what_is_clean_stays_as_it_is(name: str, text: str) -> None:
    once = apply(name, text)
    assert apply(name, once) == once


@given(TEXT)
def test_a_paragraph_is_its_pieces(text: str) -> None:
    for paragraph in paragraphs(text):
        assert "".join(piece for piece, _ in pieces(paragraph)) == paragraph
    assert tokens(" ".join(paragraphs(text))) == tokens(text)


@pytest.mark.parametrize(
    "unit", ["word ", "A sentence is here. ", "? ", '."', "a.b", "…) ", "\n", "• x\n", "!?"]
)
@pytest.mark.parametrize("name", FILTERS)
def test_work_grows_no_faster_than_the_text(name: str, unit: str) -> None:
    small, large = (calls(lambda n=n: apply(name, unit * n)) for n in (500, 2000))
    assert large < 4.4 * small + 100
