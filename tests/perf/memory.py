"""What the parent needs for 1,497 pages against 181, and how soon a finished run is found again.

``python -m tests.perf.memory NAME LAYOUT ROOT`` runs an extractor in this process and prints its
peak in bytes.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.adapters import registry
from bench.datasets import readers
from bench.datasets.card import Card
from bench.datasets.catalogue import DataSet
from bench.datasets.lint import run as lint
from bench.runs import new_run, runner
from bench.runs.plan import Plan
from tests import rogues
from tests.perf.table import Measurement

_TIMES = 3
_EXTRACTORS = ("nothing", "html_text")
_FOUND_AGAIN = "xpath"
_HIGHER = 0.10
_FOUND_AGAIN_S = 0.6
"""Wall time on a machine that does nothing else."""
_LINT_MIB = 400
_LINT = "lint"


def measure(aeb: Path, wcxb: Path) -> list[Measurement]:
    """Compare peaks, and time the command that finds a run; nothing where WCXB is not here."""
    if not (wcxb / "dev" / "ground-truth").is_dir():
        return []
    with tempfile.TemporaryDirectory() as temporary:
        folder = as_folder(wcxb / "dev", Path(temporary) / "wcxb")
        return [
            *(_parent(name, aeb, folder) for name in _EXTRACTORS),
            _found_again(folder, Path(temporary)),
            _linted(wcxb),
        ]


def as_folder(wcxb: Path, folder: Path) -> Path:
    """Lay WCXB out as pages and gold side by side."""
    folder.mkdir()
    for truth in sorted((wcxb / "ground-truth").glob("*.json")):
        facts = json.loads(truth.read_text(encoding="utf-8"))["ground_truth"]
        gold = folder / f"{truth.stem}.txt"
        gold.write_text(facts.get("main_content") or "", encoding="utf-8")
        page = f"{truth.stem}.html.gz"
        shutil.copyfile(wcxb / "html" / page, folder / page)
    return folder


def _parent(name: str, aeb: Path, wcxb: Path) -> Measurement:
    """Peak of the process that runs everything, on few pages and on many; medians, taking turns."""
    pairs = [(_peak(name, "aeb", aeb), _peak(name, "folder", wcxb)) for _ in range(_TIMES)]
    few = statistics.median(pair[0] for pair in pairs)
    many = statistics.median(pair[1] for pair in pairs)
    return Measurement(
        f"{name}: parent's peak, {_pages('folder', wcxb)} pages against {_pages('aeb', aeb)}",
        f"{many / 2**20:.1f} MiB against {few / 2**20:.1f}: {(many / few - 1) * 100:+.1f} %",
        f"at most {_HIGHER * 100:.0f} % higher",
        many <= few * (1 + _HIGHER),
    )


def _linted(wcxb: Path) -> Measurement:
    """Peak of the process that lints every page, and what it takes."""
    began = time.perf_counter()
    peak = _peak(_LINT, "wcxb", wcxb)
    return Measurement(
        f"lint: peak and time for {_pages('wcxb', wcxb)} pages",
        f"{peak / 2**20:.0f} MiB, {time.perf_counter() - began:.0f} s",
        f"under {_LINT_MIB} MiB",
        peak < _LINT_MIB * 2**20,
    )


def _pages(layout: str, root: Path) -> int:
    return len(readers.open_folder(layout, root).ids)


def _peak(name: str, layout: str, root: Path) -> int:
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [sys.executable, "-m", "tests.perf.memory", name, layout, str(root)],
            capture_output=True, text=True, check=True, env={**os.environ, "BENCH_HOME": home},
        )  # fmt: skip
    return int(done.stdout)


def _found_again(folder: Path, here: Path) -> Measurement:
    """Times of the whole command, start of Python to last report, when there is nothing to run."""
    words = ["run", _FOUND_AGAIN, "--gold", f"folder:{folder}", "--quiet"]
    environment = {**os.environ, "BENCH_HOME": str(here / "home")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    walls, spent = [], []
    for _ in range(1 + _TIMES):
        began, cpu_began = time.perf_counter(), _children_cpu_s()
        done = subprocess.run(
            [sys.executable, "-m", "bench.cli.main", *words,
             "--results", str(here / "results"), "--reports", str(here / "reports")],
            capture_output=True, text=True, check=True, env=environment,
        )  # fmt: skip
        walls.append(time.perf_counter() - began)
        spent.append(_children_cpu_s() - cpu_began)
    if "found " not in done.stderr:
        raise RuntimeError(f"the run was repeated: {done.stderr}")
    again_s, again_cpu_s = statistics.median(walls[1:]), statistics.median(spent[1:])
    return Measurement(
        f"{_FOUND_AGAIN}: a finished run of {_pages('folder', folder)} pages found again",
        f"{again_s:.2f} s, {again_cpu_s:.2f} s of CPU: {again_s / walls[0]:.3f} of the run",
        f"under {_FOUND_AGAIN_S} s",
        again_s < _FOUND_AGAIN_S,
    )


def _children_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def peak_bytes() -> int:
    """Return this process's high-water mark.

    Not ``ru_maxrss`` where the kernel says better: a process inherits that of who started it.
    """
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def main(name: str, layout: str, root: str) -> None:
    """Run one extractor over a data set, or lint it, and print the peak."""
    data_set = DataSet(Card(layout, layout, "", layout), readers.open_folder(layout, Path(root)))
    if name == _LINT:
        lint.lint([data_set])
        print(peak_bytes())
        return
    plan = Plan(rows=registry.rows([name]), data_set=data_set)
    with tempfile.TemporaryDirectory() as results:
        folder = new_run.start(plan, Path(results), reuse=False)
        runner.execute(plan, folder, rogues.Silent())
    print(peak_bytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
