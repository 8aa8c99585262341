"""Finds a Python that will do: the one that runs bench, those that uv knows, pyenv's."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from bench.adapters.environments import uv


def find(specifier: str) -> Path | None:
    """Return an installed CPython that a PEP 440 specifier admits: ours, or else the newest."""
    admitted = SpecifierSet(specifier)
    if platform.python_version() in admitted:
        return Path(sys.executable)
    found = [(version, path) for version, path in _installed() if version in admitted]
    return max(found)[1] if found else None


@cache
def _installed() -> tuple[tuple[Version, Path], ...]:
    return (*_known_to_uv(), *_of_pyenv())


def _known_to_uv() -> Iterator[tuple[Version, Path]]:
    listed = uv.run(["python", "list", "--only-installed", "--output-format", "json"])
    for each in json.loads(listed):
        if each.get("implementation") == "cpython" and each.get("path"):
            yield Version(each["version"]), Path(each["path"])


def _of_pyenv() -> Iterator[tuple[Version, Path]]:
    """Every version, where pyenv itself offers only those that are switched on."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for path in sorted(root.glob("versions/*/bin/python")):
        try:
            yield Version(path.parents[1].name), path
        except InvalidVersion:
            continue
