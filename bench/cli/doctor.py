"""``bench doctor``: checks an extractor in a real worker, and says how to fix what fails."""

from __future__ import annotations

from collections import Counter
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

_STYLES = {"advice": "yellow", "fail": "bold red"}


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
    examined = []
    for row in registry.rows(names):
        with progress.Bar() as bar:
            findings = suite.examine(row, Limits(page_s=deadline), bar)
        examined.append(
            {
                "extractor": row.label,
                "version": row.adapter.version,
                "passed": all(finding.level != "fail" for finding in findings),
                "findings": findings,
            }
        )
        if not as_json:
            _show(printing.console(), row, findings)
    if as_json:
        printing.print_json(examined)
    context.exit(0 if all(facts["passed"] for facts in examined) else 1)


def _show(console: Console, row: Row, findings: list[Finding]) -> None:
    console.print(Text(plain(f"{row.label} {row.adapter.version or ''}"), style="bold"))
    for finding in findings:
        if finding.level != "ok":
            text = Text(f"{finding.level:6} ", style=_STYLES[finding.level])
            text.append(plain(f"{finding.check}: {finding.what}"), style="default")
            console.print(Padding(text, (0, 0, 0, 2)))
            console.print(Padding(Text(f"fix: {plain(finding.fix)}", style="dim"), (0, 0, 0, 9)))
    counts = Counter(finding.level for finding in findings)
    words = [
        f"{counts['ok']} checks passed",
        f"{counts['advice']} with advice" if counts["advice"] else "",
        f"{counts['fail']} failed" if counts["fail"] else "",
    ]
    console.print(Padding(Text(", ".join(filter(None, words))), (0, 0, 0, 2)))
