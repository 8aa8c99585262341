"""Cells that tables of several pages have: figures, costs, shades of heat."""

import math
from collections.abc import Callable
from typing import Any

from bench.report.document import Cell
from bench.scoring.leaderboard import Line
from bench.stats.estimate import Estimate
from bench.util.numbers import duration, percent, percent_range

_SHADES = 10


def figure(own: Estimate) -> Cell:
    """Return a figure in per cent."""
    return Cell(percent(own.value), sort=own.shown)


def cost(value: float | None, text: Callable[[Any], str] = duration) -> Cell:
    """Return what something costs; what nobody knows comes last."""
    return Cell(text(value), sort=1e15 if value is None else value)


def per_million(line: Line, price: float) -> Cell:
    """Return what a million pages cost where a core-hour has this price."""
    hours = line.core_hours
    if hours is None:
        return cost(None)
    return Cell(duration(hours * price), sort=hours * price, facts={"hours": repr(hours)})


def heat(value: float | None, text: str, hover: str = "") -> Cell:
    """Return a coloured cell of a value from 0 to 1; None or NaN has no colour."""
    if value is None or math.isnan(value):
        return Cell(text, hover=hover, sort=-1.0)
    shade = f"heat h{min(_SHADES, max(0, round(value * _SHADES)))}"
    return Cell(text, shade=shade, hover=hover, sort=value)


def interval(own: Estimate) -> str:
    """Return a figure's interval in words; empty where it has none."""
    return f"95 % interval {percent_range(own.lo, own.hi)}" if own.lo is not None else ""
