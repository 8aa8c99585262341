"""Manifests of runs that never were."""

from typing import Any

from bench.model import ExtractorFacts
from bench.runs.store.manifest import (
    Commit,
    Conditions,
    GoldFacts,
    Machine,
    Manifest,
    RowFacts,
    Start,
    Status,
)

_TEXTS = ("source_hash", "python", "environment", "problem", "remedy")


def start(**changed: Any) -> Start:
    """A worker's start that took no time."""
    times = dict.fromkeys(("start_s", "import_s", "load_s", "warm_up_s", "cpu_s"), 0.0)
    facts = {"rss_bytes": None, "python": "3.11.0", "network": "namespace", "packages": ()}
    return Start(**{**times, **facts, "kernel_peak": True, **changed})


def row(key: str, name: str = "", **changed: Any) -> RowFacts:
    """A row that could be run, of an extractor of which little is known."""
    facts: dict[str, Any] = {
        "facts": ExtractorFacts(name or key), "key": key, "label": name or key,
        "variant": "default", "version": None, "released": None,
        "settings": {}, "members": [], "packages": [], "available": True,
        **dict.fromkeys(_TEXTS, ""),
    }  # fmt: skip
    return RowFacts(**{**facts, **changed})


def manifest(*rows: RowFacts, **changed: Any) -> Manifest:
    """A run of these rows that is under way."""
    machine = Machine("a processor", 1, 2, 1 << 33, "Linux", "3.11.0", "3.11.0 (main)")
    gold = GoldFacts("folder:pages", "pages", "", False, "0" * 64, None, 3, "/nowhere/pages")
    facts: dict[str, Any] = {
        "id": "20260101T000000-pages", "status": Status.RUNNING,
        "started": "2026-01-01T00:00:00+00:00", "finished": None, "plan": "a plan",
        "bench_version": "0.1.0", "commit": Commit(), "gold": gold, "repeats": 1,
        "conditions": Conditions(30.0, 4 << 30, interleaved=False, jobs=1, pin=None),
        "machine": machine, "machine_id": machine.id, "rows": list(rows), "packages": [],
    }  # fmt: skip
    return Manifest(**{**facts, **changed})
