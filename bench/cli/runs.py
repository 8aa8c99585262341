"""``bench runs``: what was run, when, and how."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from bench.cli import options, printing
from bench.model import UsageError
from bench.report import document
from bench.report.document import Column
from bench.runs.store import runs
from bench.runs.store.manifest import Manifest, Status
from bench.runs.store.runs import RunFolder
from bench.util.display import grouped, plain
from bench.util.numbers import counted


@click.group(
    invoke_without_command=True,
    epilog="Examples: bench runs · bench runs show 20260101T1200 · bench runs tag main · "
    "bench runs prune --dry-run",
)
@options.results
@options.output
@click.pass_context
def command(context: click.Context, results: Path, output: options.Output) -> None:
    """List runs, newest first; show, tag and remove them.

    Wherever a RUN is asked for, its id, the beginning of it, or a tag will do, and `latest`: the
    newest finished one of `bench run` (of another verb where there is none).
    """
    context.obj = results
    if context.invoked_subcommand is not None:
        return
    manifests = [run.manifest for run in runs.all_runs(results, printing.tell)]
    tags = _tags_by_run(results)
    briefs = [_brief(manifest, tags.get(manifest.id, [])) for manifest in manifests]
    if not briefs and not output.as_json:
        click.echo(f"no runs in {results}; `bench run trafilatura readability` makes one")
        return
    output.show(briefs, _listing)


def _listing(briefs: Sequence[dict[str, Any]]) -> Iterator[document.Table]:
    yield document.listing(
        [
            (Column("run", "left"), lambda brief: brief["id"]),
            (Column("tags", "left", fold=1), lambda brief: ", ".join(brief["tags"])),
            (Column("verb", "left"), lambda brief: f"{brief['verb']} {brief['shard']}".strip()),
            (Column("status", "left"), lambda brief: brief["status"]),
            (Column("data set", "left", fold=1), lambda brief: brief["gold"]),
            (Column("rows", fold=1), lambda brief: str(brief["rows"])),
            (Column("pages", fold=1), lambda brief: str(brief["pages"])),
        ],
        briefs,
    )


def _tags_by_run(results: Path) -> dict[str, list[str]]:
    return grouped((run_id, name) for name, run_id in runs.tags(results).items())


@command.command(
    epilog="Examples: bench runs show · bench runs show 20260101T12 · bench runs show main"
)
@click.argument("run_id", required=False, metavar="[RUN]")
@options.as_json
@click.pass_obj
def show(results: Path, run_id: str | None, as_json: bool) -> None:
    """Show what a run was: its manifest (the latest finished one's by default)."""
    run = runs.find(results, run_id)
    manifest = run.manifest
    if as_json:
        printing.print_json(manifest.to_json())
        return
    console = printing.console()
    for name, value in _story(manifest, _tags_by_run(results).get(run.id, [])):
        line = Table.grid(padding=(0, 2, 0, 0))
        line.add_column(width=10, style="bold")
        line.add_column(overflow="fold")
        line.add_row(name, Text(plain(value)))
        console.print(line)
    if run.finished:
        console.print()
        console.print(_phases(run))


@command.command(epilog="Examples: bench runs tag main · bench runs tag pr-12 20260101T12 · "
                 "bench runs tag --remove pr-12")  # fmt: skip
@click.argument("name", metavar="TAG")
@click.argument("run_id", required=False, metavar="[RUN]")
@click.option("--remove", is_flag=True, help="Take the tag away; the run stays.")
@click.pass_obj
def tag(results: Path, name: str, run_id: str | None, remove: bool) -> None:
    """Give a run (the latest finished one by default) a name that serves wherever its id does.

    A tag that another run has moves to this one.
    """
    if remove:
        if run_id is not None:
            raise UsageError("--remove takes the tag alone; leave RUN out")
        runs.untag(results, name)
        click.echo(f"removed tag {name}")
        return
    run = runs.find(results, run_id)
    runs.tag(results, name, run)
    click.echo(f"{name} is {run.id}")


@command.command(
    epilog="Examples: bench runs merge 20260101T12 · bench runs merge downloaded/*-shard-*"
)
@click.argument("words", nargs=-1, required=True, metavar="RUN...")
@click.pass_obj
def merge(results: Path, words: tuple[str, ...]) -> None:
    """Put the shards of a plan (bench run --shard) together into one run.

    RUN is a shard's id, a beginning that several share, a tag, or a shard's folder wherever it
    lies. The shards stay; bench runs prune removes them once they are merged.
    """
    from bench.runs import shards

    named = [run for word in words for run in _shards_named(results, word)]
    run = shards.merge(results, named)
    click.echo(f"merged {len(run.manifest.shards)} shards into {printing.short(run.path)}")
    for line in run.manifest.warnings:
        printing.tell(f"warning: {line}")


def _shards_named(results: Path, word: str) -> list[RunFolder]:
    """Return what a word means; of several runs with the same beginning, those that are shards."""
    if Path(word).is_dir():
        return [RunFolder(Path(word))]
    shards = [run for run in runs.named(results, word) if run.manifest.shard]
    return shards or [runs.find(results, word)]


@command.command(epilog="Examples: bench runs rm 20260101T12 · bench runs rm pr-12 pr-13")
@click.argument("run_ids", nargs=-1, required=True, metavar="RUN...")
@click.pass_obj
def rm(results: Path, run_ids: tuple[str, ...]) -> None:
    """Remove runs, with their tags. A run that is under way is left."""
    unwanted = [runs.find(results, run_id) for run_id in run_ids]
    for run in {run.id: run for run in unwanted}.values():
        runs.remove(run)
        click.echo(f"removed {run.id}")


@command.command(epilog="Example: bench runs prune --dry-run")
@click.option("--dry-run", is_flag=True, help="Say what would be removed, remove nothing.")
@click.pass_obj
def prune(results: Path, dry_run: bool) -> None:
    """Remove runs that nobody misses: failed ones, and those that a newer run stands in for.

    A newer finished run stands in for an older one of the same plan (rows, versions, data set,
    conditions), and a newer check for older checks on the same data set. Runs with a tag stay.
    """
    unwanted = _superseded(results)
    for run, reason in unwanted:
        if not dry_run:
            runs.remove(run)
        click.echo(f"{'would remove' if dry_run else 'removed'} {run.id}: {reason}")
    click.echo(f"{counted(len(unwanted), 'run')} {'would be removed' if dry_run else 'removed'}")


def _superseded(results: Path) -> list[tuple[RunFolder, str]]:
    """Return the runs that can go, and why, newest first; shards, which any run of the whole
    plan stands in for, come last.
    """
    tagged = set(runs.tags(results).values())
    newer: dict[tuple[str, str], str] = {}
    unwanted = []
    stored = runs.all_runs(results, printing.tell)
    for run in sorted(stored, key=lambda run: bool(run.manifest.shard)):
        manifest = run.manifest
        stands_for = manifest.gold.fingerprint if manifest.verb == "check" else manifest.plan
        same = [(manifest.verb, stands_for), (manifest.verb, f"{stands_for} {manifest.shard}")]
        if run.id not in tagged:
            if manifest.status == Status.FAILED:
                unwanted.append((run, "nothing could run"))
            elif newest := next((newer[what] for what in same if what in newer), None):
                unwanted.append((run, f"{newest} stands in for it"))
        if run.finished:
            newer.setdefault(same[bool(manifest.shard)], run.id)
    return unwanted


def _phases(run: RunFolder) -> Table:
    """Where each row's time went, in seconds."""
    from bench.scoring import cost

    cells = run.cells(*cost.PHASES_OF)
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    for row in run.manifest.rows:
        spent = cost.phases(cells[cells["row"] == row.key], row)
        if not table.columns:
            for title in ("seconds for", *spent):
                table.add_column(title, justify="right" if table.columns else "left")
        table.add_row(Text(plain(row.label)), *(f"{value:.2f}" for value in spent.values()))
    return table


def _brief(manifest: Manifest, tags: list[str]) -> dict[str, Any]:
    return {
        "id": manifest.id,
        "tags": tags,
        "verb": manifest.verb,
        "shard": manifest.shard,
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


def _story(manifest: Manifest, tags: list[str]) -> list[tuple[str, str]]:
    machine, gold, commit = manifest.machine, manifest.gold, manifest.commit
    conditions = manifest.conditions
    dirty = " with uncommitted changes" if commit.dirty else ""
    languages = Counter(row.facts.language for row in manifest.rows)
    missing = [row for row in manifest.rows if not row.available]
    story = [
        ("run", manifest.id),
        ("tags", ", ".join(tags)),
        ("verb", f"bench {manifest.verb}" + f" --shard {manifest.shard}" * bool(manifest.shard)),
        ("shards", "; ".join(f"{part.shard} {part.run}" for part in manifest.shards)),
        ("status", f"{manifest.status}, {manifest.started} to {manifest.finished or '–'}"),
        ("data set", f"{gold.name}, {counted(gold.pages, 'page')}, fingerprint {gold.fingerprint}"),
        ("rows", ", ".join(f"{n} {language}" for language, n in languages.items())),
        ("conditions", (
            f"{counted(manifest.repeats, 'repeat')}{' in turns' * conditions.interleaved}, "
            f"{conditions.page_s:g} s a page, {conditions.memory_bytes >> 20:,} MiB a worker, "
            f"{counted(conditions.jobs, 'extractor')} at once"
            f"{'' if conditions.pin is None else f', on CPU {conditions.pin}'}")),
        ("machines", "; ".join(manifest.machines) if len(manifest.machines) > 1 else ""),
        ("machine", f"{machine.cpu}, {counted(machine.threads, 'thread')}, "
                    f"{machine.memory_bytes / 2**30:.1f} GiB"),
        ("system", f"{machine.os}, Python {machine.python}"),
        ("load", " → ".join(f"{load:.2f}" for load in manifest.load)),
        ("isolation", ", ".join(
            f"{what} {facts['state']} ({facts['how']})" for what, facts in manifest.isolation.items())),
        ("sampler", "; ".join(
            f"{sampler.rounds} rounds, late by {sampler.late_mean_s * 1000:.1f} ms on average, "
            f"{sampler.late_max_s * 1000:.1f} ms at most" for sampler in manifest.sampler)),
        ("bench", f"{manifest.bench_version} {commit.revision}{dirty}"),
    ]  # fmt: skip
    story += [("missing", f"{row.label}: {row.problem}") for row in missing]
    story += [("warning", warning) for warning in manifest.warnings]
    return [(name, value) for name, value in story if value]
