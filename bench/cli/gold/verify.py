"""``bench gold verify``: is a data set whole, and what was published?"""

from collections.abc import Mapping, Sequence

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
    findings = {kind: lines for kind, lines in report.findings.items() if lines}
    if as_json:
        facts = {name: getattr(report, name) for name in ("name", "pages", "fingerprint")}
        facts |= {"expected": report.expected or None, "faulty": report.faulty}
        printing.print_json({**facts, "findings": findings})
    else:
        _tell(report, findings)
    context.exit(1 if report.faulty else 0)


def _tell(report: Verification, findings: Mapping[str, Sequence[str]]) -> None:
    pinned = ""
    if report.fingerprint and "fingerprint" not in findings:
        published = report.expected == report.fingerprint
        pinned = ", as published" if published else ", not pinned by a card"
    click.echo(f"{report.name}: {report.pages} pages{pinned}")
    click.echo(f"fingerprint {report.fingerprint or 'unknown: not every page can be read'}")
    for kind, lines in findings.items():
        click.echo(f"{'✗' if kind in FAULTS else '•'} {kind}: {len(lines)}")
        for line in lines[:_SHOWN]:
            click.echo(f"    {plain(line)}")
        if len(lines) > _SHOWN:
            click.echo(f"    … and {len(lines) - _SHOWN} more (--json has all)")
