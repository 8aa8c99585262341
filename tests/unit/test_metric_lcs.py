"""Longest common subsequence of words against the table that one fills by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metrics import lcs
from bench.metrics.lcs import Lcs
from tests import pairs
from tests.pairs import scored

WORDS = st.lists(st.sampled_from(["a", "b", "c", "ab", "字", "\0", "—"]), max_size=20).map(" ".join)
TOLERANCE = 1e-12


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def common(a: list[str], b: list[str]) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        corner = 0
        for j, y in enumerate(b, 1):
            corner, row[j] = row[j], corner + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


def assert_same(gold: str, found: str) -> None:
    g, f = words(gold), words(found)
    score = scored(Lcs(), gold, found)
    if not g or not f:
        assert score == (float(g == f),) * 3
        return
    length = common(g, f)
    expected = (length / len(f), length / len(g), 2 * length / (len(g) + len(f)))
    assert score == pytest.approx(expected, abs=TOLERANCE)


@given(WORDS, WORDS)
def test_as_the_table_has_it(gold: str, found: str) -> None:
    assert_same(gold, found)


def test_starter_pages_as_the_table_has_them() -> None:
    for gold, found in pairs.starter()[:6]:
        assert_same(gold, found[:4000])


def test_published_outputs_as_the_table_has_them(shared: Path) -> None:
    for gold, found in pairs.aeb(shared / "gold" / "aeb", 12, most_cells=1e7, seed=2):
        assert_same(gold, found)


@pytest.mark.parametrize(
    ("gold", "found", "expected"),
    [
        ("a b c d", "a c x", (2 / 3, 2 / 4, 4 / 7)),
        ("a b", "b a", (1 / 2, 1 / 2, 1 / 2)),
        ("a, b", "a b!", (1, 1, 1)),
        ("a", "A", (0, 0, 0)),
        ("", "", (1, 1, 1)),
        (".", " ", (1, 1, 1)),
        ("a", "", (0, 0, 0)),
        ("", "a", (0, 0, 0)),
    ],
)
def test_by_hand(gold: str, found: str, expected: tuple[float, ...]) -> None:
    assert scored(Lcs(), gold, found) == pytest.approx(expected)


@given(WORDS, WORDS)
def test_range_symmetry_and_identity(a: str, b: str) -> None:
    there, back = scored(Lcs(), a, b), scored(Lcs(), b, a)
    assert 0 <= min(there) <= max(there) <= 1
    precision, recall, f1 = back
    assert there == pytest.approx((recall, precision, f1), abs=TOLERANCE)
    assert scored(Lcs(), a, a) == (1, 1, 1)


@given(WORDS, WORDS)
def test_f1_is_the_sigir_studys_ratio(gold: str, found: str) -> None:
    from rapidfuzz.distance import Indel

    # Levenshtein.ratio, which eval.py of the study calls, is this function of the same author.
    ratio = Indel.normalized_similarity(words(gold), words(found))
    assert scored(Lcs(), gold, found)[2] == pytest.approx(
        ratio if words(gold) or words(found) else 1.0, abs=TOLERANCE
    )


def test_what_is_past_the_limit_counts_as_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lcs, "MAX_CELLS", 16)
    assert scored(Lcs(), "a b c d e f g h", "a b c d e f g h") == (1 / 2, 1 / 2, 1 / 2)
    assert scored(Lcs(), "a", "a b c d e f g h")[1] == 1
