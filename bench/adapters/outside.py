"""What a worker may see of this machine, beside the system's libraries: what its row runs on.

``bench.worker.isolation`` keeps everything else from it: gold, results, home, other environments.
"""

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import bench
from bench.util import paths

HOME_BYTES = 2 << 30
"""What a worker may write to its temporary home."""


def view(
    load_message: Mapping[str, Any],
    python: Path,
    source: Path | None,
    home: Path,
    hidden: Sequence[Path],
    reads: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the ``bench.worker.isolation.Outside`` of a worker.

    ``load_message`` is what it will be told to load: every path in it may be read, of a file the
    whole folder. ``python`` is its interpreter, ``source`` the folder of the worker's code where
    that interpreter is not ours, ``reads`` what its adapter declares. What is ``hidden`` may not,
    wherever it lies, nor any gold that is installed.
    """
    allowed = [Path(path).expanduser() for path in reads]
    if source is None:
        allowed += [Path(bench.__file__).parent, *_of_our_python()]
    else:
        # The python of a virtual environment is a link into the one that it was made with.
        allowed += [source, python.parents[1], python.resolve().parents[1]]
    for word in _strings(load_message):
        path = Path(word)
        if path.is_absolute() and path.exists():
            allowed += [path] if path.is_dir() else [path.parent, path]
    allowed += filter(None, map(_installation, _programs(load_message)))
    hidden = [*hidden, paths.bundled("gold"), paths.installed_gold()]
    return {
        "reads": list(dict.fromkeys(map(str, allowed))),
        "hidden": list(dict.fromkeys(str(path.absolute()) for path in hidden)),
        "home": str(home),
        "home_bytes": HOME_BYTES,
    }


@cache
def _of_our_python() -> tuple[Path, ...]:
    """Return where its library and packages are; not the whole prefix, which has our gold too.

    Looked up once: every worker that runs under it needs the same.
    """
    from importlib import metadata
    from urllib.request import url2pathname

    names = ("bin", "lib", "lib64", "include", "pyvenv.cfg", "nltk_data")
    folders = [Path(prefix, name) for prefix in {sys.prefix, sys.base_prefix} for name in names]
    folders += [entry for entry in map(Path, filter(None, sys.path)) if entry.is_dir()]
    for distribution in metadata.distributions():
        if origin := distribution.read_text("direct_url.json"):
            facts = json.loads(origin)
            if facts.get("dir_info", {}).get("editable"):
                folders.append(Path(url2pathname(urlsplit(facts["url"]).path)))
    return tuple(folder for folder in folders if folder != paths.checkout())


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _strings(inner)


def _programs(load_message: Mapping[str, Any]) -> Iterator[Path]:
    command = load_message.get("attributes", {}).get("command")
    program = shutil.which(command[0]) if command else None
    if program:
        yield Path(program).resolve()
    if "JAVA_HOME" in os.environ:
        yield Path(os.environ["JAVA_HOME"], "bin", "java").resolve()


def _installation(program: Path) -> Path | None:
    """Return what a program outside the system's folders is part of."""
    if program.parent.name not in ("bin", "shims"):
        return program
    whole = program.parents[1]
    return None if whole in (Path("/"), Path("/usr"), Path.home()) else whole
