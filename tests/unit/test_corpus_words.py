"""What a word and a phrase of a corpus are."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.corpus import words


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("El Niño comió", ["el", "niño", "comió"]),
        ("grama\u0301tica", ["gramática"]),
        ("gra\u00admá\u00adtica", ["gramática"]),
        ("libre\ninfraestructuras", ["libre", "infraestructuras"]),
        ("3²x Ⅷ a_b e-mail d'or", ["x", "a", "b", "e", "mail", "d", "or"]),
        ("हिन्दी", ["हिन्दी"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("\u0301x \u200d", ["x"]),
        ("", []),
    ],
)
def test_words(text: str, wanted: list[str]) -> None:
    assert words.words(words.normal(text)) == wanted


def plain_count(text: str) -> list[str]:
    """Return the words of a text, character by character."""
    found, word = [], ""
    for character in f"{text.lower()} ":
        letter = unicodedata.category(character)[0] == "L"
        mark = unicodedata.category(character)[0] == "M" or character in "\u200c\u200d"
        if letter or (mark and word):
            word += character
        elif word:
            found.append(word)
            word = ""
    return found


@given(st.text())
def test_words_are_runs_of_letters_with_their_marks(text: str) -> None:
    normal = words.normal(text)
    assert words.words(normal) == plain_count(normal)


@given(st.text(), st.text())
def test_a_line_end_parts_words(first: str, second: str) -> None:
    both = words.normal(f"{first}\n{second}")
    apart = words.words(words.normal(first)) + words.words(words.normal(second))
    assert words.words(both) == apart


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Uno, dos. Tres; cuatro: cinco", ["Uno, dos", "Tres", "cuatro", "cinco"]),
        ("A las 12:30 costó 3.14 en example.org!", ["A las 12:30 costó 3.14 en example.org"]),
        ('Dijo: "¿Qué?" Y calló…\nTítulo  doble', ["Dijo", '"¿Qué', "Y calló", "Título doble"]),
        ("今日は。明日？", ["今日は", "明日"]),
        ("1.\n—\n", []),
    ],
)
def test_phrases(text: str, wanted: list[str]) -> None:
    assert list(words.phrases(text)) == wanted


def test_words_are_found_whatever_their_accents() -> None:
    assert words.unaccented("GRAMÁTICA") == "gramatica"
