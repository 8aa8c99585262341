"""Whether extractors became worse than what was accepted: run, compared, judged."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from bench.adapters import registry
from bench.datasets import catalogue
from bench.datasets.catalogue import DataSet
from bench.metrics.base import Metric
from bench.model import UsageError
from bench.runs.store.runs import RunFolder
from bench.scoring import export, metric_catalogue, page_slices, scores, stored_run
from bench.scoring.compare import causes, changes, current_run, regressions, row_scores
from bench.scoring.compare.baseline import AcceptedRow, Baseline, Measurement, rounded
from bench.scoring.compare.causes import Cause
from bench.scoring.compare.changes import Region, RegionChange
from bench.scoring.compare.current_run import CurrentRun
from bench.scoring.compare.kept_texts import Texts
from bench.scoring.compare.regressions import Regression, RowChecked
from bench.scoring.compare.rules import Measuring, Rules
from bench.scoring.compare.verdicts import CannotCompare
from bench.util.progress import Progress

PASSED, REGRESSION, CANNOT_COMPARE = 0, 1, 3
"""Exit statuses; 2 is a wrong word on the command line."""
SCHEMA = 1


@dataclass(frozen=True)
class Checked:
    """The outcome of a check."""

    current: CurrentRun
    rules: Rules
    rows: Sequence[RowChecked]
    missing: Mapping[str, str]
    """Rows that could not be compared, and why."""
    not_checked: Sequence[str]
    """Rows of the baseline that nobody asked for."""
    notes: Sequence[str] = ()
    """What was not compared although it was asked for, and why."""
    against: Mapping[str, str] = field(default_factory=dict)
    """The row of the same run that each row is compared with; empty for those of a baseline."""
    texts_before: Texts = field(default_factory=dict)
    """What rows returned for pages that changed; nothing where no texts were kept."""
    texts_after: Texts = field(default_factory=dict)

    @property
    def causes(self) -> dict[str, list[Cause]]:
        """Why each row fails that does, by label."""
        return {row.label: causes.of_row(row.regressions) for row in self.rows if row.regressions}

    @property
    def comparisons(self) -> int:
        """Comparisons that p-values are corrected for: those in which anything changed."""
        return sum(change.p is not None for row in self.rows for change in (row.whole, *row.slices))

    @property
    def regressions(self) -> list[Regression]:
        """Everything that fails the check."""
        return [regression for row in self.rows for regression in row.regressions]

    @property
    def status(self) -> int:
        """The exit status."""
        if self.regressions:
            return REGRESSION
        return CANNOT_COMPARE if self.missing else PASSED

    def to_json(self) -> dict[str, Any]:
        """Return the documented form, for machines."""
        run = self.current
        gold = {"name": run.gold, "pages": len(run.pages), "fingerprint": run.fingerprint}
        return {
            "schema": SCHEMA,
            "status": self.status,
            "gold": gold,
            "metric": {"name": run.metric.name, "figure": run.metric.main},
            "rules": {**asdict(self.rules), "by": list(self.rules.by)},
            "run": run.run,
            "comparisons": self.comparisons,
            "regressions": [_regression_json(regression) for regression in self.regressions],
            "rows": [_row_json(row) for row in self.rows],
            "causes": [
                {
                    "row": label,
                    "text": cause.regression.text,
                    "kind": cause.regression.kind.value,
                    "pages": [page.page for page in cause.regression.pages],
                    "slices": [folded.where for folded in cause.folded],
                }
                for label, row_causes in self.causes.items()
                for cause in row_causes
            ],
            "against": dict(self.against),
            "missing": dict(self.missing),
            "not_checked": list(self.not_checked),
            "notes": list(self.notes),
        }


def compare(
    baseline: Baseline,
    current: CurrentRun,
    where: Sequence[Region],
    wanted: Sequence[str],
    *,
    problems: Mapping[str, str] | None = None,
    second: CurrentRun | None = None,
    rules: Rules | None = None,
    notes: Sequence[str] = (),
) -> Checked:
    """Compare the ``wanted`` rows with the baseline; ``second`` confirms what is doubtful.

    ``problems`` says of rows that could not be run why. Raises ``CannotCompare`` where the data
    set or the metric is not the baseline's.
    """
    if mismatch := current_run.mismatch(baseline, current):
        raise CannotCompare(mismatch)
    rules = rules or baseline.rules
    if second is not None:
        current = current_run.without_accidents(current, second)
    labels = [label for label in wanted if label in current.rows and label in baseline.rows]
    rows = regressions.judge(
        current.metric,
        current.pages,
        [baseline.rows[label] for label in labels],
        [current.rows[label] for label in labels],
        where,
        rules,
        [current_run.cost_change(baseline, current, label, second) for label in labels],
        current.sites,
    )
    new = dict.fromkeys(current.rows, "it is not in the baseline; --update adds it")
    reasons = {**(problems or {}), **new}
    return Checked(
        current=current,
        rules=rules,
        rows=rows,
        missing={
            label: reasons.get(label, "it is not in the run")
            for label in wanted
            if label not in labels
        },
        not_checked=[label for label in baseline.rows if label not in wanted],
        notes=notes,
    )


class Check:
    """A check under way: what is asked, then what was measured, then the outcome."""

    current: CurrentRun
    data_set: DataSet
    where: Sequence[Region]
    wanted: Sequence[str]
    """Labels of the rows that are asked for."""

    def __init__(
        self,
        baseline: Baseline | None,
        names: Sequence[str],
        rules: Rules,
        measuring: Measuring,
        progress: Progress,
        metric: str | None = None,
        *,
        updating: bool = False,
        against: Sequence[str] = (),
        texts: Texts | None = None,
    ) -> None:
        self.baseline = baseline
        self.rules = rules
        self._names = names
        self._measuring = measuring
        self._progress = progress
        self._metric_name = metric
        self._updating = updating
        self._against_names = against
        self._against: Mapping[str, str] = {}
        self._texts: Texts = texts or {}
        self._notes: list[str] = []
        self._problems: Mapping[str, str] = {}
        self._can_repeat = False

    def take(self, run: RunFolder, gold: str | None) -> None:
        """Take a stored run as what is checked; ``gold`` is the data set that it must be on."""
        self.data_set = stored_run.data_set(run)
        if gold is not None and catalogue.open_gold(gold).name != self.data_set.name:
            raise CannotCompare(f"run {run.id} is on {self.data_set.name}, not on {gold}")
        if self._names or self.baseline is None:
            self.wanted = _labels(run, self._names)
        else:
            self.wanted = list(self.baseline.rows)
        self._read(run)

    def measure(self, gold: str | None) -> None:
        """Run the extractors that are asked for, by default the baseline's on its data set."""
        self.data_set = self._open(gold)
        self._refuse_early()
        if self._names or self.baseline is None:
            rows = registry.rows(self._names)
        else:
            rows = [registry.rows([label])[0] for label in self.baseline.rows]
        self.wanted = [row.label for row in rows]
        old_rows = registry.rows(self._against_names)
        if old_rows:
            self._against = self._paired([row.label for row in old_rows])
        self._choose_costs()
        self._can_repeat = True
        self._read(self._measuring.run([*rows, *old_rows], self.data_set))
        if old_rows:
            self.baseline = self._of_other_rows()

    def _paired(self, old: Sequence[str]) -> Mapping[str, str]:
        """Return the old row of each new one, in order. Raises ``UsageError`` where they do not fit."""
        if len(old) != len(self.wanted) or set(old) & set(self.wanted):
            raise UsageError(
                f"--against needs another row for each that is checked: {', '.join(self.wanted)} "
                f"against {', '.join(old)}"
            )
        return dict(zip(self.wanted, old, strict=True))

    def _of_other_rows(self) -> Baseline:
        """Return what a baseline of the old rows would be, of the very run that is checked."""
        current = self.current
        for label in self._against.values():
            if label not in current.rows:
                reason = self._problems.get(label, "it has no cells")
                raise CannotCompare(f"{label} could not be run: {reason}")
        rows = {
            new: AcceptedRow(rounded(current.rows[old]), {}, current.cost(old))
            for new, old in self._against.items()
        }
        return Baseline(
            current.gold, current.fingerprint, current.metric, current.pages, rows, self.rules,
            score_key=current.score_key, measured=current.measured,
        )  # fmt: skip

    def texts(self) -> dict[str, dict[str, str]]:
        """Return what each row that was asked for returned for each page."""
        return {
            label: export.texts_of(self._run, label)
            for label in self.wanted
            if label in self.current.rows
        }

    def outcome(self) -> Checked | None:
        """Return the outcome; None where there is nothing to compare with when updating."""
        baseline, second = self.baseline, None
        if baseline is None:
            return None
        if mismatch := current_run.mismatch(baseline, self.current):
            if self._updating:
                return None
            raise CannotCompare(mismatch)
        problem = current_run.cost_problem(baseline, self.current)
        if self._measuring.control is not None and problem:
            self._notes.append(f"costs are not compared: {problem}")
        tolerance = self.rules.cost_tolerance
        doubtful = current_run.doubtful(baseline, self.current, self.wanted, tolerance)
        if doubtful and self._can_repeat:
            self._progress.say(f"measuring again: {', '.join(doubtful)}")
            rows = registry.rows(doubtful)
            second = self._scored(self._measuring.run(rows, self.data_set))
        elif doubtful:
            self._notes.append(
                f"cost not confirmed, so it does not count: {', '.join(doubtful)}; without --run "
                "it is measured again"
            )
        checked = compare(
            baseline,
            self.current,
            self.where,
            self.wanted,
            problems=self._problems,
            second=second,
            rules=self.rules,
            notes=self._notes,
        )
        changed = [row.label for row in checked.rows if row.changes]
        before = {
            label: export.texts_of(self._run, self._against[label])
            if label in self._against
            else self._texts.get(label, {})
            for label in changed
        }
        after = {label: export.texts_of(self._run, label) for label in changed}
        return replace(checked, against=self._against, texts_before=before, texts_after=after)

    @property
    def missing(self) -> dict[str, str]:
        """The rows that were asked for and could not be run, and why."""
        return {
            label: self._problems.get(label, "it is not in the run")
            for label in self.wanted
            if label not in self.current.rows
        }

    def _open(self, gold: str | None) -> DataSet:
        old = self.baseline
        if gold is None and old is not None and old.gold.startswith(catalogue.OWN):
            raise UsageError(
                f"the baseline is of data of your own; say where it is: --gold {old.gold}"
            )
        data_set = catalogue.open_gold(gold or (old.gold if old else "starter"))
        if warning := data_set.gold_warning():
            self._progress.say(warning)
        return data_set

    def _read(self, run: RunFolder) -> None:
        self._run = run
        self._problems = row_scores.problems(run)
        self.current = self._scored(run)
        known = page_slices.Dimensions(self.data_set, self._progress)
        labels = {
            name: known[name] if name in known else page_slices.of(self.data_set, name)
            for name in self.rules.by
            if name in known or name not in Rules.by
        }
        self.where = changes.regions(len(self.data_set), labels)

    def _scored(self, run: RunFolder) -> CurrentRun:
        scored = scores.of_run(run, self.data_set, [self._metric()], self._progress)
        scores.expect_rows(scored, run)
        return current_run.of_run(run, self.data_set, scored[0], self._measuring.control)

    def _metric(self) -> Metric:
        if self._metric_name is None and self.baseline is not None:
            return self.baseline.metric
        names = [] if self._metric_name is None else [self._metric_name]
        return metric_catalogue.for_data_set(self.data_set, names)[0]

    def _refuse_early(self) -> None:
        """Before an hour of extracting, find that it could not be compared."""
        if self.baseline is not None and not self._updating:
            ids, fingerprint = tuple(self.data_set.ids), self.data_set.hashes.fingerprint
            planned = Measurement(self.data_set.name, fingerprint, self._metric(), ids)
            if mismatch := current_run.mismatch(self.baseline, planned):
                raise CannotCompare(mismatch)

    def _choose_costs(self) -> None:
        """Leave costs out where they could not be compared anyway, and say so."""
        control = self._measuring.control
        if control is None:
            return
        adapter = registry.rows([control])[0].adapter
        if self.baseline is not None and self.baseline.measured is None and not self._updating:
            self._notes.append("costs are not compared: the baseline has none")
        elif not adapter.available:
            self._notes.append(
                f"costs are not compared: the control {control} cannot run here ({adapter.problem})"
            )
        else:
            return
        self._measuring = replace(self._measuring, control=None)


def _labels(run: RunFolder, names: Sequence[str]) -> list[str]:
    """Return the labels of a run's rows that names or globs mean. Raises ``UsageError``."""
    rows = [] if names else list(run.manifest.rows)
    for name in names:
        if not (matches := stored_run.rows_named(run, name)):
            raise stored_run.no_row(run, name)
        rows += matches
    return list(dict.fromkeys(row.label for row in rows))


# -- JSON -------------------------------------------------------------------------------------------


def _regression_json(regression: Regression) -> dict[str, Any]:
    return {
        "row": regression.row,
        "kind": regression.kind.value,
        "where": regression.where,
        "text": regression.text,
        "p": regression.p,
        "pages": [asdict(page) for page in regression.pages],
    }


def _row_json(row: RowChecked) -> dict[str, Any]:
    return {
        "label": row.label,
        "version_before": row.before.version,
        "version_after": row.after.version,
        "mark": row.verdict.value,
        "quality": _region_json(row.whole),
        "slices": [_region_json(change) for change in row.slices],
        "changed_pages": [asdict(change) for change in row.changes],
        "newly_failing": [change.page for change in row.failing],
        "fixed": [change.page for change in row.fixed],
        "below_floor": {
            where: {"floor": floor, "now": value}
            for where, (floor, value) in row.below_floor.items()
        },
        "cost": None if row.cost is None else asdict(row.cost),
    }


def _region_json(change: RegionChange) -> dict[str, Any]:
    difference = change.difference
    return {
        "where": change.where,
        "mark": change.verdict.value,
        "pages": change.pages,
        "changed": change.changed,
        "before": change.before,
        "after": change.after,
        "difference": difference.value,
        "lo": difference.lo,
        "hi": difference.hi,
        "p": change.p,
        "wins": difference.wins,
        "ties": difference.ties,
        "losses": difference.losses,
    }
