"""Metrics on real pairs: ours against the field's own programs and the plain way, same figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rouge_score.rouge_scorer import RougeScorer

from bench.metrics.lcs import Lcs
from bench.metrics.levenshtein import Levenshtein, LevenshteinByCharacter
from bench.metrics.rouge import RougeLsum
from bench.metrics.texts.tokens import tokenize
from tests import pairs
from tests.pairs import scored
from tests.perf.table import Measurement

_PAIRS = 40
_TABLES = 12
_SMALL = 1e7
_TIMES = 10.0
_SAME = 1e-6

Figures = Sequence[float]


def measure(aeb: Path) -> list[Measurement]:
    """Score pages drawn from all published outputs; for the plain tables fewer and smaller ones."""
    theirs = RougeScorer(["rougeLsum"], use_stemmer=False)
    real = pairs.aeb(aeb, _PAIRS, most_cells=float("inf"))
    small = pairs.aeb(aeb, _TABLES, most_cells=_SMALL)
    return [
        *_held("ROUGE-LSum", "rouge-score", real, lambda g, t: scored(RougeLsum(), g, t),
               lambda g, t: tuple(theirs.score(g, t)["rougeLsum"])),
        *_held("Levenshtein by word", "plain table", small, lambda g, t: scored(Levenshtein(), g, t),
               lambda g, t: [_similarity(tokenize(g), tokenize(t))]),
        *_held("Levenshtein by character", "plain table", small[:2],
               lambda g, t: scored(LevenshteinByCharacter(), g, t), lambda g, t: [_similarity(g, t)]),
        *_held("LCS", "plain table", small, lambda g, t: [scored(Lcs(), g, t)[2]],
               lambda g, t: [_lcs_f1(tokenize(g), tokenize(t))]),
    ]  # fmt: skip


def _held(
    name: str,
    other: str,
    on: Sequence[pairs.Pair],
    ours: Callable[[str, str], Figures],
    theirs: Callable[[str, str], Figures],
) -> list[Measurement]:
    began = time.perf_counter()
    own = [ours(gold, found) for gold, found in on]
    own_s = time.perf_counter() - began
    began = time.perf_counter()
    expected = [theirs(gold, found) for gold, found in on]
    other_s = time.perf_counter() - began
    worst = max(
        abs(a - b)
        for one, two in zip(own, expected, strict=True)
        for a, b in zip(one, two, strict=True)
    )
    return [
        Measurement(
            f"{name}: {len(on)} pairs, gold prepared for each",
            f"{own_s * 1000:.0f} ms, {other} {other_s:.2f} s: {other_s / own_s:.0f} times faster",
            f"at least {_TIMES:.0f} times",
            other_s >= _TIMES * own_s,
        ),
        Measurement(
            f"{name}: largest difference of a figure", f"{worst:.1e}", "1e-6", worst <= _SAME
        ),
    ]


def _similarity(a: Sequence[str], b: Sequence[str]) -> float:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
    return 1 - row[-1] / max(len(a), len(b)) if a or b else 1.0


def _lcs_f1(a: Sequence[str], b: Sequence[str]) -> float:
    row = [0] * (len(b) + 1)
    for x in a:
        corner = 0
        for j, y in enumerate(b, 1):
            corner, row[j] = row[j], corner + 1 if x == y else max(row[j], row[j - 1])
    return 2 * row[-1] / (len(a) + len(b)) if a and b else float(not a and not b)
