"""What took long to find out, kept in the user's data directory for as long as it holds."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from bench.util import paths

_T = TypeVar("_T")
_DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


def remembered(
    kind: str,
    key: str,
    find: Callable[[], _T],
    *,
    dump: Callable[[_T], Any],
    load: Callable[[Any], _T],
    afresh: bool = False,
) -> _T:
    """Return what is kept under a key, or find it and keep it.

    The key must change with whatever the answer depends on. ``dump`` makes an answer fit for JSON,
    ``load`` is its inverse, which may fail for a damaged memory. ``afresh`` finds it in any case.
    """
    path = folder(kind) / f"{key}.json"
    if not afresh:
        with contextlib.suppress(*_DAMAGE):
            return load(json.loads(path.read_text(encoding="utf-8")))
    answer = find()
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(dump(answer)), encoding="utf-8")
    return answer


def folder(kind: str) -> Path:
    """Return where answers of one kind are kept."""
    return paths.home() / "cache" / kind
