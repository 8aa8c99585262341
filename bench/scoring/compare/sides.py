"""One system's scores, page by page: what stands on either side of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bench.metrics.base import Metric
from bench.model import Outcome
from bench.runs.store.runs import RunFolder
from bench.scoring.scores import Scores

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

FAILED = tuple(each.value for each in Outcome if each.failed)


@dataclass(frozen=True)
class Side:
    """One row of a run, one system's outputs, or one row of a baseline."""

    label: str
    version: str | None
    outcomes: npt.NDArray[np.object_]
    """By page, in the order of the data set's pages; empty where the page has none."""
    columns: Mapping[str, Floats]
    """What the metric counted of each page, shape (pages,)."""
    cpu_s: Floats = field(default_factory=lambda: np.empty(0))
    """CPU time of each page, the median of its repeats, in seconds; empty where nobody measured."""

    @property
    def failed(self) -> Flags:
        """Pages without an answer."""
        return np.isin(self.outcomes, FAILED)

    @property
    def there(self) -> Flags:
        """Pages that have an outcome at all."""
        return np.asarray(self.outcomes != "", bool)


def of_run(run: RunFolder, scores: Scores) -> dict[str, Side]:
    """Return every row of a run that has cells, by label."""
    cells = run.cells()
    # A page that was given up after a crash has no time worth comparing.
    spent = cells.groupby(["row", "page"], sort=False)["cpu_s"].median()
    facts = run.manifest.rows_by_key
    return {
        facts[key].label: Side(
            label=facts[key].label,
            version=facts[key].version,
            outcomes=scores.outcomes[at],
            columns={name: values[at] for name, values in scores.columns.items()},
            cpu_s=spent.loc[key].reindex([*scores.pages]).to_numpy(np.float64),
        )
        for at, key in enumerate(scores.rows)
        if key in facts
    }


def of_predictions(
    scores: Scores, versions: Mapping[str, str | None], given: Mapping[str, Sequence[str]]
) -> dict[str, Side]:
    """Return every system, by name; a page that it was not ``given`` an output for is left out."""
    found = {}
    for at, name in enumerate(scores.rows):
        there = np.isin([*scores.pages], [*given[name]])
        found[name] = Side(
            label=name,
            version=versions[name],
            outcomes=np.where(there, scores.outcomes[at], ""),
            columns={key: values[at] for key, values in scores.columns.items()},
        )
    return found


def joined(metric: Metric, pages: Sequence[str], rows: Sequence[Side]) -> Scores:
    """Return the scores of several sides on the same pages, row by row."""
    names = rows[0].columns if rows else ()
    return Scores(
        metric,
        tuple(each.label for each in rows),
        tuple(pages),
        np.array([each.outcomes for each in rows], object).reshape(len(rows), len(pages)),
        {name: np.array([each.columns[name] for each in rows]) for name in names},
    )


def facts_of_missing(run: RunFolder) -> dict[str, str]:
    """Return why each row of a run that could not be run could not, by label."""
    return {row.label: row.problem for row in run.manifest.rows if not row.available}
