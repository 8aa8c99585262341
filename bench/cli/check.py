"""``bench check``: is this worse than what was accepted? For build servers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from bench.adapters import registry
from bench.cli import measured, options, progress
from bench.cli.measured import How
from bench.datasets import catalogue
from bench.datasets.catalogue import DataSet
from bench.metrics.base import Metric
from bench.model import BenchError, Limits, UsageError
from bench.report import check as report
from bench.report import junit, markdown, terminal
from bench.runs.store.manifest import now
from bench.runs.store.runs import RunFolder
from bench.scoring import metric_catalogue, page_slices, stored_run
from bench.scoring.compare import baseline as files
from bench.scoring.compare import check as checking
from bench.scoring.compare import held, sides, update
from bench.scoring.compare import now as present
from bench.scoring.compare.baseline import Baseline, Rules
from bench.scoring.compare.check import Checked
from bench.scoring.compare.held import Region
from bench.scoring.compare.marks import CannotCompare
from bench.scoring.compare.now import Now
from bench.util import paths
from bench.util.atomic import write_text, writing_to

CONTROL = "everything"


@click.command(
    epilog="Examples: bench check trafilatura --gold aeb --baseline bench.json --update · "
    "bench check --baseline bench.json · bench check --run 2026 --junit bench.xml · "
    "bench check --update --allow-regression 'drops comments on purpose'. "
    "Exit status: 0 no regression, 1 regression, 2 wrong usage, 3 cannot compare."
)
@click.argument("names", nargs=-1, metavar="[NAME[:VARIANT]]...")
@click.option(
    "--gold",
    "gold_name",
    metavar="NAME",
    help="Data set.  [default: the baseline's; starter for a new one]",
)
@click.option(
    "--baseline",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    default=lambda: paths.working("results") / "baseline.json",
    show_default="results/baseline.json",
    help="What was accepted; committed with your code.",
)
@click.option("--run", "run_id", metavar="ID", help="Take a stored run; no extractor runs.")
@click.option("--update", "updating", is_flag=True, help="Write the baseline anew if nothing fell.")
@click.option(
    "--allow-regression",
    "reason",
    metavar="REASON",
    help="With --update: lower floors all the same; the reason is kept in the file.",
)
@click.option(
    "--epsilon",
    type=click.FloatRange(0, 100),
    metavar="POINTS",
    help="A smaller loss is none.  [default: the baseline's; 0.5]",
)
@click.option(
    "--small-epsilon",
    type=click.FloatRange(0, 100),
    metavar="POINTS",
    help="The same on slices of fewer than 8 pages.  [default: the baseline's; 2]",
)
@click.option(
    "--cost-tolerance",
    type=click.FloatRange(0),
    metavar="PERCENT",
    help="CPU time over the control's may grow by this.  [default: the baseline's; 25]",
)
@click.option("--no-cost", is_flag=True, help="Quality alone.")
@click.option(
    "--control",
    default=CONTROL,
    show_default=True,
    metavar="NAME",
    help="The row that costs are measured by.",
)
@click.option(
    "--repeat",
    "repeats",
    type=click.IntRange(2, 1000),
    default=3,
    show_default=True,
    metavar="N",
    help="Measure each page N times for its cost.",
)
@click.option(
    "--by",
    multiple=True,
    metavar="DIMENSION",
    help="Slices to check, may be given again.  [default: the baseline's; page_type, language, "
    "length]",
)
@click.option(
    "--metric",
    "metric_name",
    metavar="NAME",
    help="Metric.  [default: the baseline's; ngram, or snippets]",
)
@options.deadline
@click.option("--junit", "junit_path", type=click.Path(path_type=Path, dir_okay=False),
              metavar="FILE", help="Write JUnit XML.")  # fmt: skip
@click.option("--summary", "summary_path", type=click.Path(path_type=Path, dir_okay=False),
              metavar="FILE", help="Write Markdown for a pull request.")  # fmt: skip
@click.option("--all-rows", is_flag=True, help="Show rows in which nothing changed as well.")
@click.option(
    "--pages",
    "pages_shown",
    type=click.IntRange(0),
    default=report.PAGES,
    show_default=True,
    metavar="N",
    help="Show N pages for each regression.",
)
@options.adapter
@options.results
@options.as_json
@options.quiet
def command(
    names: tuple[str, ...],
    gold_name: str | None,
    path: Path,
    run_id: str | None,
    updating: bool,
    reason: str | None,
    epsilon: float | None,
    small_epsilon: float | None,
    cost_tolerance: float | None,
    no_cost: bool,
    control: str,
    repeats: int,
    by: tuple[str, ...],
    metric_name: str | None,
    deadline: float,
    junit_path: Path | None,
    summary_path: Path | None,
    all_rows: bool,
    pages_shown: int,
    results: Path,
    as_json: bool,
    quiet: bool,
) -> int:
    """Hold extractors against a committed baseline; fail if one became worse.

    Runs the extractors named (all of the baseline's by default), or takes a stored run. A
    regression is a loss of quality on all pages or a slice that is told apart and not negligible,
    a page newly failing or empty, or CPU time over a control's that grew, measured twice.
    """
    if reason is not None and (not updating or not reason.strip()):
        raise UsageError("--allow-regression goes with --update, and needs a reason")
    old = None if updating and not path.exists() else files.read(path)
    if old is None and not names and run_id is None:
        raise UsageError(f"{path} is new: name the extractors that it shall hold, or give --run")
    rules = _rules(old, epsilon, small_epsilon, cost_tolerance, by)
    work = _Work(
        old=old,
        names=names,
        rules=rules,
        how=How(results, Limits(page_s=deadline), repeats, None if no_cost else control, quiet),
        metric_name=metric_name,
        new_costs=updating,
    )
    try:
        if run_id is not None:
            work.take(stored_run.finished(results, run_id), gold_name)
        else:
            work.measure(_gold(old, gold_name))
        checked = work.check(lenient=updating)
    except CannotCompare as error:
        _write(junit_path, junit.cannot(path.name, str(error)))
        _write(summary_path, markdown.render(report.refusal(str(error))))
        raise
    if updating:
        _update(work, path, checked, reason)
    if checked is None:
        return checking.PASSED
    _write(junit_path, junit.xml(checked))
    _write(summary_path, markdown.render(report.document(checked), narrow=report.NARROW))
    if as_json:
        options.print_json(checked.to_json())
    else:
        blocks = report.document(checked, pages=pages_shown, all_rows=all_rows)
        terminal.show(blocks, options.console())
    return checking.PASSED if updating else checked.status


class _Work:
    """A check under way: what is asked, then what was measured, then the outcome."""

    now: Now
    data_set: DataSet
    where: list[Region]
    wanted: list[str]

    def __init__(
        self,
        old: Baseline | None,
        names: Sequence[str],
        rules: Rules,
        how: How,
        metric_name: str | None,
        *,
        new_costs: bool,
    ) -> None:
        self.old = old
        self.names = names
        self.rules = rules
        self.how = how
        self._metric_name = metric_name
        self._new_costs = new_costs
        self._notes: list[str] = []
        self._problems: dict[str, str] = {}
        self._can_repeat = False

    def take(self, run: RunFolder, gold_name: str | None) -> None:
        """Take a stored run as what is checked."""
        self.data_set = stored_run.data_set(run)
        if gold_name is not None and catalogue.open_gold(gold_name).name != self.data_set.name:
            raise CannotCompare(f"run {run.id} is on {self.data_set.name}, not on {gold_name}")
        if self.names or self.old is None:
            self.wanted = measured.labels(run, self.names)
        else:
            self.wanted = list(self.old.rows)
        self._hold(run)

    def measure(self, data_set: DataSet) -> None:
        """Run the extractors that are asked for."""
        self.data_set = data_set
        self._refuse_early()
        asked = measured.rows(self.names, list(self.old.rows) if self.old else [])
        self.wanted = [row.label for row in asked]
        self._choose_costs()
        self._can_repeat = True
        self._hold(measured.run(asked, data_set, self.how))

    def check(self, *, lenient: bool) -> Checked | None:
        """Return the outcome; None where there is nothing to compare with, if ``lenient``."""
        old, second = self.old, None
        if old is None or (lenient and not present.same_ground(old, self.now)):
            return None
        present.expect_same_ground(old, self.now)
        if self.how.control is not None and (problem := present.cost_problem(old, self.now)):
            self._notes.append(f"costs are not compared: {problem}")
        doubtful = present.doubtful(old, self.now, self.wanted, self.rules.cost_tolerance)
        if doubtful and self._can_repeat:
            options.tell(f"measuring again: {', '.join(doubtful)}")
            again = measured.run(measured.rows((), doubtful), self.data_set, self.how)
            second = measured.now(again, self.data_set, self.now.metric, self.how.control)
        elif doubtful:
            self._notes.append(
                f"cost not confirmed, so it does not count: {', '.join(doubtful)}; without --run "
                "it is measured again"
            )
        return checking.check(
            old,
            self.now,
            self.where,
            self.wanted,
            problems=self._problems,
            second=second,
            settings=self.rules,
            notes=self._notes,
        )

    def missing(self) -> dict[str, str]:
        """Return the rows that were asked for and could not be run, and why."""
        return {
            label: self._problems.get(label, "it is not in the run")
            for label in self.wanted
            if label not in self.now.rows
        }

    def _hold(self, run: RunFolder) -> None:
        metric = self._metric()
        self._problems = sides.facts_of_missing(run)
        self.now = measured.now(run, self.data_set, metric, self.how.control)
        self.where = self._regions()

    def _metric(self) -> Metric:
        if self._metric_name is None and self.old is not None:
            return self.old.metric
        names = [] if self._metric_name is None else [self._metric_name]
        return metric_catalogue.for_data_set(self.data_set, names)[0]

    def _regions(self) -> list[Region]:
        known = page_slices.dimensions(self.data_set, progress.bar())
        own = {
            name: known[name] if name in known else page_slices.of(self.data_set, name)
            for name in self.rules.by
            if name in known or name not in Rules().by
        }
        return held.regions(len(self.data_set), own)

    def _refuse_early(self) -> None:
        """Before an hour of extracting, find that it could not be compared."""
        old = self.old
        if old is not None and not self._new_costs:
            metric, ids = self._metric(), tuple(self.data_set.ids)
            fingerprint = self.data_set.hashes.fingerprint
            present.expect_same_ground(old, Now(self.data_set.name, fingerprint, metric, ids, {}))

    def _choose_costs(self) -> None:
        """Leave costs out where they could not be compared anyway, and say so."""
        control = self.how.control
        if control is None:
            return
        if self.old is not None and self.old.measured is None and not self._new_costs:
            self._notes.append("costs are not compared: the baseline has none")
        elif not (row := registry.rows([control])[0]).adapter.available:
            self._notes.append(
                f"costs are not compared: the control {control} cannot run here "
                f"({row.adapter.problem})"
            )
        else:
            return
        self.how = replace(self.how, control=None)


def _rules(
    old: Baseline | None,
    epsilon: float | None,
    small_epsilon: float | None,
    cost_tolerance: float | None,
    by: Sequence[str],
) -> Rules:
    """Return the baseline's rules, changed as the options say; points and per cent to shares."""
    rules = Rules() if old is None else old.rules
    given = {
        "epsilon": epsilon,
        "small_epsilon": small_epsilon,
        "cost_tolerance": cost_tolerance,
    }
    changed = {name: value / 100 for name, value in given.items() if value is not None}
    return replace(rules, **changed, by=tuple(by) or rules.by)


def _gold(old: Baseline | None, name: str | None) -> DataSet:
    if name is None and old is not None and old.gold.startswith(catalogue.FOLDER):
        raise UsageError(f"the baseline is of a folder; say where it is: --gold {old.gold}")
    return catalogue.open_gold(name or (old.gold if old else "starter"))


def _update(work: _Work, path: Path, checked: Checked | None, reason: str | None) -> None:
    """Write the baseline anew. Raises ``BenchError`` where that would lower a floor unasked."""
    missing = work.missing()
    if missing:
        label, why = next(iter(missing.items()))
        raise CannotCompare(f"{path} is left as it is: {label} could not be run: {why}")
    lowered = {} if checked is None else update.lowered(checked)
    if lowered and reason is None:
        lines = [f"{label}: {line}" for label, own in lowered.items() for line in own]
        more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
        if checked is not None:
            terminal.show(report.document(checked), options.console(stderr=True))
        raise BenchError(
            f"{path} is left as it is; it would be lowered: {lines[0]}{more}. If that is meant: "
            "--update --allow-regression 'REASON'"
        )
    if work.old is not None and not present.same_ground(work.old, work.now):
        dropped = [label for label in work.old.rows if label not in work.wanted]
        if dropped:
            raise CannotCompare(
                f"{path} is of another data set or metric, so all of it is written anew; name "
                f"{', '.join(dropped)} too, or no extractor at all"
            )
        options.tell(
            f"{path} was of {work.old.gold} {work.old.fingerprint[:12]} ({work.old.metric.name}), "
            f"now {work.now.gold} {work.now.fingerprint[:12]} ({work.now.metric.name}): nothing "
            "was compared, floors begin anew"
        )
    new = update.updated(
        work.old,
        work.now,
        work.where,
        work.wanted,
        work.rules,
        allowed=lowered,
        reason=reason or "",
        when=now(),
    )
    files.write(path, new)
    options.tell(
        f"wrote {options.short(path)}: {len(new.rows)} rows, {len(new.pages)} pages of {new.gold}"
    )


def _write(path: Path | None, text: str) -> None:
    """Write a report; the file that GitHub shows for a step is added to."""
    if path is None:
        return
    if str(path) == os.environ.get("GITHUB_STEP_SUMMARY"):
        with writing_to(path.parent), path.open("a", encoding="utf-8") as file:
            file.write(text)
    else:
        write_text(path, text)
