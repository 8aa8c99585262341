"""Does an extractor say the same twice, and in another order of pages?"""

import random
from collections.abc import Mapping

from bench.adapters.adapter import Row
from bench.model import Outcome
from bench.runs import worker_home
from bench.runs.plan import Plan
from bench.runs.process import LoadFailed
from bench.runs.store.manifest import Difference
from bench.runs.store.runs import RunFolder
from bench.runs.supervise import outside_a_run
from bench.util.progress import SILENT, Progress

SEED = 20200101


def note(folder: RunFolder, plan: Plan, progress: Progress = SILENT) -> list[str]:
    """Note in a run's manifest which extractors contradict themselves, and on which pages.

    Return what there is to say of those that could not be checked.
    """
    manifest, cells = folder.manifest, folder.cells("row", "page", "outcome", "text_hash", repeat=0)
    answered = cells[cells["outcome"].isin([Outcome.OK, Outcome.EMPTY])]
    token = f"{worker_home.run_token(folder.path)}-again"
    unchecked = []
    manifest.determinism = []
    for row in plan.rows:
        own = answered[answered["row"] == row.key]
        hashes = dict(zip(own["page"], own["text_hash"], strict=True))
        if row.members:
            unchecked.append(f"{row.label}: not checked again: it is made of its members' texts")
        elif hashes:
            try:
                manifest.determinism += check(row, plan, hashes, token, progress)
            except LoadFailed as error:
                unchecked.append(f"{row.label}: not checked again: {error}")
    folder.write_manifest(manifest)
    return unchecked


def check(
    row: Row, plan: Plan, hashes: Mapping[str, str], token: str, progress: Progress = SILENT
) -> list[Difference]:
    """Run every page twice in a shuffled order; compare with each other and with a run's texts.

    ``hashes`` has that of each page's text in the run; pages without an answer there are left out.
    ``token`` marks the worker, see ``worker_home``. Raises ``LoadFailed``.
    """
    data_set = plan.data_set
    order = [page_id for page_id in data_set.ids if page_id in hashes]
    random.Random(SEED).shuffle(order)  # noqa: S311
    differences = []
    progress.start(f"checking {row.label}", len(order))
    with outside_a_run(token, plan.limits.hiding(data_set.reader.root), plan.pin) as worker_of:
        worker = worker_of(row)
        for page_id in order:
            item = data_set.read(page_id)
            once, again = (
                worker.extract(row.handed(item), item.page.url, item.page.encoding).text_hash
                for _ in range(2)
            )
            if once != again:
                differences.append(Difference(row.label, page_id, "called again"))
            elif once != hashes[page_id]:
                differences.append(Difference(row.label, page_id, "another order"))
            progress.advance()
    return differences
