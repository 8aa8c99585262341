"""``bench reproduce``: a published table, run again at its own versions and settings."""

from dataclasses import replace
from pathlib import Path

import click

from bench.adapters import registry
from bench.cli import options, printing, progress
from bench.cli.run import carried_out
from bench.datasets import catalogue
from bench.metrics.ngram import DEFAULT
from bench.model import UsageError
from bench.report import markdown
from bench.util import paths
from bench.util.atomic import safe_name, write_json, write_text

TABLES = "published"
"""Folder beside the cards of data sets: a table for each data set that has one."""
OUTPUTS = "output"


@click.command(epilog="Examples: bench reproduce aeb · bench reproduce aeb --outputs AEB/output")
@click.argument("name")
@click.option(
    "--outputs",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder of the published texts.  [default: output/ of the data set, where it is there]",
)
@options.building
@options.places
@options.output
@options.quiet
@click.pass_context
def command(
    context: click.Context,
    name: str,
    outputs: Path | None,
    environments: options.Environments,
    places: options.Places,
    output: options.Output,
    quiet: bool,
) -> None:
    """Run a published table again: each system at its version, with the benchmark's own settings.

    NAME is the data set of the table. Ends with status 1 where a figure or a text is not the
    published one. A run that was interrupted goes on where it was.
    """
    from bench import api
    from bench.report import reproduction
    from bench.runs.plan import Plan
    from bench.scoring import published

    table = published.read(_table(name))
    data_set = catalogue.open_gold(name)
    asked = {system.row: registry.rows([system.row])[0] for system in table.rows}
    display = progress.RunProgress(quiet=quiet)
    rows = replace(environments, isolate=True).prepared(
        list(asked.values()), display, table.requires
    )
    plan = Plan(rows=rows, data_set=data_set)
    run = carried_out(plan, places.results, display, fresh=False, verb="reproduce")
    board = api.Run(run, [DEFAULT], progress=progress.bar(), data_set=data_set).board
    keys = dict(zip(asked, (row.key for row in rows), strict=True))
    agreed = published.compare(table, keys, run, board, outputs or data_set.reader.root / OUTPUTS)
    facts = published.to_json(table, agreed, board)
    page = places.reports / safe_name(data_set.name) / "reproduced.md"
    write_json(page.with_suffix(".json"), facts)
    blocks = reproduction.document(table, agreed, f"{data_set.name}: published figures and ours")
    write_text(page, markdown.render(blocks, narrow=reproduction.NARROW))
    output.show(table, reproduction.document, facts, agreements=agreed)
    if not output.as_json:
        click.echo(f"\n{printing.short(page)}")
    if not all(agreement.kept for agreement in agreed):
        context.exit(1)


def _table(name: str) -> Path:
    folder = paths.bundled("gold") / TABLES
    known = sorted(path.stem for path in folder.glob("*.toml"))
    if name not in known:
        raise UsageError(f"no published table for {name!r}; there are {', '.join(known)}")
    return folder / f"{name}.toml"
