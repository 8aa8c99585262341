"""What a worker is given: its code, its variables, a home of its own; and how all of it goes again."""

import compileall
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import bench
from bench.adapters import outside
from bench.model import UsageError
from bench.runs import cgroup
from bench.util import paths
from bench.util.atomic import writing_to
from bench.worker import isolation

CODE = ("__init__.py", "command.py", "extractor.py", "worker")
"""Files and folders below ``bench`` that run in a worker."""

TOKEN = "BENCH_WORKER"  # noqa: S105
"""Environment variable that marks a worker and all its descendants, wherever they hide."""

_OURS = "bench-"
_SWEEPS = 10
_PASSED_ON = (
    "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "LD_LIBRARY_PATH", "JAVA_HOME",
    "R_HOME", "R_LIBS", "R_LIBS_USER", "R_LIBS_SITE", "RPY2_CFFI_MODE", "OPENBLAS_CORETYPE",
)  # fmt: skip
ONE_THREAD_EACH = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Environment variables that keep libraries from starting a thread for every core."""


def run_token(folder: Path) -> str:
    """Return the beginning of the tokens of all workers of a run, by where the run is kept.

    Of the whole path: runs of other folders may have begun in the same second.
    """
    return f"{_OURS}{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]}"


def make(token: str) -> Path:
    """Make the folder that is a worker's home, working and temporary directory."""
    return Path(tempfile.mkdtemp(prefix=f"{token}-"))


def variables(home: Path, code: Path | None) -> dict[str, str]:
    """Return all variables of a worker: a whitelist, and its home in place of the user's.

    ``code`` is the folder that holds the worker's code; None for where bench is installed. Hash
    randomisation is off, so that an extractor that depends on set order gives the same answer twice.
    """
    return {
        "LANG": "C.UTF-8",
        **{name: os.environ[name] for name in _PASSED_ON if name in os.environ},
        **dict.fromkeys(ONE_THREAD_EACH, "1"),
        **dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME"), str(home)),
        TOKEN: home.name,
        "PYTHONPATH": str(code or Path(bench.__file__).resolve().parent.parent),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONUTF8": "1",
        "PYTHONWARNINGS": "ignore",
    }


def sweep(token: str) -> None:
    """Kill every process and remove every folder whose token starts with this one.

    A worker's token starts with its run's, so this clears one worker or all that is left of a run.
    """
    import psutil

    if not token.startswith(_OURS):
        raise ValueError(f"{token!r} is no token of ours; it might be the beginning of anything")
    # Again until there is none: they may fork while we look, and write until they are gone.
    for _ in range(_SWEEPS):
        killed = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if process.environ().get(TOKEN, "").startswith(token):
                    process.kill()
                    killed.append(process)
        if not killed:
            break
        psutil.wait_procs(killed, timeout=1.0)
    cgroup.sweep(token)
    for folder in Path(tempfile.gettempdir()).glob(f"{token}*"):
        shutil.rmtree(folder, ignore_errors=True)


def code_alone() -> Path:
    """Return a folder that holds the worker's code and nothing else, made where it is not there.

    Given the folder where bench is installed, a foreign interpreter would find the packages of that
    environment as well.
    """
    top = Path(bench.__file__).resolve().parent
    places = (path for name in CODE for path in (top / name, *(top / name).rglob("*.py")))
    files = sorted(path for path in places if path.is_file())
    content = hashlib.sha256()
    for path in files:
        content.update(str(path.relative_to(top)).encode() + b"\0" + path.read_bytes() + b"\0")
    place = paths.home() / "worker" / content.hexdigest()[:20]
    if not place.is_dir():
        with writing_to(place.parent):
            _copy(top, files, place)
    return place


def _copy(top: Path, files: list[Path], place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".") as unfinished:
        copy = Path(unfinished, "code")
        for path in files:
            target = copy / "bench" / path.relative_to(top)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        # Workers write no byte code. This serves those whose Python is of our version.
        compileall.compile_dir(copy, quiet=2, stripdir=str(copy), prependdir=str(place), workers=1)
        try:
            copy.rename(place)
        except OSError:  # another process was quicker
            if not place.is_dir():
                raise


def require_isolation() -> None:
    """Raise ``UsageError`` where workers cannot be kept from files, processes and network here."""
    with tempfile.TemporaryDirectory(prefix=_OURS) as folder:
        home = Path(folder)
        view = outside.view({}, Path(sys.executable), None, home, ())
        done = subprocess.run(
            [sys.executable, "-m", "bench.worker.isolation", json.dumps(view)],
            env=variables(home, None), cwd=home, capture_output=True, check=False,
        )  # fmt: skip
    walls = isolation.Walls(*json.loads(done.stdout or '["open", "open", "open"]'))
    open_to = [name for name, how in walls._asdict().items() if how != isolation.NAMESPACE]
    if open_to:
        raise UsageError(
            f"extractors cannot be kept from other {' and '.join(open_to)} here; allow user "
            "namespaces (docs/trust.md), or leave out --isolation require"
        )
