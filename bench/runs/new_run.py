"""Before a run: is it there already, and what can be taken over from earlier ones?"""

import contextlib
from collections.abc import Mapping
from pathlib import Path

from bench.adapters import released
from bench.adapters.adapter import Row, own_version
from bench.adapters.released import Released
from bench.model import BenchError
from bench.runs import machine
from bench.runs.plan import Plan
from bench.runs.store import runs
from bench.runs.store.manifest import RUN, Manifest, RowFacts, Status, now
from bench.runs.store.runs import RunFolder


def find_same(plan: Plan, results: Path, verb: str = RUN) -> RunFolder | None:
    """Return the latest run of this very plan that a verb made, finished or not."""
    same = (plan.key, verb, str(plan.shard or ""))

    def is_same(run: RunFolder) -> bool:
        return (run.manifest.plan, run.manifest.verb, run.manifest.shard) == same

    return next(filter(is_same, runs.all_runs(results, words=[plan.key])), None)


def start(plan: Plan, results: Path, *, reuse: bool, verb: str = RUN) -> RunFolder:
    """Make the folder of a new run; with ``reuse``, take over cells that earlier runs measured.

    A cell is taken over when row (extractor, version, settings, adapter source), page and
    conditions are the same and it was measured on this machine. Cells of ensembles never are: they
    are quickly made, of texts that may have changed.
    """
    part = "" if plan.shard is None else f"-shard-{plan.shard.number}-of-{plan.shard.of}"
    folder = runs.create(results, plan.data_set.name + part)
    manifest = _first_manifest(plan, folder, verb)
    folder.write_manifest(manifest)
    if reuse:
        _carry_over(plan, folder, results)
        folder.write_manifest(manifest)
    return folder


def _carry_over(plan: Plan, folder: RunFolder, results: Path) -> None:
    ours = folder.manifest
    incomplete = {row.key: row for row in plan.rows if row.adapter.available and not row.members}
    # Of finished runs on the same pages, the first that has a row has all that the others have.
    seen: set[tuple[str, str, int, str]] = set()
    for earlier in runs.all_runs(results, words=[*incomplete]):
        theirs = earlier.manifest
        if not incomplete:
            break
        if earlier.id == folder.id or (theirs.conditions, theirs.machine_id) != (
            ours.conditions,
            ours.machine_id,
        ):
            continue
        for their_row in theirs.rows:
            content = (their_row.key, theirs.gold.fingerprint, theirs.repeats, theirs.shard)
            if their_row.key not in incomplete or content in seen:
                continue
            row = incomplete[their_row.key]
            with contextlib.suppress(BenchError):
                have = _take_over(plan, row, earlier, folder)
                our_row = ours.rows_by_key[row.key]
                our_row.starts = our_row.starts or their_row.starts
                if have == plan.repeats * len(plan.pages):
                    del incomplete[row.key]
                if theirs.status == Status.FINISHED:
                    seen.add(content)


def _take_over(plan: Plan, row: Row, earlier: RunFolder, folder: RunFolder) -> int:
    """Copy the cells that fit and are not there yet; return how many the row has now."""
    pages = set(plan.pages)
    have = {(record["page"], record["repeat"]) for record in folder.journalled(row.key)}
    with folder.journal(row.key) as journal:
        for record in earlier.records(row.key):
            page, repeat = record["page"], record["repeat"]
            same = page in pages and record["page_hash"] == plan.page_hash(row, page)
            if same and repeat < plan.repeats and (page, repeat) not in have:
                have.add((page, repeat))
                journal.append({**record, "carried_from": record["carried_from"] or earlier.id})
    return len(have)


def _first_manifest(plan: Plan, folder: RunFolder, verb: str) -> Manifest:
    here = machine.describe()
    last_releases = released.every()
    return Manifest(
        id=folder.id,
        status=Status.RUNNING,
        started=now(),
        finished=None,
        plan=plan.key,
        bench_version=own_version(),
        commit=machine.commit(),
        gold=plan.gold,
        repeats=plan.repeats,
        conditions=plan.conditions,
        machine=here,
        machine_id=here.id,
        rows=[_row_facts(row, last_releases) for row in plan.rows],
        packages=machine.packages(),
        verb=verb,
        host=machine.host(),
        shard=str(plan.shard or ""),
    )


def _row_facts(row: Row, last_releases: Mapping[str, Released]) -> RowFacts:
    adapter = row.adapter
    return RowFacts(
        facts=adapter.facts,
        key=row.key,
        label=row.label,
        variant=row.variant,
        version=adapter.version,
        released=released.known(adapter, last_releases),
        settings=dict(row.settings),
        members=[member.label for member in row.members],
        source_hash=adapter.source_hash,
        python=str(adapter.interpreter or ""),
        environment=adapter.environment,
        packages=list(adapter.packages),
        available=adapter.available,
        problem=adapter.problem,
        remedy=adapter.remedy,
    )
