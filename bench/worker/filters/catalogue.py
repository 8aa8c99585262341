"""Finds filters by their file: ``bench/worker/filters/NAME.py`` holds the filter called NAME."""

from __future__ import annotations

import importlib
from functools import lru_cache
from pathlib import Path

from bench.worker.filters.base import Filter

_FOLDER = Path(__file__).resolve().parent
_NO_FILTERS = ("__init__", "base", "catalogue")


def names() -> list[str]:
    """Return the names of all filters."""
    return sorted(p.stem for p in _FOLDER.glob("*.py") if p.stem not in _NO_FILTERS)


def load(name: str) -> Filter:
    """Return the filter of a name. Raises ``LookupError`` where there is none."""
    if name not in names():
        raise LookupError(f"no filter is called {name!r}")
    module = importlib.import_module("bench.worker.filters." + name)
    for thing in vars(module).values():
        if isinstance(thing, type) and issubclass(thing, Filter) and thing.name == name:
            return thing()
    raise LookupError(f"bench/worker/filters/{name}.py has no Filter named {name!r}")


def describe(name: str) -> str:
    """Return the first line of a filter's docstring."""
    return (load(name).__doc__ or "").strip().split("\n")[0]


@lru_cache(maxsize=1)
def source_hash() -> str:
    """Return the hash of all filters' source, as it was when first asked: part of a row's key."""
    import hashlib

    # All of them: a chain is made of others.
    digest = hashlib.sha256()
    for name in ("base", *names()):
        digest.update((_FOLDER / f"{name}.py").read_bytes())
    return digest.hexdigest()[:20]
