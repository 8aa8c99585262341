"""``bench gold verify``: is a data set whole, and what was published?"""

from typing import Any

import click

from bench.cli import options, printing
from bench.datasets import catalogue
from bench.datasets.verify import FAULTS, Verification
from bench.datasets.verify import verify as check
from bench.util.display import plain

_SHOWN = 10


@click.command(epilog="Examples: bench gold verify aeb · bench gold verify folder:pages --json")
@click.argument("name")
@options.as_json
@click.pass_context
def command(context: click.Context, name: str, as_json: bool) -> None:
    """Check a data set: fingerprint, pairs, duplicates, empty gold, undecodable bytes.

    Exit status 1 when it is damaged or not what was published.
    """
    report = check(catalogue.open_gold(name))
    if as_json:
        printing.print_json(_report(report))
    else:
        _tell(report)
    context.exit(1 if report.faulty else 0)


def _tell(report: Verification) -> None:
    pinned = "as published" if report.expected == report.fingerprint else "not pinned by a card"
    if report.fingerprint and not report.findings.get("fingerprint"):
        click.echo(f"{report.name}: {report.pages} pages, {pinned}")
    else:
        click.echo(f"{report.name}: {report.pages} pages")
    click.echo(f"fingerprint {report.fingerprint or 'unknown: not every page can be read'}")
    for kind, lines in report.findings.items():
        if not lines:
            continue
        mark = "✗" if kind in FAULTS else "•"
        click.echo(f"{mark} {kind}: {len(lines)}")
        for line in lines[:_SHOWN]:
            click.echo(f"    {plain(line)}")
        if len(lines) > _SHOWN:
            click.echo(f"    … and {len(lines) - _SHOWN} more (--json has all)")


def _report(report: Verification) -> dict[str, Any]:
    return {
        "name": report.name,
        "pages": report.pages,
        "fingerprint": report.fingerprint,
        "expected": report.expected or None,
        "faulty": report.faulty,
        "findings": {kind: lines for kind, lines in report.findings.items() if lines},
    }
