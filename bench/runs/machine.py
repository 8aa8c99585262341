"""This machine, as a manifest describes it, and what makes figures measured on it doubtful."""

import hashlib
import platform
import subprocess
import sys
from pathlib import Path

from bench.runs.store.manifest import Commit, Machine, Manifest
from bench.util import paths

_STEADY = 0.8
"""A frequency below this share of the highest seen was not steady."""
_LATE_S = 0.05
"""Mean lateness of the sampler beyond which the machine was too busy to measure on."""
_SHOWN = 3


def describe() -> Machine:
    """Return what the figures depend on: processor, memory, operating system, Python."""
    import psutil

    threads = psutil.cpu_count() or 1
    return Machine(
        cpu=_cpu_model(),
        cores=psutil.cpu_count(logical=False) or threads,
        threads=threads,
        memory_bytes=psutil.virtual_memory().total,
        os=platform.platform(),
        python=platform.python_version(),
        python_build=sys.version,
    )


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def packages() -> list[str]:
    """Return ``name==version`` of every distribution that workers can import.

    Names and versions are those of the folders: reading what is in them takes ten times as long.
    """
    versions: dict[str, str] = {}
    for place in sys.path:
        for folder in Path(place).glob("*.dist-info"):
            name, _, version = folder.stem.partition("-")
            versions.setdefault(name.replace("_", "-"), version)
    return sorted(f"{name}=={version}" for name, version in versions.items())


def commit() -> Commit:
    """Return the project's own commit and whether files differ from it; empty when not a checkout."""
    top = paths.checkout()
    if top is None or not (top / ".git").exists():
        return Commit()
    words = ["git", "-C", str(top), "status", "--porcelain=v2", "--branch", "--untracked-files=no"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return Commit()
    lines = done.stdout.splitlines()
    revision = next((line.split()[2] for line in lines if line.startswith("# branch.oid")), "")
    return Commit(revision, dirty=any(not line.startswith("#") for line in lines))


def load_average() -> float:
    """Return the number of processes that wanted a CPU over the last minute."""
    import psutil

    return psutil.getloadavg()[0]


def frequency_mhz() -> float | None:
    """Return the processor's present frequency, None where the system does not tell."""
    import psutil

    try:
        frequency = psutil.cpu_freq()
    except (OSError, NotImplementedError, AttributeError):
        return None
    return round(frequency.current, 1) if frequency else None


def host() -> str:
    """Return what tells this machine from another like it, and says nothing else: a hash.

    Containers on one machine share it, because they share its processors.
    """
    try:
        name = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    except OSError:
        name = platform.node()
    return hashlib.sha256(name.encode()).hexdigest()[:12]


def incomparable(manifest: Manifest) -> list[str]:
    """Return why a run's timings cannot be quoted at all."""
    lines = []
    if manifest.conditions.jobs > 1:
        lines.append(
            f"timings are contended: {manifest.conditions.jobs} workers ran at the same time; "
            "for timings to quote, run without --jobs, and one shard at a time on a machine"
        )
    if len(manifest.machines) > 1:
        lines.append(
            f"cells were measured on different machines ({'; '.join(manifest.machines)}); for "
            "timings to quote, run all shards on identical machines"
        )
    return lines


def doubts(manifest: Manifest) -> list[str]:
    """Return what makes a run's usage figures doubtful, each with a remedy."""
    gold, threads, load = manifest.gold, manifest.machine.threads, manifest.load[0]
    lines = incomparable(manifest)
    if load > 0.5 * threads:
        lines.append(
            f"the machine was busy at the start (load {load:.1f} on {threads} threads); timings "
            "are doubtful: stop other work and run again with --fresh"
        )
    frequencies = [frequency for frequency in manifest.frequency_mhz if frequency]
    if frequencies and min(frequencies) < _STEADY * max(frequencies):
        lines.append(
            f"the processor's frequency changed from {frequencies[0]:.0f} to {frequencies[-1]:.0f} "
            "MHz; for timings to quote, fix it (cpupower frequency-set -g performance)"
        )
    late_s = manifest.sampler[-1].late_mean_s
    if late_s > _LATE_S:
        lines.append(
            f"the sampler ran {late_s * 1000:.0f} ms late on average; the machine was too busy: "
            "stop other work and run again with --fresh"
        )
    partly = [
        f"{what} ({facts['state']})"
        for what, facts in manifest.isolation.items()
        if what != "memory"
        and facts["state"] != "isolated"
        and any(row.starts for row in manifest.rows)
    ]
    if partly:
        lines.append(
            f"extractors were not wholly kept from other {', '.join(partly)}; allow user "
            "namespaces, see docs/trust.md"
        )
    if gold.left_out:
        pages = [f"{page_id} ({why})" for page_id, why in gold.left_out.items()]
        more = f" and {len(pages) - _SHOWN} more" if len(pages) > _SHOWN else ""
        lines.append(
            f"left out of {gold.name}, because lint rejects them: {', '.join(pages[:_SHOWN])}"
            f"{more}; figures do not compare with those on the whole data set"
        )
    if gold.as_published is False:
        lines.append(
            f"the pages of {gold.name} are not the published ones; bench gold verify {gold.name} "
            "says what differs"
        )
    return lines
