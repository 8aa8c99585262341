"""After a run: what makes its usage figures doubtful, each doubt with a remedy."""

from __future__ import annotations

import psutil

from bench.runs.plan import Plan
from bench.runs.store.manifest import Manifest
from bench.worker import isolation

_STEADY = 0.8
"""A frequency below this share of the highest seen was not steady."""

_SHOWN = 3
_LATE_S = 0.05
"""Mean lateness of the sampler beyond which the machine was too busy to measure on."""


def warnings(plan: Plan, manifest: Manifest) -> list[str]:
    """What makes this run's usage figures doubtful, each with a remedy."""
    found = []
    threads = psutil.cpu_count() or 1
    if plan.jobs > 1:
        found.append(
            f"timings are contended: {plan.jobs} workers ran at the same time; "
            "for timings to quote, run without --jobs"
        )
    if manifest.load[0] > 0.5 * threads:
        found.append(
            f"the machine was busy at the start (load {manifest.load[0]:.1f} on {threads} "
            "threads); timings are doubtful: stop other work and run again with --fresh"
        )
    frequencies = [each for each in manifest.frequency_mhz if each]
    if frequencies and min(frequencies) < _STEADY * max(frequencies):
        found.append(
            f"the processor's frequency changed from {frequencies[0]:.0f} to {frequencies[-1]:.0f} "
            "MHz; for timings to quote, fix it (cpupower frequency-set -g performance)"
        )
    late_s = manifest.sampler[-1].late_mean_s
    if late_s > _LATE_S:
        found.append(
            f"the sampler ran {late_s * 1000:.0f} ms late on average; the machine was too busy: "
            "stop other work and run again with --fresh"
        )
    if any(way != isolation.NAMESPACE for way in manifest.network):
        found.append(
            "extractors were kept off the network by refusing Python's sockets, which compiled "
            "code can get around; run where network namespaces are allowed to be sure"
        )
    left_out = manifest.gold.left_out
    if left_out:
        first = ", ".join(f"{page_id} ({why})" for page_id, why in list(left_out.items())[:_SHOWN])
        more = f" and {len(left_out) - _SHOWN} more" if len(left_out) > _SHOWN else ""
        found.append(
            f"left out of {manifest.gold.name}, because lint rejects them: {first}{more}; "
            "figures do not compare with those on the whole data set"
        )
    if manifest.gold.as_published is False:
        found.append(
            f"the pages of {manifest.gold.name} are not the published ones; "
            f"bench gold verify {manifest.gold.name} says what differs"
        )
    return found
