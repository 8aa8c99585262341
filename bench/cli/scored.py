"""A stored run with its data set and scores, as several verbs want it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.cli import progress
from bench.cli.options import ScoreOptions
from bench.datasets.catalogue import DataSet
from bench.model import UsageError
from bench.runs.store import runs
from bench.runs.store.runs import RunFolder
from bench.scoring import leaderboard, metric_catalogue, opened, scores
from bench.scoring.leaderboard import Leaderboard
from bench.scoring.scores import Scores
from bench.stats.bootstrap import Bootstrap


class Scored(NamedTuple):
    """A finished run, scored; the first metric ranks."""

    run: RunFolder
    data_set: DataSet
    scores: Sequence[Scores]

    def board(self, bootstrap: Bootstrap) -> Leaderboard:
        """Return its leaderboard."""
        return leaderboard.of_run(self.run, self.data_set, self.scores, bootstrap)

    @property
    def keys(self) -> Mapping[str, str]:
        """The key of each row that has cells, by label."""
        there = self.scores[0].rows
        return {row.label: row.key for row in self.run.manifest.rows if row.key in there}


def stored(
    results: Path,
    run_id: str | None,
    scoring: ScoreOptions,
    *,
    kept_too: bool = False,
) -> Scored:
    """Return a stored run (the latest finished for None) under these metrics.

    With ``kept_too`` also under those whose scores are kept with it.
    Raises ``UsageError`` for a run or metric that is not there, ``BenchError`` where no extractor
    ran or the data set is no longer the same.
    """
    run = opened.finished(runs.find(results, run_id))
    data_set = opened.data_set(run)
    metrics = scoring.metrics(data_set)
    if kept_too:
        names = [*(each.name for each in metrics), *_kept(run)]
        metrics = metric_catalogue.for_data_set(data_set, names, scoring.n)
    found = scores.of_run(run, data_set, metrics, progress.bar())
    scores.expect_rows(found, run)
    return Scored(run, data_set, found)


def _kept(run: RunFolder) -> list[str]:
    found = []
    for path in sorted((run.path / "scores").glob("*.parquet")):
        with contextlib.suppress(UsageError):  # a metric that another version of bench knew
            found.append(metric_catalogue.find(path.stem).name)
    return found
