"""``bench gold lint``: look at every page of data sets for what would spoil figures."""

from collections.abc import Sequence
from textwrap import fill

import click

from bench.cli import options, printing, progress
from bench.datasets import catalogue
from bench.datasets.catalogue import DataSet
from bench.datasets.lint.findings import CHECKS, LintReport, Severity
from bench.model import UsageError
from bench.util.display import grouped, listed, plain
from bench.util.numbers import counted

_SHOWN = 10
_MARKS = {Severity.ERROR: "✗", Severity.WARNING: "!", Severity.NOTE: "•"}


@click.command(
    "lint",
    epilog="Examples: bench gold lint wcxb · bench gold lint aeb wcxb · "
    "bench gold lint folder:my-pages --json",
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@options.as_json
@click.option("--all", "everything", is_flag=True, help="Show every finding, not the first few.")
@options.quiet
@click.pass_context
def command(
    context: click.Context, names: tuple[str, ...], as_json: bool, everything: bool, quiet: bool
) -> None:
    """Look for what in data sets would spoil figures.

    Duplicates and near duplicates, gold that is empty or not in the page, snippets that contradict
    each other, annotation left in pages, false charsets, damaged bytes; and pages that two data
    sets, or two splits of one, have in common. Exit status 1 when there are errors:
    `bench run --skip-lint-errors` leaves those pages out.
    """
    # Imported here, because lint computes with NumPy, and help and other verbs need none of it.
    from bench.datasets.lint import run

    data_sets = opened(names)
    reports = run.lint(data_sets, run.siblings(data_sets), progress.bar(quiet=quiet))
    if as_json:
        printing.print_json({"data_sets": [report.to_json() for report in reports]})
    else:
        for report in reports:
            _tell(report, printing.console().width, everything=everything)
    context.exit(1 if any(report.count(Severity.ERROR) for report in reports) else 0)


def opened(names: Sequence[str]) -> list[DataSet]:
    """Open data sets by name. Raises ``UsageError`` for one named twice."""
    data_sets = [catalogue.open_gold(name) for name in names]
    known = [data_set.name for data_set in data_sets]
    if doubles := sorted({name for name in known if known.count(name) > 1}):
        raise UsageError(f"{doubles[0]} is named twice")
    return data_sets


def without_errors(data_set: DataSet, *, quiet: bool = False) -> DataSet:
    """Return a data set without the pages that lint rejects, and say which those are.

    Raises ``BenchError`` when none is left.
    """
    from bench.datasets.lint import run

    rejected = run.rejected(data_set, progress.bar(quiet=quiet))
    left = data_set.without(rejected)
    if rejected and not quiet:
        pages = listed([f"{page_id} ({why})" for page_id, why in rejected.items()], _SHOWN)
        printing.tell(f"{data_set.name}: left out because lint rejects them: {pages}")
    return left


def _tell(report: LintReport, width: int, *, everything: bool) -> None:
    counts = ", ".join(
        counted(n, severity.value) for severity in Severity if (n := report.count(severity))
    )
    click.echo(f"{plain(report.name)}: {report.pages:,} pages; {counts or 'nothing found'}")
    for line in report.left_out:
        click.echo(f"left out: {plain(line)}")
    if report.compared_with:
        click.echo(f"compared with {', '.join(map(plain, report.compared_with))}")
    groups = grouped(((finding.severity, finding.check), finding) for finding in report.findings)
    for (severity, check), findings in groups.items():
        click.echo(f"\n{_MARKS[severity]} {severity.value}: {check}: {len(findings)}")
        click.echo(
            fill(CHECKS[check], min(width, 100), initial_indent="  ", subsequent_indent="  ")
        )
        shown = findings if everything else findings[:_SHOWN]
        for finding in shown:
            named = len(finding.pages) == 1 and finding.pages[0] not in finding.detail
            page = f"{finding.pages[0]}: " if named else ""
            click.echo(f"    {plain(page + finding.detail)}")
        if len(findings) > len(shown):
            click.echo(f"    … and {len(findings) - len(shown)} more (--all shows them)")
    if report.rejected:
        click.echo(
            f"\n--skip-lint-errors leaves out {len(report.rejected)} of {report.pages:,} pages."
        )
