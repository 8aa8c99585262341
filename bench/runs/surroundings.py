"""The surroundings of a worker, and the description of this machine for the manifest."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import psutil

import bench
from bench.runs.store.manifest import Commit, Machine
from bench.util import paths

TOKEN = "BENCH_WORKER"  # noqa: S105
"""Environment variable that marks a worker and all its descendants, wherever they hide."""

_SWEEPS = 10

_OURS = "bench-"
_PASSED_ON = (
    "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "LD_LIBRARY_PATH", "JAVA_HOME",
    "R_HOME", "R_LIBS", "R_LIBS_USER", "R_LIBS_SITE", "RPY2_CFFI_MODE", "OPENBLAS_CORETYPE",
)  # fmt: skip
_ONE_THREAD_EACH = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def worker_environment(token: str, home: Path, source: Path | None = None) -> dict[str, str]:
    """Return the whole environment of a worker: a whitelist, a home and a temporary folder of its own.

    ``source`` is the folder that holds the worker's code; None for where bench is installed.

    Hash randomisation is off, so that an extractor that depends on set order answers alike twice.
    """
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    package_parent = source or Path(bench.__file__).resolve().parent.parent
    return {
        "LANG": "C.UTF-8",
        **kept,
        **dict.fromkeys(_ONE_THREAD_EACH, "1"),
        TOKEN: token,
        "HOME": str(home),
        "TMPDIR": str(home),
        "XDG_CACHE_HOME": str(home),
        "PYTHONPATH": str(package_parent),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONUTF8": "1",
        "PYTHONWARNINGS": "ignore",
    }


def run_token(folder: Path) -> str:
    """Return the beginning of the tokens of all workers of a run, by where the run is kept.

    Of the whole path: runs of other folders may have begun in the same second.
    """
    return f"{_OURS}{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]}"


def worker_home(token: str) -> Path:
    """Make the folder that is a worker's home, working and temporary directory."""
    return Path(tempfile.mkdtemp(prefix=f"{token}-"))


def sweep(token: str) -> None:
    """Kill every process and remove every folder whose token starts with this one.

    A worker's token starts with its run's, so this clears one worker or all that is left of a run.
    """
    if not token.startswith(_OURS):
        raise ValueError(f"{token!r} is no token of ours; it might be the beginning of anything")
    # Again until there is none: they may fork while we look, and write until they are gone.
    for _ in range(_SWEEPS):
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if process.environ().get(TOKEN, "").startswith(token):
                    process.kill()
                    found.append(process)
        if not found:
            break
        psutil.wait_procs(found, timeout=1.0)
    for folder in Path(tempfile.gettempdir()).glob(f"{token}*"):
        shutil.rmtree(folder, ignore_errors=True)


def machine() -> Machine:
    """Return what the figures depend on: processor, memory, operating system, Python."""
    return Machine(
        cpu=_cpu_model(),
        cores=psutil.cpu_count(logical=False) or psutil.cpu_count() or 1,
        threads=psutil.cpu_count() or 1,
        memory_bytes=psutil.virtual_memory().total,
        os=_system(),
        python=platform.python_version(),
        python_build=sys.version,
    )


def packages() -> list[str]:
    """Return ``name==version`` of every distribution that workers can import."""
    found = {each.metadata["Name"]: each.version for each in metadata.distributions()}
    return sorted(f"{name}=={version}" for name, version in found.items() if name)


def load_average() -> float:
    """Return the number of processes that wanted a CPU over the last minute."""
    return psutil.getloadavg()[0]


def commit() -> Commit:
    """Return the project's own commit and whether files differ from it; empty when not a checkout."""
    top = paths.checkout()
    if top is None or not (top / ".git").exists():
        return Commit()
    try:
        revision = _git(top, "rev-parse", "HEAD").strip()
        dirty = bool(_git(top, "status", "--porcelain", "--untracked-files=no").strip())
    except (OSError, subprocess.SubprocessError):
        return Commit()
    return Commit(revision, dirty)


def _git(top: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(top), *words], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout


def _system() -> str:
    """Return what ``platform.platform`` does; on Linux without starting ``uname`` for it."""
    if sys.platform != "linux":
        return platform.platform()
    kernel = os.uname()
    libc = "".join(platform.libc_ver())
    return f"{kernel.sysname}-{kernel.release}-{kernel.machine}{f'-with-{libc}' if libc else ''}"


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def frequency_mhz() -> float | None:
    """Return the processor's present frequency, None where the system does not tell."""
    try:
        frequency = psutil.cpu_freq()
    except (OSError, NotImplementedError, AttributeError):
        return None
    return round(frequency.current, 1) if frequency else None
