"""Finds a Python that will do: the one that runs bench, those that uv knows, pyenv's."""

import json
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from bench.adapters.environments import uv


def find(specifier: str) -> Path | None:
    """Return an installed CPython that a PEP 440 specifier admits: ours, or else the newest."""
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion, Version

    admitted = SpecifierSet(specifier)
    if platform.python_version() in admitted:
        return Path(sys.executable)
    found = []
    for name, path in _installed():
        with suppress(InvalidVersion):
            if (version := Version(name)) in admitted:
                found.append((version, path))
    return max(found)[1] if found else None


@cache
def _installed() -> tuple[tuple[str, Path], ...]:
    return (*_known_to_uv(), *_of_pyenv())


def _known_to_uv() -> Iterator[tuple[str, Path]]:
    listed = uv.run(["python", "list", "--only-installed", "--output-format", "json"])
    for each in json.loads(listed):
        if each.get("implementation") == "cpython" and each.get("path"):
            yield each["version"], Path(each["path"])


def _of_pyenv() -> Iterator[tuple[str, Path]]:
    """Every version, where pyenv itself offers only those that are switched on."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for path in sorted(root.glob("versions/*/bin/python")):
        yield path.parents[1].name, path
