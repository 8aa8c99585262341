"""``bench gold``: data sets, where they are, and whether they are what they claim to be."""

from __future__ import annotations

from typing import Any

import click
from rich import box
from rich.table import Table
from rich.text import Text

from bench.cli import options
from bench.cli.gold_fetch import add, fetch, how
from bench.cli.gold_lint import command as lint
from bench.cli.gold_stats import command as stats
from bench.datasets import catalogue
from bench.datasets.verify import FAULTS, Verification
from bench.datasets.verify import verify as check
from bench.util.display import plain

_SHOWN = 10


@click.group(epilog="Examples: bench gold list · bench gold fetch aeb · bench gold verify aeb")
def command() -> None:
    """Fetch, list and verify data sets.

    They live in the per-user data directory, which BENCH_HOME overrides.
    """


command.add_command(fetch)
command.add_command(add)
command.add_command(lint)
command.add_command(stats)


@command.command("list")
@options.as_json
def list_(as_json: bool) -> None:
    """List the data sets that bench knows, and which of them are on this machine."""
    known = [_facts(name) for name in catalogue.all_cards()]
    if as_json:
        options.print_json(known)
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("data set", "pages", "here", "licence", "what"):
        table.add_column(
            title,
            justify="right" if title == "pages" else "left",
            overflow="fold",
            no_wrap=title == "data set",
        )
    for each in known:
        here = "yes" if each["installed"] else "no"
        # What it covers is told where the data set is got and shown.
        licence = each["licence"].partition(" (")[0]
        values = (each["name"], each["pages"], here, licence, each["title"])
        table.add_row(*(Text(plain(str(value))) for value in values))
    console = options.console()
    console.print(table)
    if any(not each["installed"] for each in known):
        console.print(
            "What is not here: bench gold fetch NAME downloads it, and says first how much it is; "
            "with --from FILE_OR_DIR it takes a copy that you have.",
            markup=False,
        )
    for each in known:
        if not each["installed"] and each["get"].endswith("FILE_OR_DIR"):
            line = f"{each['name']}: get it from {each['source']}, then {each['get']}"
            console.print(plain(line), markup=False, soft_wrap=True)
    console.print("folder:PATH is a folder of your own: ID.html (or ID.html.gz) beside ID.txt.")


@command.command(epilog="Examples: bench gold verify aeb · bench gold verify folder:pages --json")
@click.argument("name")
@options.as_json
@click.pass_context
def verify(context: click.Context, name: str, as_json: bool) -> None:
    """Check a data set: fingerprint, pairs, duplicates, empty gold, undecodable bytes.

    Exit status 1 when it is damaged or not what was published.
    """
    report = check(catalogue.open_gold(name))
    if as_json:
        options.print_json(_report(report))
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


def _facts(name: str) -> dict[str, Any]:
    card, root = catalogue.find_card(name)
    return {
        "name": card.name,
        "title": card.title,
        "description": card.description,
        "pages": card.pages,
        "languages": list(card.languages),
        "licence": card.licence,
        "citation": card.citation,
        "source": card.source,
        "revision": card.revision,
        "fingerprint": card.fingerprint,
        "installed": catalogue.is_installed(root),
        "download_bytes": sum(each.size_bytes for each in card.files) or None,
        "get": None if catalogue.is_installed(root) else how(card),
        "path": str(root),
    }
