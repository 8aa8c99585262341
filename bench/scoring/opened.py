"""What a stored run was made on, opened again: its data set, unchanged."""

from __future__ import annotations

from bench.datasets import catalogue
from bench.datasets.catalogue import FOLDER, DataSet
from bench.model import BenchError, UsageError
from bench.runs.store.runs import RunFolder


def finished(run: RunFolder) -> RunFolder:
    """Return the run. Raises ``UsageError`` when it is not finished."""
    if not run.finished:
        raise UsageError(f"run {run.id} is not finished; the command that began it goes on with it")
    return run


def data_set(run: RunFolder) -> DataSet:
    """Open the data set of a run.

    Raises ``BenchError`` when its content is not what the run was made on, and what
    ``catalogue.open_gold`` raises.
    """
    facts = run.manifest.gold
    name = facts.name
    found = catalogue.open_gold(f"{FOLDER}{facts.root}" if name.startswith(FOLDER) else name)
    found = found.without(facts.left_out)
    if found.hashes.fingerprint != facts.fingerprint:
        raise BenchError(
            f"{name} is no longer what run {run.id} was made on (fingerprint "
            f"{found.hashes.fingerprint[:12]}, then {facts.fingerprint[:12]}); get that data "
            "set back, or run again"
        )
    return found
