"""A run held against a baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.metrics.base import Metric
from bench.scoring.compare import baseline as files
from bench.scoring.compare import now as present
from bench.scoring.compare import rules
from bench.scoring.compare.baseline import Baseline, Rules
from bench.scoring.compare.held import PageChange, Region
from bench.scoring.compare.now import Now
from bench.scoring.compare.rules import Judged, Regression, RowChecked
from bench.stats.bootstrap import Bootstrap

PASSED, REGRESSION, CANNOT_COMPARE = 0, 1, 3
"""Exit statuses; 2 is a wrong word on the command line."""
SCHEMA = 1


@dataclass(frozen=True)
class Checked:
    """The outcome of a check."""

    gold: str
    pages: int
    fingerprint: str
    metric: Metric
    rules: Rules
    run: str | None
    rows: tuple[RowChecked, ...]
    missing: Mapping[str, str]
    """Rows that could not be compared, and why."""
    not_checked: tuple[str, ...]
    """Rows of the baseline that nobody asked for."""
    notes: tuple[str, ...] = ()
    """What was not compared although it was asked for, and why."""

    @property
    def comparisons(self) -> int:
        """Comparisons that p-values are corrected for: those in which anything changed."""
        return sum(each.p is not None for row in self.rows for each in (row.whole, *row.slices))

    @property
    def regressions(self) -> list[Regression]:
        """Everything that fails the check."""
        return [each for row in self.rows for each in row.regressions]

    @property
    def status(self) -> int:
        """The exit status."""
        if self.regressions:
            return REGRESSION
        return CANNOT_COMPARE if self.missing else PASSED

    def to_json(self) -> dict[str, Any]:
        """Return the documented form, for machines."""
        return {
            "schema": SCHEMA,
            "status": self.status,
            "gold": {"name": self.gold, "pages": self.pages, "fingerprint": self.fingerprint},
            "metric": {"name": self.metric.name, "figure": self.metric.main},
            "rules": {**asdict(self.rules), "by": list(self.rules.by)},
            "run": self.run,
            "comparisons": self.comparisons,
            "regressions": [_regression_json(each) for each in self.regressions],
            "rows": [_row_json(each) for each in self.rows],
            "missing": dict(self.missing),
            "not_checked": list(self.not_checked),
            "notes": list(self.notes),
        }


def check(
    baseline: Baseline,
    now: Now,
    where: Sequence[Region],
    wanted: Sequence[str],
    *,
    problems: Mapping[str, str] | None = None,
    second: Now | None = None,
    settings: Rules | None = None,
    notes: Sequence[str] = (),
    bootstrap: Bootstrap = Bootstrap(),
) -> Checked:
    """Hold the ``wanted`` rows against the baseline; ``second`` confirms what is doubtful.

    ``problems`` says of rows that could not be run why. Raises ``CannotCompare`` where the data
    set or the metric is not the baseline's.
    """
    present.expect_same_ground(baseline, now)
    settings = settings or baseline.rules
    if second is not None:
        now = present.without_accidents(now, second)
    own = [label for label in wanted if label in now.rows and label in baseline.rows]
    found = rules.judge(
        now.metric,
        now.pages,
        [files.rounded(baseline.rows[label].side) for label in own],
        [files.rounded(now.rows[label]) for label in own],
        where,
        settings,
        floors=[baseline.rows[label].floors for label in own],
        costs=[present.cost_held(baseline, now, label, second) for label in own],
        bootstrap=bootstrap,
    )
    return Checked(
        gold=now.gold,
        pages=len(now.pages),
        fingerprint=now.fingerprint,
        metric=now.metric,
        rules=settings,
        run=now.run,
        rows=tuple(found),
        missing={
            label: _why_missing(label, now, problems or {}) for label in wanted if label not in own
        },
        not_checked=tuple(label for label in baseline.rows if label not in wanted),
        notes=tuple(notes),
    )


def _why_missing(label: str, now: Now, problems: Mapping[str, str]) -> str:
    if label in now.rows:
        return "it is not in the baseline; --update adds it"
    return problems.get(label) or "it is not in the run"


def _regression_json(each: Regression) -> dict[str, Any]:
    return {
        "row": each.row,
        "kind": each.kind.value,
        "where": each.where,
        "text": each.text,
        "p": each.p,
        "pages": [_page_json(page) for page in each.pages],
    }


def _row_json(row: RowChecked) -> dict[str, Any]:
    return {
        "label": row.label,
        "version_before": row.version_before,
        "version_after": row.version_after,
        "mark": row.mark.value,
        "quality": _judged_json(row.whole),
        "slices": [_judged_json(each) for each in row.slices],
        "changed_pages": [_page_json(each) for each in row.changes],
        "newly_failing": [each.page for each in row.failing],
        "fixed": [each.page for each in row.fixed],
        "below_floor": {
            where: {"floor": floor, "now": value}
            for where, (floor, value) in row.below_floor.items()
        },
        "cost": None if row.cost is None else asdict(row.cost),
    }


def _judged_json(each: Judged) -> dict[str, Any]:
    held, difference = each.held, each.held.difference
    return {
        "where": held.where,
        "mark": each.mark.value,
        "pages": held.pages,
        "changed": held.changed,
        "before": held.before,
        "after": held.after,
        "difference": difference.value,
        "lo": difference.lo,
        "hi": difference.hi,
        "p": each.p,
        "wins": difference.wins,
        "ties": difference.ties,
        "losses": difference.losses,
    }


def _page_json(each: PageChange) -> dict[str, Any]:
    return {
        "page": each.page,
        "before": each.before,
        "after": each.after,
        "outcome_before": each.outcome_before,
        "outcome_after": each.outcome_after,
    }
