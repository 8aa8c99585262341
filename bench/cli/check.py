"""``bench check``: is this worse than what was accepted, or than another version? For CI."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bench.cli import options, printing, progress
from bench.model import Limits, UsageError
from bench.report import markdown, terminal
from bench.scoring.compare.verdicts import CannotCompare
from bench.util import paths
from bench.util.atomic import write_text, writing_to
from bench.util.numbers import counted

if TYPE_CHECKING:
    from bench.runs.plan import Plan
    from bench.runs.store.runs import RunFolder
    from bench.scoring.compare.baseline import Baseline
    from bench.scoring.compare.check import Check, Checked
    from bench.scoring.compare.rules import Rules


@dataclass(frozen=True)
class ChangedRules:
    """Which of a baseline's rules are changed; points and per cent, None for the baseline's own."""

    epsilon: float | None
    small_epsilon: float | None
    cost_tolerance: float | None
    by: tuple[str, ...]

    def of(self, old: Baseline | None) -> Rules:
        """Return a baseline's rules, or those of a new one, changed; as shares."""
        from bench.scoring.compare.rules import Rules

        rules = Rules() if old is None else old.rules
        changed = {
            name: value / 100
            for name in ("epsilon", "small_epsilon", "cost_tolerance")
            if (value := getattr(self, name)) is not None
        }
        return replace(rules, **changed, by=self.by or rules.by)


_rules = options.family(
    "changes",
    ChangedRules,
    click.option(
        "--epsilon",
        type=click.FloatRange(0, 100),
        metavar="POINTS",
        help="A loss on all pages that fails without a test.  [default: the baseline's; 0.5]",
    ),
    click.option(
        "--small-epsilon",
        type=click.FloatRange(0, 100),
        metavar="POINTS",
        help="A loss on slices of fewer than 20 pages that is a warning.  "
        "[default: the baseline's; 2]",
    ),
    click.option(
        "--cost-tolerance",
        type=click.FloatRange(0),
        metavar="PERCENT",
        help="CPU time over the control's may grow by this.  [default: the baseline's; 25]",
    ),
    click.option(
        "--by",
        multiple=True,
        metavar="DIMENSION",
        help="Slices to check, may be given again.  [default: the baseline's; page_type, "
        "language, length]",
    ),
)


@click.command(
    epilog="Examples: bench check trafilatura --gold aeb --baseline bench.json --update · "
    "bench check --baseline bench.json · bench check --run pr-12 --junit bench.xml · "
    "bench check acme@. --against acme@git+https://example.org/acme@main · "
    "bench check --update --allow-regression 'drops comments on purpose'. "
    "Exit status: 0 no regression, 1 regression, 2 wrong usage, 3 cannot compare, 130 interrupted."
)
@click.argument("names", nargs=-1, metavar="[NAME[:VARIANT]]...")
@options.gold_or_none(
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
@click.option("--run", "run_id", metavar="RUN", help="Take a stored run; no extractor runs.")
@click.option(
    "--against",
    multiple=True,
    metavar="NAME[@VERSION]",
    help="Compare with this row, run beside it, in place of a baseline; one for each NAME.",
)
@click.option("--update", "updating", is_flag=True, help="Write the baseline if nothing fell.")
@click.option(
    "--with-texts",
    is_flag=True,
    help="With --update: keep the texts too, compressed, so that a check shows lost words.",
)
@click.option(
    "--allow-regression",
    "reason",
    metavar="REASON",
    help="With --update: lower floors all the same; the reason is kept in the file.",
)
@_rules
@click.option("--no-cost", is_flag=True, help="Quality alone.")
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
@click.option("--html", "html_path", type=click.Path(path_type=Path, dir_okay=False),
              metavar="FILE", help="Write a page with old texts, new ones and gold.")  # fmt: skip
@click.option("--all-rows", is_flag=True, help="Show rows in which nothing changed as well.")
@options.pages_shown
@options.adapter
@options.building
@options.results
@options.output
@options.quiet
def command(
    names: tuple[str, ...],
    gold_name: str | None,
    path: Path,
    run_id: str | None,
    against: tuple[str, ...],
    updating: bool,
    with_texts: bool,
    reason: str | None,
    changes: ChangedRules,
    no_cost: bool,
    repeats: int,
    metric_name: str | None,
    deadline: float,
    junit_path: Path | None,
    summary_path: Path | None,
    html_path: Path | None,
    all_rows: bool,
    pages_shown: int,
    environments: options.Environments,
    results: Path,
    output: options.Output,
    quiet: bool,
) -> int:
    """Compare extractors with a committed baseline, or with another version; fail if one is worse.

    Runs the extractors named (all of the baseline's by default), or takes a stored run. A
    regression is a loss of quality on all pages or a slice that is significant and not negligible,
    a page newly failing or empty, or CPU time over a control's that grew, measured twice.
    """
    from bench.report import check as report
    from bench.report import junit
    from bench.runs import new_run, runner
    from bench.scoring import stored_run
    from bench.scoring.compare import baseline, kept_texts
    from bench.scoring.compare.check import PASSED, Check
    from bench.scoring.compare.rules import Measuring

    if reason is not None and (not updating or not reason.strip()):
        raise UsageError("--allow-regression goes with --update, and needs a reason")
    _refuse(updating, with_texts, against, run_id, names)
    new = bool(against) or (updating and not path.exists())
    old = None if new else baseline.read(path)
    if old is None and not names and run_id is None:
        raise UsageError(f"{path} is new: name the extractors that it shall hold, or give --run")

    shown = progress.RunProgress(quiet=quiet)

    def execute(plan: Plan) -> RunFolder:
        folder = new_run.start(plan, results, reuse=False, verb="check")
        with shown.running(plan.cells):
            missing = sum(not row.adapter.available for row in plan.rows)
            shown.skip(missing * plan.repeats * len(plan.data_set))
            runner.execute(plan, folder, shown)
        return folder

    prepare = partial(environments.prepared, shown=shown)
    control = None if no_cost else Measuring.control
    measuring = Measuring(prepare, execute, Limits(deadline), repeats, control)
    texts = {} if new else kept_texts.read(path)
    work = Check(
        old, names, changes.of(old), measuring, progress.bar(), metric_name,
        updating=updating, against=against, texts=texts,
    )  # fmt: skip
    try:
        if run_id is not None:
            work.take(stored_run.finished(results, run_id), gold_name)
        else:
            work.measure(gold_name)
        checked = work.outcome()
    except KeyboardInterrupt:
        printing.tell("stopped; nothing was compared" + ", nor written" * updating)
        raise
    except CannotCompare as error:
        _write(junit_path, junit.cannot(path.name, str(error)))
        _write(summary_path, markdown.render(report.refusal(str(error))))
        raise
    if updating:
        _update(work, path, checked, reason, with_texts=with_texts)
    if checked is None:
        return PASSED
    _write(junit_path, junit.xml(checked))
    _write(summary_path, markdown.render(report.document(checked), narrow=report.NARROW))
    if html_path is not None:
        _write(html_path, _page(checked, work))
    how = {"pages": pages_shown, "all_rows": all_rows, "updated": updating or None}
    output.show(checked, report.document, **how)
    return PASSED if updating else checked.status


def _refuse(
    updating: bool,
    with_texts: bool,
    against: tuple[str, ...],
    run_id: str | None,
    names: tuple[str, ...],
) -> None:
    """Raise ``UsageError`` for options that do not go together."""
    if with_texts and not updating:
        raise UsageError("--with-texts goes with --update")
    if against and (updating or run_id is not None):
        raise UsageError("--against compares with a row run now; leave out --update and --run")
    if against and not names:
        raise UsageError("--against: name what is compared: bench check NAME --against OTHER")


def _page(checked: Checked, work: Check) -> str:
    from bench.report import changes_page
    from bench.report.changes_page import ChangedRow

    rows = [
        ChangedRow(row, checked.texts_before[row.label], checked.texts_after[row.label])
        for row in checked.rows
    ]
    old = ", ".join(checked.against.values()) or "baseline"
    new = ", ".join(row.label for row in checked.rows)
    return changes_page.page(old, new, work.data_set, checked.current.metric, rows)


def _update(
    work: Check, path: Path, checked: Checked | None, reason: str | None, *, with_texts: bool
) -> None:
    """Write the baseline. Raises ``BenchError`` where that would lower a floor unasked."""
    from bench.report import check as report
    from bench.runs.store.manifest import now
    from bench.scoring.compare import baseline_update

    console = printing.console(stderr=True)
    try:
        new = baseline_update.accepted(path, work, checked, reason, now())
    except baseline_update.WouldLower:
        if checked is not None:
            terminal.show(report.document(checked, updated=False), console)
        raise
    old = work.baseline
    if old is not None and (old.fingerprint, old.metric) != (new.fingerprint, new.metric):
        printing.tell(
            f"{path} was of {old.gold} {old.fingerprint[:12]} ({old.metric.name}), "
            f"now {new.gold} {new.fingerprint[:12]} ({new.metric.name}): nothing "
            "was compared, floors begin again"
        )
    if checked is None:
        terminal.show(report.accepted(work.current, work.wanted), console)
    files = baseline_update.write(path, new, work, with_texts=with_texts)
    printing.tell(
        f"wrote {', '.join(map(printing.short, files))}: {counted(len(new.rows), 'row')}, "
        f"{counted(len(new.pages), 'page')} of {new.gold}"
    )


def _write(path: Path | None, text: str) -> None:
    """Write a report; the file that GitHub shows for a step is added to."""
    if path is not None and str(path) == os.environ.get("GITHUB_STEP_SUMMARY"):
        with writing_to(path.parent), path.open("a", encoding="utf-8") as file:
            file.write(text)
    elif path is not None:
        write_text(path, text)
