"""What the charts of a data set plot, apart from how: bars and histograms as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.report.charts.plotted import clean
from bench.scoring.gold_stats import QUANTITIES, GoldStats

BINS = 24
MOST_BARS = 12
"""More languages than this are drawn as one."""
LOGARITHMIC = ("html_kib", "page_words", "gold_words")


@dataclass(frozen=True)
class Bar:
    """A label and how many pages have it."""

    label: str
    pages: int


@dataclass(frozen=True)
class Histogram:
    """How many pages fall between each two edges."""

    name: str
    title: str
    edges: Sequence[float]
    pages: Sequence[int]
    median: float
    log: bool
    zeros: int
    """Pages with 0, which a log axis has no place for; they are in no bin there."""


def bars(counts: Mapping[str, int]) -> list[Bar]:
    """Return a bar for each label, most pages first; the rare ones together, last."""
    every = [Bar(clean(label), pages) for label, pages in counts.items()]
    if len(every) <= MOST_BARS:
        return every
    shown, rest = every[: MOST_BARS - 1], every[MOST_BARS - 1 :]
    return [*shown, Bar(f"{len(rest)} others", sum(each.pages for each in rest))]


def histograms(stats: GoldStats) -> list[Histogram]:
    """Return a histogram of each quantity that some page has."""
    found = (histogram(name, stats.values[name]) for name in QUANTITIES)
    return [each for each in found if each is not None]


def histogram(name: str, values: Sequence[float | None]) -> Histogram | None:
    """Return the histogram of one quantity; None where no page has it, or all have 0 on a log axis."""
    there = np.array([each for each in values if each is not None], np.float64)
    if not there.size:
        return None
    log = name in LOGARITHMIC
    drawn = there[there > 0] if log else there
    if not drawn.size:
        return None
    edges = _edges(name, float(drawn.min()), float(drawn.max()), log=log)
    pages, _ = np.histogram(drawn, edges)
    quantity = QUANTITIES[name]
    return Histogram(
        name=name,
        title=f"{quantity.title} ({quantity.unit or 'share of words'})",
        edges=[float(each) for each in edges],
        pages=[int(each) for each in pages],
        median=float(np.median(there)),
        log=log,
        zeros=int(there.size - drawn.size),
    )


def _edges(name: str, low: float, high: float, *, log: bool) -> Sequence[float]:
    if log:
        # One size only has a bin of its own around it.
        low, high = (low, high) if low < high else (low / 1.5, high * 1.5)
        return [*np.geomspace(low, high, BINS + 1)[:-1], high]
    if not QUANTITIES[name].unit:
        return list(np.linspace(0, 1, 21))
    step = max(1, -(-int(high - low + 1) // BINS))
    return [edge - 0.5 for edge in range(int(low), int(high) + step + 1, step)]
