"""Runs what a check asks for, or takes a stored run, and brings it to what is compared."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.cli import progress
from bench.datasets.catalogue import DataSet
from bench.metrics.base import Metric
from bench.model import Limits, UsageError
from bench.runs import new_run, runner
from bench.runs.plan import Plan
from bench.runs.store.runs import RunFolder
from bench.scoring import scores
from bench.scoring.compare import now as present
from bench.scoring.compare import sides
from bench.scoring.compare.now import Now


@dataclass(frozen=True)
class How:
    """How extractors are run for a check."""

    results: Path
    limits: Limits
    repeats: int
    control: str | None
    """Label of the row that costs are measured by; None where they are not."""
    quiet: bool


def rows(names: Sequence[str], labels: Sequence[str]) -> list[Row]:
    """Return the rows that are named, or those of a baseline by their labels."""
    if names:
        return registry.rows(names)
    known = {row.label: row for row in registry.all_rows()}
    return [known[each] if each in known else registry.rows([each])[0] for each in labels]


def run(asked: Sequence[Row], data_set: DataSet, how: How) -> RunFolder:
    """Run rows over a data set from nothing, in turns with the control where costs are measured.

    From nothing, because a library under work changes without its version doing so.
    """
    wanted = list(asked)
    if how.control is not None and how.control not in {row.label for row in wanted}:
        wanted += registry.rows([how.control])
    plan = Plan(
        rows=wanted,
        data_set=data_set,
        repeats=how.repeats if how.control is not None else 1,
        limits=how.limits,
    )
    folder = new_run.start(plan, how.results, reuse=False)
    with progress.RunProgress(plan.cells, quiet=how.quiet) as shown:
        shown.skip(sum(not r.adapter.available for r in wanted) * plan.repeats * len(data_set))
        runner.execute(plan, folder, shown)
    return folder


def now(run: RunFolder, data_set: DataSet, metric: Metric, control: str | None) -> Now:
    """Return what is compared of a finished run; without costs where they were not taken in turns."""
    (found,) = scores.of_run(run, data_set, [metric], progress.bar())
    scores.expect_rows([found], run)
    manifest = run.manifest
    known = sides.of_run(run, found)
    in_turns = manifest.conditions.interleaved and control in known
    return Now(
        gold=data_set.name,
        fingerprint=data_set.hashes.fingerprint,
        metric=metric,
        pages=tuple(data_set.ids),
        rows=known,
        run=run.id,
        measured=present.measured(manifest, control) if in_turns and control else None,
    )


def labels(run: RunFolder, names: Sequence[str]) -> list[str]:
    """Return the labels of a run's rows that names or globs mean. Raises ``UsageError``."""
    known = [row.label for row in run.manifest.rows]
    if not names:
        return known
    found: list[str] = []
    for word in names:
        matching = [word] if word in known else fnmatch.filter(known, word)
        if not matching:
            raise UsageError(f"run {run.id} has no row {word!r}; it has {', '.join(known)}")
        found += matching
    return list(dict.fromkeys(found))
