"""``bench runs``: what was run, when, and how."""

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from bench.cli import options, printing
from bench.runs.store import runs
from bench.runs.store.manifest import Manifest
from bench.runs.store.runs import RunFolder
from bench.util.display import plain

_COLUMNS: dict[str, JustifyMethod] = {
    "run": "left", "status": "left", "data set": "left", "rows": "right", "pages": "right",
    "repeats": "right",
}  # fmt: skip


@click.group(
    invoke_without_command=True,
    epilog="Examples: bench runs · bench runs show 20260101T1200 · bench runs --json",
)
@options.results
@options.as_json
@click.pass_context
def command(context: click.Context, results: Path, as_json: bool) -> None:
    """List runs, newest first, and show what they were."""
    context.obj = results
    if context.invoked_subcommand is not None:
        return
    found = [run.manifest for run in runs.all_runs(results, printing.tell)]
    if as_json:
        printing.print_json([_brief(manifest) for manifest in found])
        return
    if not found:
        click.echo(f"no runs in {results}; `bench run --all` makes one")
        return
    keys = ("id", "status", "gold", "rows", "pages", "repeats")
    lines = [[brief[key] for key in keys] for brief in map(_brief, found)]
    printing.console().print(printing.grid(_COLUMNS, lines))


@command.command(epilog="Example: bench runs show 20260101T120000-starter")
@click.argument("run_id", required=False)
@options.as_json
@click.pass_obj
def show(results: Path, run_id: str | None, as_json: bool) -> None:
    """Show a run's manifest (the latest finished one's by default)."""
    run = runs.find(results, run_id)
    manifest = run.manifest
    if as_json:
        printing.print_json(manifest.to_json())
        return
    console = printing.console()
    for name, value in _story(manifest):
        console.print(Text.assemble((f"{name:<12}", "bold"), plain(str(value))))
    if run.finished:
        console.print(_phases(run))


def _phases(run: RunFolder) -> Table:
    """Where each row's time went, in seconds."""
    from bench.scoring import cost

    cells = run.cells()
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    for row in run.manifest.rows:
        spent = cost.phases(cells[cells["row"] == row.key], row)
        if not table.columns:
            for title in ("seconds for", *spent):
                table.add_column(title, justify="right" if table.columns else "left")
        table.add_row(Text(plain(row.label)), *(f"{value:.2f}" for value in spent.values()))
    return table


def _brief(manifest: Manifest) -> dict[str, Any]:
    return {
        "id": manifest.id,
        "status": manifest.status,
        "started": manifest.started,
        "finished": manifest.finished,
        "gold": manifest.gold.name,
        "fingerprint": manifest.gold.fingerprint,
        "pages": manifest.gold.pages,
        "rows": len(manifest.rows),
        "repeats": manifest.repeats,
        "warnings": manifest.warnings,
    }


def _story(manifest: Manifest) -> list[tuple[str, object]]:
    machine, gold, commit = manifest.machine, manifest.gold, manifest.commit
    loaded = " → ".join(f"{load:.2f}" for load in manifest.load)
    dirty = " with uncommitted changes" if commit.dirty else ""
    languages = Counter(row.facts.language for row in manifest.rows)
    missing = [row for row in manifest.rows if not row.available]
    story: list[tuple[str, object]] = [
        ("run", manifest.id),
        ("status", f"{manifest.status}, {manifest.started} to {manifest.finished}"),
        ("data set", f"{gold.name}, {gold.pages} pages, fingerprint {gold.fingerprint}"),
        ("rows", ", ".join(f"{n} {language}" for language, n in languages.items())),
        ("conditions", f"{manifest.repeats} repeats, {asdict(manifest.conditions)}"),
        ("machine", f"{machine.cpu}, {machine.threads} threads, "
                    f"{machine.memory_bytes / 2**30:.1f} GiB"),
        ("system", f"{machine.os}, Python {machine.python}"),
        ("load", loaded),
        ("isolation", ", ".join(
            f"{what} {facts['state']} ({facts['how']})" for what, facts in manifest.isolation.items())),
        ("sampler", "; ".join(
            f"{each.rounds} rounds, late by {each.late_mean_s * 1000:.1f} ms on average, "
            f"{each.late_max_s * 1000:.1f} ms at most" for each in manifest.sampler)),
        ("bench", f"{manifest.bench_version} {commit.revision}{dirty}"),
    ]  # fmt: skip
    story += [("missing", f"{row.label}: {row.problem}") for row in missing]
    story += [("warning", each) for each in manifest.warnings]
    return story
