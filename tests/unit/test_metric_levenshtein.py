"""Edit similarity against the table that one fills by hand."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metrics import levenshtein
from bench.metrics.levenshtein import Levenshtein, LevenshteinByCharacter
from bench.metrics.texts import sequences
from tests import pairs
from tests.pairs import scored

TEXTS = st.text(alphabet="abAé字 _.\n\0\ud800", max_size=25)
WORDS = st.lists(st.sampled_from(["a", "b", "c", "ab", "字", "\0", "—"]), max_size=20).map(" ".join)


def distance(a: Sequence[str], b: Sequence[str]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
    return row[-1]


def similarity(a: Sequence[str], b: Sequence[str]) -> float:
    return 1 - distance(a, b) / max(len(a), len(b)) if a or b else 1.0


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@given(WORDS, WORDS)
def test_words_as_the_table_has_it(gold: str, found: str) -> None:
    expected = similarity(words(gold), words(found))
    assert scored(Levenshtein(), gold, found)[0] == pytest.approx(expected, abs=1e-12)


@given(TEXTS, TEXTS)
def test_characters_as_the_table_has_it(gold: str, found: str) -> None:
    expected = similarity(gold if gold.strip() else "", found if found.strip() else "")
    assert scored(LevenshteinByCharacter(), gold, found)[0] == pytest.approx(expected, abs=1e-12)


def test_starter_pages_as_the_table_has_them() -> None:
    for gold, found in pairs.starter()[:5]:
        g, f = gold[:400], re.sub(r"\s+", " ", found)[200:700]
        assert scored(Levenshtein(), g, f)[0] == pytest.approx(similarity(words(g), words(f)))
        assert scored(LevenshteinByCharacter(), g, f)[0] == pytest.approx(similarity(g, f))


def test_published_outputs_as_the_table_has_them(shared: Path) -> None:
    real = pairs.aeb(shared / "gold" / "aeb", 12, most_cells=1e7)
    scores = [scored(Levenshtein(), gold, found)[0] for gold, found in real]
    assert scores == pytest.approx([similarity(words(g), words(f)) for g, f in real], abs=1e-12)
    assert len({round(each, 2) for each in scores}) >= 5, "the pairs must be of all kinds"


@pytest.mark.parametrize(
    ("gold", "found", "by_word", "by_character"),
    [
        ("", "", 1, 1),
        (" \n", "\t", 1, 1),
        ("a", "", 0, 0),
        ("", "a", 0, 0),
        ("a b c d", "a x c d", 3 / 4, 6 / 7),
        # Punctuation is no word, case and white space are differences of characters.
        ("one two", "one, two", 1, 7 / 8),
        ("one two", "one  two", 1, 7 / 8),
        ("kitten", "sitting", 0, 4 / 7),
        # Order counts.
        ("a b", "b a", 0, 1 / 3),
    ],
)
def test_by_hand(gold: str, found: str, by_word: float, by_character: float) -> None:
    assert scored(Levenshtein(), gold, found)[0] == pytest.approx(by_word)
    assert scored(LevenshteinByCharacter(), gold, found)[0] == pytest.approx(by_character)


@pytest.mark.parametrize("metric", [Levenshtein(), LevenshteinByCharacter()])
@given(a=TEXTS, b=TEXTS)
def test_range_symmetry_and_identity(metric: Levenshtein, a: str, b: str) -> None:
    (there,), (back,) = scored(metric, a, b), scored(metric, b, a)
    assert 0 <= there <= 1
    assert there == back
    assert scored(metric, a, a) == (1,)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 900))
def test_cut_texts_fit(m: int, n: int, cells: int) -> None:
    size = sequences.longest(m, n, cells)
    assert min(m, size) * min(n, size) <= cells
    assert m * n > cells or size >= max(m, n) or not min(m, n)


@given(WORDS, WORDS, st.integers(1, 100))
def test_a_cut_text_is_never_too_similar(gold: str, found: str, cells: int) -> None:
    whole = scored(Levenshtein(), gold, found)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levenshtein, "MAX_WORD_CELLS", cells)
        assert 0 <= scored(Levenshtein(), gold, found)[0] <= whole


def test_what_is_past_the_limit_counts_as_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levenshtein, "MAX_WORD_CELLS", 16)
    monkeypatch.setattr(levenshtein, "MAX_CHARACTER_CELLS", 16)
    assert scored(Levenshtein(), "a b c d e f g h", "a b c d e f g h")[0] == 1 / 2
    assert scored(LevenshteinByCharacter(), "abcdefgh", "abcdefgh")[0] == 1 / 2


@pytest.mark.slow
def test_two_hundred_thousand_words_of_their_own() -> None:
    generator = random.Random(5)
    text = " ".join(f"w{generator.randrange(10**6)}" for _ in range(200_000))
    assert scored(Levenshtein(), text, text)[0] == 1 / 2


def test_more_words_than_there_are_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequences, "_MOST_WORDS", 2)
    gold = sequences.GoldWords(["a", "b", "c", "d"])
    assert gold.coded[:2] == gold.encode(["a", "b"])
    assert not set(gold.coded[2:]) & set(gold.encode(["a", "b", "c", "d", "e"]))
