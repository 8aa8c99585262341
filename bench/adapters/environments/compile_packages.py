"""Compiles what an environment holds: run by its own Python, which may be 3.7.

``python -I compile_packages.py FOLDER COMPILED``: a source that several environments hold is
compiled once. COMPILED is a file, which says where the byte code of each is, by Python and content.
Byte code is not tied to the time of its source (PEP 552), so that of a copied environment is valid
too: the seal notices sources that were edited. Tests, a fifth of all code, are left out.
"""

import hashlib
import importlib.util
import json
import py_compile
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path

_TESTS = {"test", "tests"}


def compile_packages(folder: Path, compiled: Path) -> None:
    """Write byte code for all sources below a folder."""
    known = json.loads(compiled.read_text(encoding="utf-8")) if compiled.exists() else {}
    new = {}
    for source in folder.rglob("*.py"):
        if _TESTS.isdisjoint(source.relative_to(folder).parts):
            target = importlib.util.cache_from_source(str(source))
            content = importlib.util.MAGIC_NUMBER + source.read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            try:
                code = Path(known[digest]).read_bytes()
            except (KeyError, OSError):
                new[str(source)] = known[digest] = target
            else:
                # Importing puts the right path into it, whatever stands there.
                Path(target).parent.mkdir(exist_ok=True)
                Path(target).write_bytes(code)
    with ProcessPoolExecutor() as pool:
        list(pool.map(compile_source, new, new.values(), chunksize=50))
    compiled.write_text(json.dumps(known), encoding="utf-8")


def compile_source(source: str, target: str) -> None:
    """Compile one file; what is for another Python compiles, or fails, when it is imported."""
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    with suppress(Exception):
        py_compile.compile(source, target, doraise=True, invalidation_mode=mode)


if __name__ == "__main__":
    compile_packages(*map(Path, sys.argv[1:]))
