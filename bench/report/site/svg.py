"""Inline SVG in numbers: scales, Pareto fronts, histograms and lines, for the templates to draw.

Drawn in the page, charts follow its light and dark colours and print sharp; they say in words
beside or below what they show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bench.report import pareto

WIDTH, HEIGHT = 720.0, 420.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 16.0, 16.0, 44.0


class Tick(NamedTuple):
    """A mark on an axis."""

    at: float
    text: str


class Scale(NamedTuple):
    """From values to places on the sheet."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return the place of a value, to a tenth of a unit."""
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log10(low), math.log10(high), math.log10(max(value, low))
        share = (value - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.end - self.start), 1)


@dataclass(frozen=True)
class Point:
    """One row in a scatter."""

    label: str
    href: str
    x: float
    y: float
    left: float
    top: float
    front: bool
    number: int


@dataclass(frozen=True)
class Scatter:
    """A scatter with a Pareto front."""

    points: Sequence[Point]
    steps: str
    """The front as the points of a polyline."""
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    x_title: str
    y_title: str


def scatter(
    named: Sequence[tuple[str, str, float, float]], x_title: str, y_title: str
) -> Scatter | None:
    """Return a scatter of (label, link, cost, quality from 0 to 1) on a logarithmic axis of cost."""
    if not named:
        return None
    costs = [max(cost, 1e-3) for _, _, cost, _ in named]
    low, high = 10 ** math.floor(math.log10(min(costs))), 10 ** math.ceil(math.log10(max(costs)))
    high = high if high > low else low * 10
    least = math.floor(max(0.0, min(y for *_, y in named) - 0.02) * 10) / 10
    x_axis = Scale(low, high, LEFT, WIDTH - RIGHT, log=True)
    y_axis = Scale(least, 1.0, HEIGHT - BOTTOM, TOP)
    at_front = pareto.front([(cost, y) for (*_, y), cost in zip(named, costs, strict=True)])
    points = [
        Point(label, href, cost, y, x_axis.at(cost), y_axis.at(y), at in at_front, at + 1)
        for at, ((label, href, _, y), cost) in enumerate(zip(named, costs, strict=True))
    ]
    steps: list[str] = []
    for at in at_front:
        if steps:
            steps.append(f"{points[at].left},{steps[-1].partition(',')[2]}")
        steps.append(f"{points[at].left},{points[at].top}")
    steps.append(f"{WIDTH - RIGHT},{points[at_front[-1]].top}")
    powers = range(round(math.log10(low)), round(math.log10(high)) + 1)
    tenths = range(round(least * 10), 11)
    return Scatter(
        points,
        " ".join(steps),
        [Tick(x_axis.at(10.0**power), f"{10.0**power:,g}") for power in powers],
        [Tick(y_axis.at(each / 10), str(each * 10)) for each in tenths],
        x_title,
        y_title,
    )


class Bar(NamedTuple):
    """A bar of a histogram."""

    left: float
    top: float
    width: float
    height: float
    pages: int
    text: str


def histogram(values: Sequence[float], bins: int = 20) -> list[Bar]:
    """Return the bars of a histogram of values from 0 to 1, on a sheet of 600 by 120."""
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, int(value * bins))] += 1
    most = max(counts, default=0) or 1
    width = 600 / bins
    return [
        Bar(
            round(at * width + 1, 1),
            round(120 - own / most * 116, 1),
            round(width - 2, 1),
            round(own / most * 116, 1),
            own,
            f"{at * 100 // bins}–{(at + 1) * 100 // bins} %",
        )
        for at, own in enumerate(counts)
    ]


class Series(NamedTuple):
    """A line over time."""

    points: str
    highest: float
    seconds: float


def series(times: Sequence[float], values: Sequence[float], most: int = 240) -> Series | None:
    """Return a line over time on a sheet of 600 by 120: the highest value of each stretch."""
    if len(times) < 2 or times[-1] <= times[0]:
        return None
    start, span = times[0], times[-1] - times[0]
    tops: dict[int, float] = {}
    for time, value in zip(times, values, strict=True):
        at = min(most - 1, int((time - start) / span * most))
        tops[at] = max(tops.get(at, 0.0), value)
    highest = max(tops.values()) or 1.0
    points = " ".join(
        f"{at / (most - 1) * 600:.1f},{120 - value / highest * 114:.1f}"
        for at, value in sorted(tops.items())
    )
    return Series(points, highest, span)
