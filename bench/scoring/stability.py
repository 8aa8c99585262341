"""Rank stability: does a ranking hold under other metrics and on other data sets?

Spearman's rank correlation (Spearman 1904) between the orders of the rows that two columns share,
with its percentile interval over bootstrap draws of pages. Columns of one data set see the same
draws, so that what is common to both cancels out.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from bench.metrics.base import Metric
from bench.scoring.scores import Scores
from bench.stats import bootstrap, rank_correlation
from bench.stats.figure import Floats

FEWEST = 3
"""Rows that two columns must share for their correlation to mean anything."""


@dataclass(frozen=True)
class Column:
    """One ranking: the rows of a run under one metric."""

    gold: str
    metric: Metric
    labels: tuple[str, ...]
    values: Floats
    """The main figure of each row, shape (rows,)."""
    draws: Floats
    """The same over resamples, shape (resamples, rows)."""

    @property
    def name(self) -> str:
        """Data set and metric."""
        return f"{self.gold}/{self.metric.name}"

    @property
    def places(self) -> dict[str, int]:
        """Each row's place, 1 is best; equal figures share the better place."""
        placed = pd.Series(self.values).rank(ascending=False, method="min").astype(int)
        return dict(zip(self.labels, placed.tolist(), strict=True))


@dataclass(frozen=True)
class Correlation:
    """The rank correlation of two rankings, -1 to 1; None where they share too few rows."""

    first: str
    second: str
    rows: int
    value: float | None
    lo: float | None
    hi: float | None


@dataclass(frozen=True)
class Stability:
    """Rankings side by side."""

    columns: Sequence[Column]
    correlations: Sequence[Correlation]

    @property
    def labels(self) -> list[str]:
        """All rows, by their mean place."""
        places: dict[str, list[int]] = {}
        for column in self.columns:
            for label, place in column.places.items():
                places.setdefault(label, []).append(place)
        return sorted(places, key=lambda label: (np.mean(places[label]), label))

    def moves(self) -> list[tuple[str, int, int]]:
        """Return label, best and worst place of each row, most moved first."""
        every = [column.places for column in self.columns]
        reaches = []
        for label in self.labels:
            own = [places[label] for places in every if label in places]
            reaches.append((label, min(own), max(own)))
        return sorted(reaches, key=lambda reach: reach[1] - reach[2])

    def to_json(self) -> dict[str, Any]:
        """Return the form for machines."""
        return {
            "columns": [
                {
                    "name": column.name,
                    "gold": column.gold,
                    "metric": column.metric.name,
                    "figure": column.metric.main,
                    "places": column.places,
                    "values": dict(zip(column.labels, column.values.tolist(), strict=True)),
                }
                for column in self.columns
            ],
            "correlations": [asdict(correlation) for correlation in self.correlations],
        }


def column(
    gold: str,
    scores: Scores,
    labels: Sequence[str],
    rows: Sequence[int],
) -> Column:
    """Return the ranking of some rows under a metric."""
    figure = scores.main.take(rows)
    draws = figure.values(bootstrap.weights(figure.pages))
    return Column(gold, scores.metric, tuple(labels), figure.values(), draws)


def of(columns: Sequence[Column]) -> Stability:
    """Return rankings side by side with the correlation of each pair."""
    correlations = [
        _correlation(first, second)
        for at, first in enumerate(columns)
        for second in columns[at + 1 :]
    ]
    return Stability(columns, correlations)


def _correlation(first: Column, second: Column) -> Correlation:
    shared = [label for label in first.labels if label in second.labels]
    if len(shared) < FEWEST:
        return Correlation(first.name, second.name, len(shared), None, None, None)
    ours = [first.labels.index(label) for label in shared]
    theirs = [second.labels.index(label) for label in shared]
    (value,) = rank_correlation.of_rows(first.values[None, ours], second.values[None, theirs])
    drawn = rank_correlation.of_rows(first.draws[:, ours], second.draws[:, theirs])
    known = drawn[~np.isnan(drawn)]
    if np.isnan(value) or not known.size:
        return Correlation(first.name, second.name, len(shared), None, None, None)
    return Correlation(
        first.name, second.name, len(shared), float(value), *bootstrap.interval(known)
    )
