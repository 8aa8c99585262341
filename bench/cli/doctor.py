"""``bench doctor``: checks an extractor in a real worker, and says how to fix what fails."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.cli import options, printing, progress
from bench.model import Limits, UsageError
from bench.util.display import plain

if TYPE_CHECKING:
    from bench.runs.conformance.suite import Finding

_STYLES = {"ok": "green", "advice": "yellow", "fail": "bold red"}


@click.command(
    epilog="Examples: bench doctor trafilatura · bench doctor my_extractor --adapter "
    "my_extractor.py · bench doctor 'boilerpy3:*' --json"
)
@click.argument("names", nargs=-1, metavar="NAME[:VARIANT]...")
@options.adapter
@options.deadline
@options.as_json
@click.pass_context
def command(context: click.Context, names: tuple[str, ...], deadline: float, as_json: bool) -> None:
    """Check that an extractor keeps its promises, and say what to fix.

    In a real worker it meets the odd, the broken and the huge page, every encoding, the same page
    again and pages in another order; its facts are looked at, and whether it reaches for the
    network. Exit status 0 means that no check failed (advice is no failure), 1 that one did.
    """
    from bench.runs.conformance import suite

    if not names:
        raise UsageError("name an extractor; `bench list` shows them")
    rows = registry.rows(names)
    console = printing.console()
    examined = []
    for row in rows:
        with progress.Bar() as bar:
            findings = suite.examine(row, Limits(page_s=deadline), bar)
        examined.append((row, findings))
        if not as_json:
            _show(console, row, findings)
    if as_json:
        printing.print_json(
            [
                {
                    "extractor": row.label,
                    "version": row.adapter.version,
                    "passed": _passed(findings),
                    "findings": [asdict(finding) for finding in findings],
                }
                for row, findings in examined
            ]
        )
    context.exit(0 if all(_passed(findings) for _, findings in examined) else 1)


def _passed(findings: list[Finding]) -> bool:
    return not any(finding.level == "fail" for finding in findings)


def _show(console: Console, row: Row, findings: list[Finding]) -> None:
    console.print(Text(plain(f"{row.label} {row.adapter.version or ''}"), style="bold"))
    for finding in findings:
        if finding.level == "ok":
            continue
        line = Text(f"{finding.level:6} ", style=_STYLES[finding.level])
        line.append(plain(f"{finding.check}: {finding.what}"), style="default")
        console.print(Padding(line, (0, 0, 0, 2)))
        console.print(Padding(Text(f"fix: {plain(finding.fix)}", style="dim"), (0, 0, 0, 9)))
    counts = {level: sum(finding.level == level for finding in findings) for level in _STYLES}
    words = [f"{counts['ok']} checks passed"]
    words += [f"{counts['advice']} with advice"] if counts["advice"] else []
    words += [f"{counts['fail']} failed"] if counts["fail"] else []
    console.print(Padding(Text(", ".join(words)), (0, 0, 0, 2)))
