"""One row's scores page by page: what stands on either side of a comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from bench.metrics.base import Metric
from bench.model import FAILED
from bench.runs.store.runs import RunFolder
from bench.scoring.predictions import Predictions
from bench.scoring.scores import Scores
from bench.stats.figure import Flags, Floats, Ints


@dataclass(frozen=True)
class RowScores:
    """One row of a run, one system's outputs, or one row of a baseline."""

    label: str
    version: str | None
    outcomes: npt.NDArray[np.object_]
    """By page, in the order of the data set's pages; empty where the page has none."""
    columns: Mapping[str, Floats]
    """What the metric counted of each page, shape (pages,)."""
    cpu_s: Floats = field(default_factory=lambda: np.empty(0))
    """CPU time of each page, the median of its repeats, in seconds; empty where nobody measured."""
    unstable: frozenset[str] = frozenset()
    """Pages whose text changed from one repeat to another of the same run."""

    @property
    def failed(self) -> Flags:
        """Pages without an answer."""
        return np.isin(self.outcomes, FAILED)

    @property
    def present(self) -> Flags:
        """Pages that have an outcome at all."""
        return np.asarray(self.outcomes != "", bool)

    def on(self, pages: Flags) -> Self:
        """Return the row on some of the pages."""
        return replace(
            self,
            outcomes=self.outcomes[pages],
            columns={name: values[pages] for name, values in self.columns.items()},
            cpu_s=self.cpu_s[pages] if self.cpu_s.size else self.cpu_s,
        )


def of_run(run: RunFolder, scores: Scores) -> dict[str, RowScores]:
    """Return every row of a run that has cells, by label."""
    # A page that was given up after a crash has no time worth comparing.
    by_cell = run.cells("row", "page", "cpu_s", "text_hash").groupby(["row", "page"], sort=False)
    spent = by_cell["cpu_s"].median()
    texts = by_cell["text_hash"].nunique()
    unstable: dict[str, set[str]] = {}
    for row, page in texts.index[texts > 1]:
        unstable.setdefault(row, set()).add(page)
    facts = run.manifest.rows_by_key
    return {
        facts[key].label: RowScores(
            label=facts[key].label,
            version=facts[key].version,
            outcomes=scores.outcomes[at],
            columns={name: values[at] for name, values in scores.columns.items()},
            cpu_s=spent.loc[key].reindex([*scores.pages]).to_numpy(np.float64),
            unstable=frozenset(unstable.get(key, ())),
        )
        for at, key in enumerate(scores.rows)
        if key in facts
    }


def of_predictions(scores: Scores, systems: Sequence[Predictions]) -> dict[str, RowScores]:
    """Return every system, by name; a page that it has no output for is left out."""
    rows = {}
    for at, system in enumerate(systems):
        has_output = np.isin([*scores.pages], [*system.texts])
        rows[system.name] = RowScores(
            label=system.name,
            version=system.version,
            outcomes=np.where(has_output, scores.outcomes[at], ""),
            columns={name: values[at] for name, values in scores.columns.items()},
        )
    return rows


def joined(
    metric: Metric, pages: Sequence[str], rows: Sequence[RowScores], sites: Ints | None = None
) -> Scores:
    """Return the scores of several rows on the same pages."""
    names = rows[0].columns if rows else ()
    return Scores(
        metric,
        tuple(row.label for row in rows),
        tuple(pages),
        np.array([row.outcomes for row in rows], object).reshape(len(rows), len(pages)),
        {name: np.array([row.columns[name] for row in rows]) for name in names},
        sites,
    )


def problems(run: RunFolder) -> dict[str, str]:
    """Return why each row of a run that could not be run could not, by label."""
    return {row.label: row.problem for row in run.manifest.rows if not row.available}
