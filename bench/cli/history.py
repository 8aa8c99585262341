"""``bench history``: every release of an extractor, its quality and cost."""

import click
from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.adapters.environments.npm import NpmSpec
from bench.cli import options, printing, progress
from bench.cli.run import carried_out
from bench.datasets import catalogue
from bench.model import UsageError
from bench.scoring import metric_catalogue
from bench.util.atomic import safe_name


@click.command(
    epilog="Examples: bench history trafilatura --gold aeb · "
    "bench history readability --since 0.8 --every"
)
@click.argument("name", metavar="NAME[:VARIANT]")
@click.option("--since", metavar="VERSION", help="Leave out older releases.")
@click.option(
    "--every",
    "every_release",
    is_flag=True,
    help="Every release, not the newest of each minor one.",
)
@options.adapter
@options.gold
@options.building
@options.fresh
@options.places
@options.scoring
@options.output
@options.quiet
def command(
    name: str,
    since: str | None,
    every_release: bool,
    gold_name: str,
    environments: options.Environments,
    fresh: bool,
    places: options.Places,
    scoring: options.ScoreOptions,
    output: options.Output,
    quiet: bool,
) -> None:
    """Run the releases of an extractor's package, each in an environment of its own.

    The newest of each minor release (1.12.2 of 1.12), as the package index lists them. Cells that
    earlier runs measured are taken over, so a history that was interrupted goes on where it was
    and one with a new release runs that alone. A release that cannot be made or loaded is listed
    with the reason.
    """
    from bench import api
    from bench.adapters import indexes
    from bench.report import history as report
    from bench.runs.plan import Plan
    from bench.scoring import history

    program = _one(name)
    oldest = _version(since)
    data_set = catalogue.open_gold(gold_name)
    versions = [
        release.version
        for release in indexes.releases(_package(program))
        if release.fits and (oldest is None or release.version >= oldest)
    ]
    versions = versions if every_release else indexes.newest_of_each_minor(versions)
    if not versions:
        raise UsageError(f"{name} has no release{f' since {since}' if since else ''}")
    display = progress.RunProgress(quiet=quiet)
    rows = environments.prepared(
        [registry.rows([f"{name}@{version}"])[0] for version in versions], display
    )
    plan = Plan(rows=rows, data_set=data_set)
    metric_catalogue.chosen(scoring.metrics)  # an unknown one is said before anything runs
    carried = carried_out(plan, places.results, display, fresh=fresh, verb="history")
    run = api.Run(carried, scoring.metrics, progress.bar(), data_set, variants=True)
    labels = {str(version): row.label for version, row in zip(versions, rows, strict=True)}
    releases = history.of_board(program.label, labels, run.keys, run.scored[0], run.board)
    folder = places.reports / safe_name(data_set.name)
    files = report.write(releases, folder, f"history-{safe_name(program.label)}")
    output.show(releases, report.document)
    if not output.as_json:
        click.echo(f"\n{', '.join(printing.short(path) for path in files)}")


def _one(name: str) -> Row:
    if "@" in name:
        raise UsageError(f"{name}: leave out the version; --since says where to begin")
    rows = registry.rows([name])
    if len(rows) != 1:
        raise UsageError(f"{name} names {len(rows)} rows; give one")
    return rows[0]


def _package(row: Row) -> str:
    if row.adapter.spec is None or isinstance(row.adapter.spec, NpmSpec):
        raise UsageError(f"{row.label}: {row.adapter.name} wraps no Python package with releases")
    return Requirement(row.adapter.spec.requires[0]).name


def _version(word: str | None) -> Version | None:
    try:
        return None if word is None else Version(word)
    except InvalidVersion:
        raise UsageError(f"--since {word}: this is no version") from None
