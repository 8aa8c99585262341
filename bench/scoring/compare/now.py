"""What is checked: the rows of one run, and their cost over a control's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.metrics.base import Metric
from bench.model import Outcome
from bench.runs.store.manifest import Manifest
from bench.scoring.compare import relative_cost
from bench.scoring.compare.baseline import Baseline
from bench.scoring.compare.marks import CannotCompare
from bench.scoring.compare.relative_cost import CostHeld
from bench.scoring.compare.sides import Side

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Now:
    """Rows of one run on one data set."""

    gold: str
    fingerprint: str
    metric: Metric
    pages: tuple[str, ...]
    rows: Mapping[str, Side]
    run: str | None = None
    measured: Mapping[str, Any] | None = None
    """Control, repeats, machine and Python, as a baseline keeps them; None without costs."""

    def cost(self, label: str) -> Floats | None:
        """Return a row's CPU time over the control's by page; None where it was not measured."""
        name = "" if self.measured is None else str(self.measured["control"])
        control, side = self.rows.get(name), self.rows.get(label)
        if control is None or side is None or label == name or not side.cpu_s.size:
            return None
        return relative_cost.relative(side, control)


def measured(manifest: Manifest, control: str) -> dict[str, Any]:
    """Return what a baseline keeps of how a run's costs were measured."""
    return {
        "control": control,
        "repeats": manifest.repeats,
        "machine": manifest.machine_id,
        "python": manifest.machine.python,
    }


def expect_same_ground(baseline: Baseline, now: Now) -> None:
    """Raise ``CannotCompare`` where the data set or the metric is not the baseline's."""
    if (baseline.gold, baseline.fingerprint) != (now.gold, now.fingerprint):
        raise CannotCompare(
            f"the baseline was made on {baseline.gold} ({baseline.fingerprint[:12]}), this is "
            f"{now.gold} ({now.fingerprint[:12]}): other pages or gold; check on those, or write "
            "the baseline anew with --update"
        )
    if baseline.metric != now.metric:
        raise CannotCompare(
            f"the baseline is of the metric {baseline.metric.name}, not {now.metric.name}; leave "
            "--metric out, or write the baseline anew with --update"
        )
    if baseline.rows and baseline.pages != now.pages:
        raise CannotCompare("the baseline has other pages than its data set; it is damaged")


def same_ground(baseline: Baseline, now: Now) -> bool:
    """Whether a baseline is of this data set and metric."""
    try:
        expect_same_ground(baseline, now)
    except CannotCompare:
        return False
    return True


def cost_problem(baseline: Baseline, now: Now) -> str:
    """Return why costs cannot be compared, empty where they can."""
    if baseline.measured is None:
        return "the baseline has no costs"
    if now.measured is None:
        return "this run did not measure them in turns with a control"
    if now.measured["control"] != baseline.measured["control"]:
        return f"the baseline's control is {baseline.measured['control']}"
    theirs, ours = str(baseline.measured["python"]), str(now.measured["python"])
    if theirs.split(".")[:2] != ours.split(".")[:2]:
        # What is written in Python changes its pace with it, what is written in C does not.
        return f"the baseline's were measured under Python {theirs}, this is {ours}"
    return ""


def cost_held(
    baseline: Baseline, now: Now, label: str, second: Now | None = None
) -> CostHeld | None:
    """Return how a row's cost changed, with a second measurement if there is one."""
    before, after = baseline.rows[label].cost, now.cost(label)
    if before is None or after is None or cost_problem(baseline, now):
        return None
    first = relative_cost.held(before, after)
    again = None if second is None else second.cost(label)
    if first is None or again is None:
        return first
    confirmed = relative_cost.held(before, again)
    return first if confirmed is None else replace(first, again=confirmed.growth)


def doubtful(baseline: Baseline, now: Now, wanted: Sequence[str], tolerance: float) -> list[str]:
    """Return the rows to be measured again before they fail: for their cost, or a page's timeout."""
    found = []
    for label in wanted:
        if label in now.rows and label in baseline.rows:
            cost = cost_held(baseline, now, label)
            newly = _timed_out(now.rows[label]) & ~baseline.rows[label].side.failed
            if (cost is not None and cost.over(tolerance)) or newly.any():
                found.append(label)
    return found


def without_accidents(now: Now, second: Now) -> Now:
    """Return what is checked, with pages that timed out once but not twice as the second time."""
    rows = dict(now.rows)
    for label, again in second.rows.items():
        first = rows.get(label)
        if first is None:
            continue
        once = _timed_out(first) & ~_timed_out(again)
        if once.any():
            rows[label] = replace(
                first,
                outcomes=np.where(once, again.outcomes, first.outcomes),
                columns={
                    name: np.where(once, again.columns[name], values)
                    for name, values in first.columns.items()
                },
            )
    return replace(now, rows=rows)


def _timed_out(side: Side) -> npt.NDArray[np.bool_]:
    return np.asarray(side.outcomes == Outcome.TIMEOUT.value, bool)
