"""What is checked: the rows of one run, and their cost over a control's, beside a baseline's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.datasets.catalogue import DataSet
from bench.model import Outcome
from bench.runs.store.runs import RunFolder
from bench.scoring import scores as keys
from bench.scoring.compare import relative_cost, row_scores
from bench.scoring.compare.baseline import Baseline, Measurement
from bench.scoring.compare.relative_cost import CostChange
from bench.scoring.compare.row_scores import RowScores
from bench.scoring.scores import Scores
from bench.stats.figure import Flags, Floats, Ints


@dataclass(frozen=True)
class CurrentRun(Measurement):
    """Rows of one run on one data set."""

    rows: Mapping[str, RowScores]
    run: str | None = None
    sites: Ints | None = None

    def cost(self, label: str) -> Floats | None:
        """Return a row's CPU time over the control's by page; None where it was not measured."""
        name = "" if self.measured is None else str(self.measured["control"])
        control, row = self.rows.get(name), self.rows.get(label)
        if control is None or row is None or label == name or not row.cpu_s.size:
            return None
        return relative_cost.relative(row, control)


def of_run(run: RunFolder, data_set: DataSet, scores: Scores, control: str | None) -> CurrentRun:
    """Return a finished run; without costs where they were not taken in turns with the control."""
    manifest = run.manifest
    rows = row_scores.of_run(run, scores)
    measured = {
        "control": control,
        "repeats": manifest.repeats,
        "machine": manifest.machine_id,
        "python": manifest.machine.python,
    }
    return CurrentRun(
        gold=data_set.name,
        fingerprint=data_set.hashes.fingerprint,
        metric=scores.metric,
        pages=tuple(data_set.ids),
        rows=rows,
        run=run.id,
        score_key=keys.key(scores.metric, data_set),
        sites=scores.sites,
        measured=measured if manifest.conditions.interleaved and control in rows else None,
    )


def mismatch(baseline: Baseline, current: Measurement) -> str:
    """Return why a run cannot be compared with a baseline; empty where data set and metric agree."""
    if (baseline.gold, baseline.fingerprint) != (current.gold, current.fingerprint):
        return (
            f"the baseline was made on {baseline.gold} ({baseline.fingerprint[:12]}), this is "
            f"{current.gold} ({current.fingerprint[:12]}): other pages or gold; check on those, "
            "or replace the baseline with --update"
        )
    if baseline.metric != current.metric:
        return (
            f"the baseline is of the metric {baseline.metric.name}, not {current.metric.name}; "
            "leave --metric out, or replace the baseline with --update"
        )
    if baseline.score_key and current.score_key and baseline.score_key != current.score_key:
        return (
            "the baseline's scores count words and characters by other languages of the pages; "
            "write it again with --update, on the code that it was written for"
        )
    if baseline.rows and baseline.pages != current.pages:
        return "the baseline has other pages than its data set; it is damaged"
    return ""


def cost_problem(baseline: Baseline, current: CurrentRun) -> str:
    """Return why costs cannot be compared, empty where they can."""
    if baseline.measured is None:
        return "the baseline has no costs"
    if current.measured is None:
        return "this run did not measure them in turns with a control"
    if current.measured["control"] != baseline.measured["control"]:
        return f"the baseline's control is {baseline.measured['control']}"
    theirs, ours = str(baseline.measured["python"]), str(current.measured["python"])
    if theirs.split(".")[:2] != ours.split(".")[:2]:
        # What is written in Python changes its pace with it, what is written in C does not.
        return f"the baseline's were measured under Python {theirs}, this is {ours}"
    return ""


def cost_change(
    baseline: Baseline, current: CurrentRun, label: str, second: CurrentRun | None = None
) -> CostChange | None:
    """Return how a row's cost changed, with a second measurement if there is one."""
    before, after = baseline.rows[label].cost, current.cost(label)
    if before is None or after is None or cost_problem(baseline, current):
        return None
    first = relative_cost.change(before, after)
    again = None if second is None else second.cost(label)
    if first is None or again is None:
        return first
    confirmed = relative_cost.change(before, again)
    return first if confirmed is None else replace(first, again=confirmed.growth)


def doubtful(
    baseline: Baseline, current: CurrentRun, wanted: Sequence[str], tolerance: float
) -> list[str]:
    """Return the rows to be measured again before they fail: for their cost, or a page's timeout."""
    labels = []
    for label in wanted:
        if label in current.rows and label in baseline.rows:
            cost = cost_change(baseline, current, label)
            newly = _timed_out(current.rows[label]) & ~baseline.rows[label].scores.failed
            if (cost is not None and cost.over(tolerance)) or newly.any():
                labels.append(label)
    return labels


def without_accidents(current: CurrentRun, second: CurrentRun) -> CurrentRun:
    """Return what is checked, with pages that timed out once but not twice as the second time."""
    rows = dict(current.rows)
    for label in rows.keys() & second.rows.keys():
        first, again = rows[label], second.rows[label]
        once = _timed_out(first) & ~_timed_out(again)
        columns = {
            name: np.where(once, again.columns[name], values)
            for name, values in first.columns.items()
        }
        outcomes = np.where(once, again.outcomes, first.outcomes)
        rows[label] = replace(first, outcomes=outcomes, columns=columns)
    return replace(current, rows=rows)


def _timed_out(row: RowScores) -> Flags:
    return np.asarray(row.outcomes == Outcome.TIMEOUT.value, bool)
