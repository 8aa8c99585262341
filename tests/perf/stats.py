"""How long it takes to compare every row with every other."""

from __future__ import annotations

import time

import numpy as np

from bench.stats import groups
from bench.stats.figure import Figure
from tests.perf.table import Measurement

_BOARDS = ((88, 181, 3.0), (35, 1497, 10.0))
"""Rows, pages, and within how many seconds."""


def measure() -> list[Measurement]:
    """Rank made-up systems by all their comparisons."""
    return [_measured(*board) for board in _BOARDS]


def _measured(rows: int, pages: int, within_s: float) -> Measurement:
    figure = _systems(rows, pages)
    began = time.perf_counter()
    groups.of_figure(figure)
    took_s = time.perf_counter() - began
    return Measurement(
        f"all comparisons of {rows} systems on {pages:,} pages",
        f"{took_s:.2f} s",
        f"under {within_s:.0f} s",
        took_s < within_s,
    )


def _systems(rows: int, pages: int) -> Figure:
    """Return made-up systems, some alike, with some pages without output."""
    generator = np.random.default_rng(7)
    ease = generator.beta(5, 1, pages)
    skill = np.linspace(1.0, 0.8, rows)[:, None]
    precision, recall = np.clip(ease * skill + generator.normal(0, 0.05, (2, rows, pages)), 0, 1)
    precision[generator.random((rows, pages)) < 0.02] = np.nan
    return Figure((precision, recall), np.nan_to_num((precision + recall) / 2))
