"""``bench run``: run extractors, score their texts, show and write the leaderboard."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bench.adapters import registry
from bench.adapters.adapter import Decode, Row
from bench.cli import options, printing, progress
from bench.cli.gold import lint
from bench.datasets import catalogue
from bench.model import FAILED, BenchError, Sample, UsageError
from bench.scoring import metric_catalogue
from bench.util.atomic import safe_name, write_json
from bench.util.display import listed
from bench.util.numbers import about, counted

if TYPE_CHECKING:
    from bench.api import Run
    from bench.datasets.catalogue import DataSet
    from bench.metrics.base import Metric
    from bench.runs.estimate import Estimate
    from bench.runs.plan import Plan
    from bench.runs.store.runs import RunFolder

_ASKED_FROM_BYTES = 1_000_000_000
"""Size of environments from which on --all needs a yes."""


@click.command(
    epilog="Examples: bench run --all · bench run trafilatura readability --gold aeb · "
    "bench run 'trafilatura:*' --repeat 5 · bench run --all --gold folder:my-pages"
)
@click.argument("names", nargs=-1, metavar="[NAME[:VARIANT]]...")
@click.option("--all", "everything", is_flag=True, help="Every extractor and variant.")
@click.option("--yes", is_flag=True, help="With --all: do not ask, make environments of any size.")
@options.adapter
@options.environments
@options.gold
@click.option(
    "--sample", type=click.IntRange(1), metavar="N", help="Run on N pages, drawn at random."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the sample.")
@click.option(
    "--skip-lint-errors", is_flag=True, help="Leave out the pages that `bench gold lint` rejects."
)
@options.measuring
@options.decode
@click.option(
    "--shard",
    "shard_word",
    metavar="I/N",
    help="Run every N-th page from the I-th on: a part for one of N machines, see bench runs merge.",
)
@click.option(
    "--cluster",
    metavar="WHERE",
    help="Run shards on dask workers: local:4 starts four here, tcp://HOST:8786 is a scheduler.",
)
@click.option(
    "--keep-texts",
    is_flag=True,
    help="With --cluster: bring the texts back as well, not the figures alone.",
)
@click.option(
    "--check-determinism",
    is_flag=True,
    help="Then run every page twice more, in shuffled order, and name texts that change.",
)
@options.fresh
@options.places
@options.ranking
@options.output
@options.quiet
@click.pass_context
def command(
    context: click.Context,
    names: tuple[str, ...],
    everything: bool,
    yes: bool,
    environments: options.Environments,
    gold_name: str,
    sample: int | None,
    seed: int,
    skip_lint_errors: bool,
    measuring: options.RunOptions,
    check_determinism: bool,
    fresh: bool,
    places: options.Places,
    scoring: options.ScoreOptions,
    output: options.Output,
    quiet: bool,
    decode: Decode | None,
    shard_word: str | None,
    cluster: str | None,
    keep_texts: bool,
) -> None:
    """Run extractors over a data set, score them and write the leaderboard.

    NAME is an extractor's first variant, NAME:VARIANT another; both may be globs ('boiler*',
    'trafilatura:*'). NAME+FILTER sends the texts through a filter ('trafilatura+clean'), 'A>B'
    takes B's text where A's is empty. A run that was interrupted goes on where it was; a finished
    one is found, not repeated; --fresh starts over.
    """
    from bench import api
    from bench.runs import determinism
    from bench.runs.plan import Plan
    from bench.runs.shards import Shard

    measuring.check()
    shard = Shard.parse(shard_word) if shard_word else None
    if shard and cluster:
        raise UsageError("--cluster makes shards itself; leave out --shard")
    if keep_texts and not cluster:
        raise UsageError("--keep-texts is for --cluster; without it texts are kept in any case")
    data_set = _opened(gold_name, Sample(sample, seed) if sample else None)
    rows = _rows(names, everything)
    will = None
    if everything:
        will = _estimate(rows, data_set, environments, measuring, places.results)
        _announce(will, data_set.name, yes=yes, quiet=quiet)
    display = progress.RunProgress(quiet=quiet, will=will)
    plan = Plan(
        rows=environments.prepared(rows, display),
        data_set=lint.without_errors(data_set, quiet=quiet) if skip_lint_errors else data_set,
        repeats=measuring.repeats,
        jobs=measuring.jobs,
        limits=measuring.limits,
        pin=measuring.pin,
        decode=decode or "",
        shard=shard,
    )
    metrics = metric_catalogue.for_data_set(plan.data_set, scoring.metrics)
    for line in printing.folded(plan.data_set.reader.problems):
        printing.tell(f"{plan.data_set.name}: left out: {line}")
    if not quiet and not everything:
        _tell_members(plan, names)
    folder = (
        _on_cluster(
            plan,
            places.results,
            cluster,
            environments,
            metrics,
            keep_texts=keep_texts,
            fresh=fresh,
            quiet=quiet,
        )
        if cluster
        else carried_out(plan, places.results, display, fresh=fresh)
    )
    if check_determinism:
        for line in determinism.note(folder, plan, progress.bar(quiet=quiet)):
            printing.tell(line)
    _tell_failures(folder)
    asked_for = {row.label for row in plan.rows} if names else set()
    unavailable = {row.label for row in folder.manifest.rows if not row.available}
    if shard is not None:
        kept = printing.short(folder.path)
        printing.tell(f"shard {shard} is in {kept}; bench runs merge puts all {shard.of} together")
        context.exit(1 if asked_for & unavailable else 0)
    run = api.Run(folder, scoring.metrics, progress.bar(), plan.data_set, variants=scoring.variants)
    _show(run, places, output)
    if asked_for & unavailable:
        context.exit(1)


def _show(run: Run, places: options.Places, output: options.Output) -> None:
    """Show the leaderboard and write its tables; without gold, what can be said of the run."""
    data_set, kept = run.data_set, printing.short(run.path)
    if data_set.reader.has_gold:
        from bench.report import export, leaderboard

        write_json(run.path / "leaderboard.json", run.board.to_json())
        # Other pages, other figures: they do not overwrite those of the whole data set.
        sample = data_set.sample
        part = f"-sample-{sample.pages}-{sample.seed}" if sample else ""
        part += "-without-lint-errors" if data_set.left_out else ""
        tables = places.reports / f"{safe_name(data_set.name)}{part}"
        export.write_reports(run.board, tables)
        output.show(run.board, leaderboard.document)
        kept += f"\ntables in {printing.short(tables)}; charts: bench report"
    elif run.folder.has_texts:
        from bench.report import survey

        output.show(run.surveyed, survey.document)
    else:
        from bench.report import scale

        output.show(run.at_scale(), scale.document)
    if not output.as_json:
        click.echo(f"\n{kept}")


def _opened(name: str, sample: Sample | None) -> DataSet:
    """Open a data set, or a sample of it, and say what to know before anything runs."""
    whole = catalogue.open_gold(name)
    data_set = whole.sampled(sample)
    if data_set.sample:
        printing.tell(
            f"{whole.name}: {len(data_set)} of {len(whole)} pages, drawn with seed "
            f"{data_set.sample.seed}"
        )
    if warning := data_set.gold_warning():
        printing.tell(warning)
    return data_set


def _rows(names: Sequence[str], everything: bool) -> list[Row]:
    if everything and names:
        raise UsageError("give names or --all, not both")
    if everything:
        return registry.all_rows()
    if not names:
        raise UsageError("name extractors, or --all for every one; `bench list` shows them")
    return registry.rows(names)


def _estimate(
    rows: Sequence[Row],
    data_set: DataSet,
    environments: options.Environments,
    measuring: options.RunOptions,
    results: Path,
) -> Estimate:
    """Return what running these rows is expected to take."""
    from bench.adapters.adapter import with_members
    from bench.adapters.environments import assign
    from bench.runs.estimate import estimate

    rows = with_members(rows)
    missing = assign.unbuilt(rows, isolate=environments.isolate) if environments.build else []
    runnable = [
        row
        for row in rows
        if row.adapter.available or (environments.build and row.adapter.spec is not None)
    ]
    return estimate(
        runnable,
        len(data_set),
        missing,
        results,
        repeats=measuring.repeats,
        jobs=measuring.jobs,
    )


def _announce(will: Estimate, data_set: str, *, yes: bool, quiet: bool) -> None:
    """Say what running every row will take; ask on a terminal.

    Raises ``UsageError`` where nobody can be asked and environments would take over a gigabyte, or
    the answer is no.
    """
    size = f"{will.build_bytes / 1e9:.1f} GB"
    if not quiet:
        printing.tell(
            f"{counted(will.rows, 'row')} on {data_set}, {will.cells:,} cells: about "
            f"{about(will.run_s)}, less what earlier runs have measured"
        )
        if will.environments:
            printing.tell(
                f"{counted(will.environments, 'environment')} to make first: about {size}, "
                f"{about(will.build_s)}; --no-build leaves their rows out"
            )
    if yes:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        if not click.confirm("Go on?", default=True, err=True):
            raise UsageError("nothing was run")
    elif will.build_bytes > _ASKED_FROM_BYTES:
        raise UsageError(
            f"making {counted(will.environments, 'environment')} takes about {size}; fix: --yes "
            "allows it, --no-build leaves their rows out"
        )


def _tell_members(plan: Plan, names: Sequence[str]) -> None:
    """Say which rows were not asked for and run because ensembles are made of their texts."""
    asked_for = {row.label for row in registry.rows(names)}
    added = [row.label for row in plan.rows if row.label not in asked_for]
    if added:
        makers = [row.label for row in plan.rows if row.members and row.label in asked_for]
        printing.tell(
            f"{', '.join(makers)}: made of texts of others, which run first: {', '.join(added)}"
        )


def carried_out(
    plan: Plan, results: Path, shown: progress.RunProgress, *, fresh: bool, verb: str = "run"
) -> RunFolder:
    """Return the folder of the finished run: found, taken up again, or made."""
    from bench.runs import new_run, runner

    folder = None if fresh else new_run.find_same(plan, results, verb)
    if folder is not None and folder.finished:
        _tell_found(folder)
        return folder
    if folder is not None:
        click.echo(f"going on with {folder.id}", err=True)
    else:
        folder = new_run.start(plan, results, reuse=not fresh, verb=verb)
    with shown.running(plan.cells):
        shown.skip(sum(1 for row in plan.rows for _ in folder.journalled(row.key)))
        shown.skip(
            sum(not row.adapter.available for row in plan.rows) * plan.repeats * len(plan.pages)
        )
        try:
            runner.execute(plan, folder, shown)
        except BaseException as error:
            if not isinstance(error, BenchError):
                shown.__exit__()
                again = "the same command without --fresh" if fresh else "the same command"
                click.echo(
                    f"\nbench: stopped; every finished cell is in {printing.short(folder.path)}: "
                    f"{again} goes on from there",
                    err=True,
                )
            raise
    return folder


def _on_cluster(
    plan: Plan,
    results: Path,
    where: str,
    environments: options.Environments,
    metrics: Sequence[Metric],
    *,
    keep_texts: bool,
    fresh: bool,
    quiet: bool,
) -> RunFolder:
    """Return the finished run: found, or merged of shards that ran on a cluster."""
    from bench.runs import cluster, new_run
    from bench.scoring.scores import ShardScorer

    scorer = ShardScorer.of(metrics, plan.data_set) if plan.data_set.reader.has_gold else None
    wanted = cluster.Wanted(scorer, keep_texts)
    folder = None if fresh else new_run.find_same(plan, results)
    if folder is not None and folder.finished and (folder.has_texts or wanted.has(folder)):
        _tell_found(folder)
        return folder
    preparation = cluster.Preparation(
        registry.chosen(), isolate=environments.isolate, build=environments.build
    )
    bar = progress.bar(quiet=quiet)
    return cluster.carry_out(plan, results, where, preparation, wanted, fresh=fresh, progress=bar)


def _tell_found(folder: RunFolder) -> None:
    click.echo(f"found {folder.id}, finished; --fresh runs it again", err=True)


def _tell_failures(folder: RunFolder) -> None:
    from bench.scoring import run_memory

    for line in run_memory.of_run(folder, "failures", partial(_failures, folder), list[str]):
        printing.tell(line)


def _failures(folder: RunFolder) -> list[str]:
    """Return which rows failed on pages: how often, and their most frequent message."""
    labels = {row.key: row.label for row in folder.manifest.rows}
    failed = folder.cells("row", "page", "outcome", "diagnostics", outcome=FAILED)
    rows_by_line: dict[str, list[str]] = {}
    for key, own in failed.groupby("row", sort=False):
        reasons = own["outcome"] + ": " + own["diagnostics"].str.split("\n").str[0]
        reason = reasons.value_counts().index[0]
        pages, first = own["page"].nunique(), own.loc[reasons == reason, "page"].iloc[0]
        line = f"{counted(pages, 'page')} failed, first {first}; most often by {str(reason)[:200]}"
        rows_by_line.setdefault(line, []).append(labels[str(key)])
    return [f"{listed(rows)}: {line}" for line, rows in rows_by_line.items()]
