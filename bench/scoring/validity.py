"""Does a figure of the survey predict quality? Its rank correlation with F1, where there is gold."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bench.scoring.scores import Scores
from bench.scoring.survey import MEANS, Survey
from bench.stats import rank_correlation
from bench.stats.estimate import MIN_PAGES
from bench.stats.figure import Figure, Floats, skewed_limits

FIGURES = ("words", "empty", *MEANS)


@dataclass(frozen=True)
class Correlation:
    """Spearman's correlation with its 95 % interval; None where there is too little to tell."""

    value: float | None
    lo: float | None
    hi: float | None

    @property
    def predicts(self) -> bool:
        """Whether the interval excludes 0."""
        return self.lo is not None and self.hi is not None and (self.lo > 0 or self.hi < 0)


@dataclass(frozen=True)
class Validity:
    """How a figure agrees with F1 on one data set."""

    gold: str
    run: str
    figure: str
    rows: Correlation
    """Over the rows that are opinions: the figure with the F1 of the data set."""
    count: int
    """So many rows."""
    pages: Correlation
    """Over pages within a row: the figure with the page's F1, the mean over rows."""

    def to_json(self) -> dict[str, Any]:
        """Return the form for machines."""
        return asdict(self)


@dataclass(frozen=True)
class Validated:
    """The validity of each figure, data set by data set."""

    lines: Sequence[Validity]

    def to_json(self) -> dict[str, Any]:
        """Return the form for machines."""
        return {"validity": [line.to_json() for line in self.lines]}


def of(survey: Survey, scores: Scores, places: Mapping[str, int]) -> list[Validity]:
    """Return how each figure of a survey agrees with scores; ``places`` are rows' places by label."""
    rows = [(at, row) for at, row in enumerate(survey.rows) if row.family is not None]
    at, own = [at for at, _ in rows], [places[row.label] for _, row in rows]
    truth = scores.main.take(own)
    f1 = truth.values()
    lines = []
    for figure in FIGURES:
        values = [row.to_json()[figure] for _, row in rows]
        known = np.array([np.nan if value is None else value for value in values])
        lines.append(
            Validity(
                gold=str(survey.gold["name"]),
                run=survey.run,
                figure=figure,
                rows=_over_rows(known, f1),
                count=int((~np.isnan(known)).sum()),
                pages=_within_rows(survey.values[figure][at], truth),
            )
        )
    return lines


def _over_rows(values: Floats, truth: Floats) -> Correlation:
    known = ~np.isnan(values)
    if known.sum() < 2:
        return Correlation(None, None, None)
    value, _ = rank_correlation.spearman(values[known], truth[known])
    lo, hi = rank_correlation.interval_of_few(value, int(known.sum())) or (None, None)
    return Correlation(None if np.isnan(value) else value, lo, hi)


def _within_rows(values: Floats, truth: Figure) -> Correlation:
    """Return the mean over rows of the correlation over their pages; sites are the evidence."""
    values_by_row, influences = [], np.zeros(values.shape[1])
    for own, scored in zip(values, truth.by_page, strict=True):
        known = ~np.isnan(own) & ~np.isnan(scored)
        if known.sum() >= MIN_PAGES:
            value, pulls = rank_correlation.spearman(own[known], scored[known])
            if not np.isnan(value):
                values_by_row.append(value)
                influences[known] += pulls
    if not values_by_row:
        return Correlation(None, None, None)
    value = float(np.mean(values_by_row))
    below, above = skewed_limits(truth.by_site(influences[None] / len(values_by_row)))
    return Correlation(value, max(-1.0, value - float(below[0])), min(1.0, value + float(above[0])))
