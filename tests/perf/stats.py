"""All pairwise differences: ours against the plain loop, in one process, same figures."""

from __future__ import annotations

import math
import random
import time
from itertools import combinations

import numpy as np

from bench.stats import paired
from bench.stats.bootstrap import Bootstrap
from bench.stats.figure import Figure
from tests.perf.table import Measurement

_SYSTEMS, _PAGES, _RESAMPLES = 32, 181, 1000
_PLAIN_PAIRS = 2
_WITHIN_S = 2.0
_TIMES = 50.0

Pages = list[tuple[float, float]]
"""Precision and recall of each page."""


def measure() -> list[Measurement]:
    """Compare every pair of made-up systems both ways; the plain loop a few pairs of them."""
    figure = _systems()
    began = time.perf_counter()
    pairs = list(combinations(range(_SYSTEMS), 2))
    found = paired.differences(figure, pairs, Bootstrap(_RESAMPLES))
    ours_s = time.perf_counter() - began

    ours = dict(zip(pairs, found, strict=True))
    swaps = paired.enough_permutations(len(pairs))
    chosen = [pairs[at * len(pairs) // _PLAIN_PAIRS] for at in range(_PLAIN_PAIRS)]
    rows = [
        list(zip(precision.tolist(), recall.tolist(), strict=True))
        for precision, recall in zip(*figure.parts, strict=True)
    ]
    generator, worst, began = random.Random(1), 0.0, time.perf_counter()
    for a, b in chosen:
        value, lo, hi, p = _plainly(rows[a], rows[b], swaps, generator)
        own = ours[a, b]
        if own.value is None or own.std is None or own.lo is None or own.hi is None:
            raise RuntimeError("a comparison on all pages was not made")
        # Both are random: held against the noise that 1,000 resamples leave.
        noise = max(abs(own.lo - lo), abs(own.hi - hi)) / own.std
        worst = max(worst, abs(own.value - value) * 1e9, noise, abs((own.p or 0.0) - p) * 20)
    plain_s = (time.perf_counter() - began) * len(pairs) / len(chosen)

    ratio = plain_s / ours_s
    return [
        Measurement(
            f"all {len(pairs)} differences of {_SYSTEMS} systems on {_PAGES} pages, "
            f"{_RESAMPLES} resamples, {swaps} swaps",
            f"{ours_s:.2f} s",
            f"under {_WITHIN_S:.0f} s",
            ours_s < _WITHIN_S,
        ),
        Measurement(
            "the same in a plain loop",
            f"{plain_s:.0f} s (extrapolated from {len(chosen)} of {len(pairs)} pairs): "
            f"{ratio:.0f} times as long",
            f"at least {_TIMES:.0f} times",
            ratio >= _TIMES,
        ),
        Measurement(
            "their results, in standard deviations of the difference",
            f"{worst:.2f} apart",
            "below 0.5, the noise of resampling",
            worst < 0.5,
        ),
    ]


def _systems() -> Figure:
    """Return made-up systems, some alike, with some pages without output."""
    generator = np.random.default_rng(7)
    ease = generator.beta(5, 1, _PAGES)
    skill = np.linspace(4, 40, _SYSTEMS)[:, None]
    shape = (_SYSTEMS, _PAGES)
    precision, recall = ease * generator.beta(skill, 1, (2, *shape))
    silent = generator.random(shape) < 0.02
    page_f1 = np.where(silent, 0.0, 2 * precision * recall / (precision + recall))
    return Figure(
        (np.where(silent, np.nan, precision), np.where(silent, 0.0, recall)), scores=page_f1
    )


def _plainly(
    first: Pages, second: Pages, swaps: int, generator: random.Random
) -> tuple[float, float, float, float]:
    """Return difference, interval and p-value the way that one writes it down."""
    both = list(zip(first, second, strict=True))
    value = _f1(first) - _f1(second)
    draws = []
    for _ in range(_RESAMPLES):
        sample = generator.choices(both, k=len(both))
        draws.append(_f1([a for a, _ in sample]) - _f1([b for _, b in sample]))
    draws.sort()
    extreme = 1
    for _ in range(swaps):
        swapped = [(b, a) if generator.random() < 0.5 else (a, b) for a, b in both]
        other = _f1([a for a, _ in swapped]) - _f1([b for _, b in swapped])
        extreme += abs(other) >= abs(value)
    lo, hi = draws[round(0.025 * _RESAMPLES)], draws[round(0.975 * _RESAMPLES) - 1]
    return value, lo, hi, extreme / (swaps + 1)


def _f1(pages: Pages) -> float:
    precisions = [precision for precision, _ in pages if not math.isnan(precision)]
    precision = sum(precisions) / len(precisions) if precisions else 0.0
    recall = sum(recall for _, recall in pages) / len(pages)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
