"""A figure of many rows on the same pages, kept page by page so that it can be resampled.

A figure is the mean of one value per page, or the harmonic mean of two such means: precision and
recall make the F1 of a data set. Where pages do not weigh the same (counts of snippets that are
summed before they are divided) a mean is a ratio of sums. All statistics of this package work on
this one form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bench.stats.bootstrap import Bootstrap, interval

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

MIN_PAGES = 6
"""With fewer pages no two-sided paired test can reach 5 %: 2 / 2⁵ = 0.0625, 2 / 2⁶ = 0.031."""


@dataclass(frozen=True)
class Figure:
    """What a figure is made of: one array (a mean) or two (F1), each of shape (rows, pages).

    NaN where a page leaves a row's mean. ``scores`` says which row does better on a page, for
    wins, ties and losses; where it is not given, the only part does. ``weights``, where given, are
    the divisors of each part's pages: the mean is then Σ part / Σ weight.
    """

    parts: tuple[Floats, ...]
    scores: Floats = field(default_factory=lambda: np.empty(0))
    weights: tuple[Floats, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.parts) not in (1, 2):
            raise ValueError(f"a figure has one or two parts, not {len(self.parts)}")
        if self.scores.ndim != 2:
            if len(self.parts) > 1:
                raise ValueError("a figure of two parts needs scores of its own for each page")
            object.__setattr__(self, "scores", self.parts[0])
        arrays = (*self.parts, *(self.weights or ()), self.scores)
        if {each.shape for each in arrays} != {self.scores.shape}:
            raise ValueError("parts and scores must have the same rows and pages")
        if self.weights is not None and len(self.weights) != len(self.parts):
            raise ValueError("each part needs weights of its own, or none")

    @property
    def rows(self) -> int:
        """How many rows."""
        return int(self.scores.shape[0])

    @property
    def pages(self) -> int:
        """How many pages."""
        return int(self.scores.shape[1])

    @property
    def counted(self) -> npt.NDArray[np.int64]:
        """For each row, the pages that any part counts."""
        there = np.logical_or.reduce([each > 0 for each in self.below])
        return np.asarray(there.sum(axis=1), np.int64)

    @property
    def above(self) -> list[Floats]:
        """What is summed over pages, for each part."""
        return [np.nan_to_num(part) for part in self.parts]

    @property
    def below(self) -> list[Floats]:
        """What that is divided by, summed over the same pages, for each part."""
        given = self.weights or tuple(np.ones_like(part) for part in self.parts)
        return [
            np.where(np.isnan(part), 0.0, weight)
            for part, weight in zip(self.parts, given, strict=True)
        ]

    def on(self, pages: Flags) -> Figure:
        """Return the same figure on some of the pages."""
        weights = self.weights and tuple(each[:, pages] for each in self.weights)
        return Figure(tuple(part[:, pages] for part in self.parts), self.scores[:, pages], weights)

    def take(self, rows: Sequence[int]) -> Figure:
        """Return the same figure of some of the rows."""
        at = list(rows)
        weights = self.weights and tuple(each[at] for each in self.weights)
        return Figure(tuple(part[at] for part in self.parts), self.scores[at], weights)

    def values(self, draws: Floats | None = None) -> Floats:
        """Return the figure of each row, shape (rows,), or (resamples, rows) under ``draws``.

        A mean over no page is 0, as on the leaderboard; ``counted`` tells such rows.
        """
        if draws is None:
            (alone,) = self.values(np.ones((1, self.pages)))
            return np.asarray(alone, np.float64)
        return harmonic(
            [draws @ each.T for each in self.above], [draws @ each.T for each in self.below]
        )


@dataclass(frozen=True)
class Estimate:
    """A figure of one row with its bootstrap standard deviation and 95 % interval.

    None where there is too little data: no page that counts, or too few for an interval.
    """

    value: float | None
    std: float | None
    lo: float | None
    hi: float | None
    pages: int
    """Pages that count."""

    @property
    def enough(self) -> bool:
        """Whether there are pages enough for an interval."""
        return self.std is not None

    @property
    def shown(self) -> float:
        """The value for sorting and drawing: nothing known counts as 0."""
        return 0.0 if self.value is None else self.value

    @property
    def margin(self) -> float | None:
        """Half the interval."""
        return None if self.lo is None or self.hi is None else (self.hi - self.lo) / 2


def harmonic(sums: Sequence[Floats], sizes: Sequence[Floats]) -> Floats:
    """Return the mean of one part, or the harmonic mean of two; 0 where nothing is counted."""
    if len(sums) == 1:
        above, below = sums[0], sizes[0]
    else:
        # 2PR/(P+R) with P = x/m and R = y/k is 2xy/(xk + ym): one division instead of three.
        (x, y), (m, k) = sums, sizes
        above, below = 2.0 * x * y, x * k + y * m
    below = np.broadcast_to(below, above.shape)
    if below.all():
        return above / below
    return np.divide(above, below, out=np.zeros_like(above), where=below != 0)


def estimates(figure: Figure, bootstrap: Bootstrap = Bootstrap()) -> list[Estimate]:
    """Return each row's figure with its bootstrap deviation and interval."""
    if figure.pages == 0:
        return [Estimate(None, None, None, None, 0)] * figure.rows
    draws = figure.values(bootstrap.weights(figure.pages))
    return [
        estimate(int(pages), float(value), own)
        for pages, value, own in zip(figure.counted, figure.values(), draws.T, strict=True)
    ]


def estimate(pages: int, value: float, draws: Floats) -> Estimate:
    """Return a figure with its uncertainty, as far as this many pages carry it."""
    if pages < MIN_PAGES:
        return Estimate(value if pages else None, None, None, None, pages)
    return Estimate(value, *interval(draws), pages)
