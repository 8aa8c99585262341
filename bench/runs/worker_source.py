"""The worker's own code, alone in a folder: what a foreign interpreter is given to import.

Given the folder where bench is installed, it would find the packages of that environment as well.
"""

from __future__ import annotations

import compileall
import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import bench
from bench.util import paths

MODULES = ("__init__.py", "command.py", "extractor.py", "worker")
"""Files and folders below ``bench`` that run in a worker."""


def folder() -> Path:
    """Return a folder that holds the worker's code and nothing else, made where it is not there."""
    top = Path(bench.__file__).resolve().parent
    files = sorted(_files(top))
    content = hashlib.sha256()
    for path in files:
        content.update(str(path.relative_to(top)).encode() + b"\0" + path.read_bytes() + b"\0")
    place = paths.home() / "worker" / content.hexdigest()[:20]
    if not place.is_dir():
        _copy(top, files, place)
    return place


def _files(top: Path) -> Iterator[Path]:
    for name in MODULES:
        path = top / name
        yield from path.rglob("*.py") if path.is_dir() else [path]


def _copy(top: Path, files: list[Path], place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(dir=place.parent, prefix="."))
    for path in files:
        there = unfinished / "bench" / path.relative_to(top)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, there)
    # Workers write no byte code. This serves those whose Python is of our version.
    compileall.compile_dir(
        unfinished, quiet=2, stripdir=str(unfinished), prependdir=str(place), workers=1
    )
    unfinished.chmod(0o755)
    try:
        unfinished.rename(place)
    except OSError:  # another process was quicker
        shutil.rmtree(unfinished, ignore_errors=True)
        if not place.is_dir():
            raise
