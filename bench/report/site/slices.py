"""Slices of a run's pages: the figures behind the heat map and the leaderboard's page filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.report.site.evidence import Evidence
from bench.scoring import page_slices
from bench.stats import slices
from bench.stats.figure import Estimate
from bench.stats.slices import Slice
from bench.util.display import plain

DIMENSIONS = {
    "page_type": "page type",
    "language": "language",
    "length": "words of gold",
}
_SHADES = 10


@dataclass(frozen=True)
class Cut:
    """A run's pages cut in one dimension."""

    dimension: str
    slices: Mapping[str, Sequence[Slice]]
    """By metric: its main figure in each slice, rows as in the scores."""

    @property
    def title(self) -> str:
        """What it is cut by."""
        return DIMENSIONS[self.dimension]


def cuts(evidence: Evidence, dimensions: page_slices.Dimensions) -> list[Cut]:
    """Return every cut that leaves more than one slice."""
    found = []
    for name in DIMENSIONS:
        if name not in dimensions:
            continue
        labels = dimensions[name]
        if len(set(labels)) < 2:
            continue
        board = evidence.board
        found.append(
            Cut(
                name,
                {
                    each.metric.name: slices.of(each.main, labels, board.bootstrap)
                    for each in evidence.scores
                },
            )
        )
    return found


def shade(value: float | None) -> str:
    """Return the class of a cell's colour, by its value from 0 to 1."""
    return "" if value is None else f"h{min(_SHADES, max(0, round(value * _SHADES)))}"


def _cell(found: Estimate) -> dict[str, Any]:
    return {"value": found.value, "lo": found.lo, "hi": found.hi, "shade": shade(found.value)}


def facts(evidence: Evidence, found: Sequence[Cut]) -> dict[str, Any]:
    """Return what the heat maps show."""
    metric = evidence.board.metric.name
    return {
        "metric": evidence.board.metric,
        "maps": [
            {
                "title": cut.title,
                "slices": [
                    {"name": plain(own.name), "pages": own.pages} for own in cut.slices[metric]
                ],
                "rows": [
                    {
                        "row": row,
                        "all": row.line.figures[evidence.board.metric.main],
                        "shade": shade(row.line.figures[evidence.board.metric.main].value),
                        "cells": [_cell(own.estimates[row.at]) for own in cut.slices[metric]],
                    }
                    for row in evidence.rows
                ],
            }
            for cut in found
        ],
    }
