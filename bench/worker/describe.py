"""A short-lived child that imports an adapter file to say what its classes state.

Started as ``python -m bench.worker.describe FILE OUTSIDE`` for files whose facts are worked out
when they are imported, behind the same walls as a worker (OUTSIDE: what they leave in sight, as
JSON); whoever starts it gives it a deadline. It answers with one JSON
object on its standard output: ``classes``, or the ``problem`` that kept the file from being read.
Standard library and Python 3.7 only.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
from typing import Any, Dict, List

from bench.extractor import Extractor
from bench.worker import isolation, main, network_attempts

_MEMORY_BYTES = 4 << 30


def answer(path: str) -> Dict[str, Any]:
    """Return what the classes of a file state, or why it cannot be read."""
    try:
        return {"classes": classes(path)}
    except BaseException as error:
        return {"problem": main.one_line(error)}


def classes(path: str) -> List[Dict[str, Any]]:
    """Import a file; return the attributes of each extractor that it defines, docstrings among them."""
    module = main.imported(path)
    return [
        {
            "program": main.is_a("CommandExtractor", thing),
            "doc": thing.__doc__ or module.__doc__ or "",
            "stated": {
                name: _as_json(getattr(thing, name))
                for name in dir(thing)
                if not name.startswith("_") and not callable(getattr(thing, name))
            },
        }
        for thing in vars(module).values()
        if isinstance(thing, type)
        and issubclass(thing, Extractor)
        and thing.__module__ == module.__name__
        and thing.name
    ]


def _as_json(value: Any) -> Any:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return repr(value)
    return value


def _limit_memory() -> None:
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))


if __name__ == "__main__":
    # What the file prints goes elsewhere.
    own = os.dup(1)
    os.dup2(2, 1)
    walls = isolation.confine(isolation.Outside(**json.loads(sys.argv[2])), own)
    network_attempts.watch(alone=walls.network == isolation.NAMESPACE)
    _limit_memory()
    os.write(own, json.dumps(answer(sys.argv[1])).encode("ascii"))
    os._exit(0)  # whatever it has started
