"""Before a run: is it there already, and what can be taken over from earlier ones?"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

from bench.adapters import released
from bench.adapters.adapter import Row, own_version
from bench.adapters.released import Released
from bench.model import BenchError
from bench.runs import surroundings as environment
from bench.runs.plan import Plan
from bench.runs.store import runs
from bench.runs.store.manifest import GoldFacts, Manifest, RowFacts, Status, now
from bench.runs.store.runs import RunFolder


def find_same(plan: Plan, results: Path) -> RunFolder | None:
    """Return the latest run of this very plan, finished or not."""
    same = (run for run in runs.all_runs(results) if run.manifest.plan == plan.key)
    return next(same, None)


def start(plan: Plan, results: Path, *, reuse: bool) -> RunFolder:
    """Make the folder of a new run; with ``reuse``, take over cells that earlier runs measured.

    A cell is taken over when row (extractor, version, settings, adapter source), page and
    conditions are the same and it was measured on this machine. Cells of ensembles never are: they
    are quickly made, of texts that may have changed.
    """
    folder = runs.create(results, plan.data_set.name)
    folder.write_manifest(_first_manifest(plan, folder))
    if reuse:
        _carry_over(plan, folder, results)
    return folder


def _carry_over(plan: Plan, folder: RunFolder, results: Path) -> None:
    ours = folder.manifest
    facts = ours.rows_by_key
    incomplete = {row.key: row for row in plan.rows if row.adapter.available and not row.members}
    for earlier in runs.all_runs(results):
        theirs = earlier.manifest
        if not incomplete:
            break
        if earlier.id == folder.id or (theirs.conditions, theirs.machine_id) != (
            ours.conditions,
            ours.machine_id,
        ):
            continue
        with contextlib.suppress(BenchError):
            for their_row in theirs.rows:
                row = incomplete.get(their_row.key)
                if row is None:
                    continue
                have = _take_over(plan, row, earlier, folder)
                facts[row.key].starts = facts[row.key].starts or their_row.starts
                if have == plan.repeats * len(plan.data_set):
                    del incomplete[row.key]
    folder.write_manifest(ours)


def _take_over(plan: Plan, row: Row, earlier: RunFolder, folder: RunFolder) -> int:
    """Copy the cells that fit and are not there yet; return how many the row has now."""
    pages = set(plan.data_set.ids)
    have = {(each["page"], each["repeat"]) for each in folder.journalled(row.key)}
    with folder.journal(row.key) as journal:
        for each in earlier.records(row.key):
            cell = (each["page"], each["repeat"])
            same = each["page"] in pages and each["page_hash"] == plan.page_hash(row, each["page"])
            if same and each["repeat"] < plan.repeats and cell not in have:
                have.add(cell)
                journal.append({**each, "carried_from": each["carried_from"] or earlier.id})
    return len(have)


def _first_manifest(plan: Plan, folder: RunFolder) -> Manifest:
    machine = environment.machine()
    last_releases = released.every()
    return Manifest(
        id=folder.id,
        status=Status.RUNNING,
        started=now(),
        finished=None,
        plan=plan.key,
        bench_version=own_version(),
        commit=environment.commit(),
        gold=GoldFacts(**plan.data_set.facts, root=str(plan.data_set.reader.root)),
        repeats=plan.repeats,
        conditions=plan.conditions,
        machine=machine,
        machine_id=machine.id,
        rows=[_row_facts(row, last_releases) for row in plan.rows],
        packages=environment.packages(),
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
