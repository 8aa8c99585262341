"""What took long to find out, kept in the user's data directory for as long as it holds.

Of each kind, beyond a thousand answers or 256 MiB, what was not asked for longest goes, but nothing
that was within a month: whoever asks for more than there is room for, one after the other, would
find nothing.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TypeVar

from bench.util import paths

_T = TypeVar("_T")
_ANSWERS, _BYTES = 1000, 256 << 20
"""Of a kind that are kept in any case."""
_KEPT_S = 30 * 86400.0
_DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


def remembered(
    kind: str,
    key: str,
    find: Callable[[], _T],
    *,
    dump: Callable[[_T], bytes],
    load: Callable[[bytes], _T],
    afresh: bool = False,
) -> _T:
    """Return what is kept under a key, or find it and keep it.

    The key must change with whatever the answer depends on. ``dump`` makes JSON of an answer,
    ``load`` is its inverse, which may fail for what older code kept. What is damaged, or was kept
    under another key, is found again. ``afresh`` finds it in any case.
    """
    path = folder(kind) / f"{key}.json"
    if not afresh:
        with contextlib.suppress(*_DAMAGE), path.open("rb") as file:
            seal, content = file.readline(), file.read()
            if seal == _seal(kind, key, content):
                with contextlib.suppress(OSError):  # it may be kept where nothing can be written
                    os.utime(path)
                return load(content)
    answer = find()
    with contextlib.suppress(OSError, UnicodeError):  # half a surrogate pair cannot be kept
        path.parent.mkdir(parents=True, exist_ok=True)
        content = dump(answer)
        with path.open("wb") as file:
            file.writelines([_seal(kind, key, content), content])
        _make_room(path.parent)
    return answer


@cache
def _make_room(answers: Path) -> None:
    """Remove what was not asked for longest, once in a process. Raises ``OSError``."""
    stats = {path: path.stat() for path in answers.glob("*.json")}
    newest_first = sorted(stats, key=lambda path: stats[path].st_mtime_ns, reverse=True)
    sizes = accumulate(stats[path].st_size for path in newest_first)
    before_s = time.time() - _KEPT_S
    for number, (path, size) in enumerate(zip(newest_first, sizes, strict=True), 1):
        if (number > _ANSWERS or size > _BYTES) and stats[path].st_mtime < before_s:
            path.unlink(missing_ok=True)


def _seal(kind: str, key: str, content: bytes) -> bytes:
    """Return the line that tells whether what is kept is whole, and of this kind and key."""
    digest = hashlib.sha256(f"{kind}\n{key}\n".encode())
    digest.update(content)
    return f"{digest.hexdigest()}\n".encode()


def folder(kind: str) -> Path:
    """Return where answers of one kind are kept."""
    return paths.home() / "cache" / kind
