"""Does an extractor say the same twice, and in another order of pages?"""

from __future__ import annotations

import random
from collections.abc import Mapping

from bench.adapters.adapter import Row
from bench.datasets.catalogue import DataSet
from bench.model import Outcome
from bench.runs import surroundings as environment
from bench.runs.plan import Plan
from bench.runs.sampler import Sampler
from bench.runs.store.journal import text_hash
from bench.runs.store.manifest import Difference
from bench.runs.store.runs import RunFolder
from bench.runs.supervise import Limits, LoadFailed, Worker
from bench.util.progress import SILENT, Progress

SEED = 20200101


def note(folder: RunFolder, plan: Plan, progress: Progress = SILENT) -> list[str]:
    """Note in a run's manifest which extractors contradict themselves, and on which pages.

    Return what there is to say of those that could not be checked.
    """
    manifest, cells = folder.manifest, folder.cells()
    answered = cells[(cells["repeat"] == 0) & cells["outcome"].isin([Outcome.OK, Outcome.EMPTY])]
    token = f"{environment.run_token(folder.path)}-again"
    unchecked = []
    manifest.determinism = []
    for row in plan.rows:
        own = answered[answered["row"] == row.key]
        known = dict(zip(own["page"], own["text_hash"], strict=True))
        if row.members:
            unchecked.append(f"{row.label}: not checked again: it is made of its members' texts")
        elif known:
            try:
                manifest.determinism += check(
                    row,
                    plan.data_set,
                    known,
                    token=token,
                    limits=plan.limits,
                    pin=plan.pin,
                    progress=progress,
                )
            except LoadFailed as error:
                unchecked.append(f"{row.label}: not checked again: {error}")
    folder.write_manifest(manifest)
    return unchecked


def check(
    row: Row,
    data_set: DataSet,
    known: Mapping[str, str],
    *,
    token: str,
    limits: Limits,
    pin: int | None = None,
    progress: Progress = SILENT,
) -> list[Difference]:
    """Run every page twice in a shuffled order; compare with each other and with a run's texts.

    ``known`` has the hash of each page's text in the run; pages without an answer there are left
    out. Raises ``LoadFailed``.
    """
    order = [page_id for page_id in data_set.ids if page_id in known]
    random.Random(SEED).shuffle(order)  # noqa: S311
    found = []
    progress.start(f"checking {row.label}", len(order))
    with Sampler(lambda _: None) as sampler:
        hiding = limits.hiding(data_set.reader.root)
        worker = Worker(row, hiding, sampler, token=token, pin=pin)
        try:
            for page_id in order:
                item = data_set.read(page_id)
                results = [
                    worker.extract(row.handed(item), item.page.url, item.page.encoding)
                    for _ in range(2)
                ]
                once, again = (text_hash(result.text) for result in results)
                if once != again:
                    found.append(Difference(row.label, page_id, "called again"))
                elif once != known[page_id]:
                    found.append(Difference(row.label, page_id, "another order"))
                progress.advance()
        finally:
            worker.stop()
            environment.sweep(token)
    return found
