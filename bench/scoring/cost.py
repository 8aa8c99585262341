"""What a row cost: its cells' usage, brought to the figures that a leaderboard shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.model import FAILED
from bench.runs.store.manifest import RowFacts

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

OF = ("row", "page", "repeat", "outcome", "wall_s", "cpu_s", "rss_peak_bytes", "rss_idle_bytes")
"""Columns of cells of which rows and their cost are told."""
PHASES_OF = ("row", "carried_from", "handover_s", "decode_s", "wall_s")
_TOO_QUICK_MS = 0.05
"""Below this median, CPU over wall time compares two roundings."""
ENOUGH_FOR_LEAK = 1000
"""Cells from which on a leak can be told from caches that fill."""
_MIB = 2**20


@dataclass(frozen=True)
class Leak:
    """Growth of an idle worker in MiB per 1,000 pages, with its 95 % interval."""

    slope: float
    lo: float
    hi: float


@dataclass(frozen=True)
class Cost:
    """What a row cost over the pages that it answered: the median of repeats, then over pages.

    Pages without an answer cost what they cost, but say nothing of what an answer costs.
    """

    answered: int
    """Pages that it answered, which all that follows is of."""
    wall_s: float
    """These pages once."""
    cpu_s: float
    """These pages once."""
    ms_per_page: float
    """Median over pages, wall time."""
    ms_per_page_mean: float
    """Mean over pages, wall time: what many pages cost."""
    ms_per_page_p95: float
    rss_peak_bytes: int | None
    """Largest resident size of the worker's process tree in any cell."""
    ram_percent: float | None
    """That, over the machine's memory, × 100."""
    cpu_percent: float | None
    """CPU time over wall time, × 100; None where pages are too quick for it to mean anything."""
    start_s: float
    """Start-up, import, load and warm-up of the (first) worker."""
    rss_above_idle_bytes: int | None = None
    """Largest size, less that of the loaded worker before its first page."""
    leak: Leak | None = None
    """None with under 1,000 cells, or where the worker was started again."""
    pages_per_s_per_core: float | None = None
    """Pages over CPU time, one worker; None where pages are too quick."""
    spread_percent: float | None = None
    """Median over pages of (slowest − quickest repeat) / median repeat, × 100; None for one repeat."""

    @property
    def cpu_ms(self) -> float | None:
        """Mean CPU time of a page; None where none was measured."""
        return self.cpu_s / max(1, self.answered) * 1000 if self.cpu_s else None

    @property
    def core_hours(self) -> float | None:
        """What a million pages take: mean CPU time of a page × 10⁶ / 3,600 s."""
        return None if self.cpu_ms is None else self.cpu_ms / 3.6


def of_row(cells: pd.DataFrame, facts: RowFacts, memory_bytes: int) -> Cost:
    """Return the cost of one row from its cells (every repeat) and its manifest entry.

    Of a row that answered no page, the cost of its failures is returned, for 0 pages.
    """
    # Not at the top: what was computed before is read back without these.
    import numpy as np
    import pandas as pd

    answered = cells[~cells["outcome"].isin(FAILED)]
    idle_sizes = cells["rss_idle_bytes"]
    count = int(answered["page"].nunique())
    cells = answered if count else cells
    by_page = cells.groupby("page", sort=False)[["wall_s", "cpu_s"]]
    per_page = by_page.median()
    wall_s, cpu_s = float(per_page["wall_s"].sum()), float(per_page["cpu_s"].sum())
    median, p95 = np.quantile(per_page["wall_s"], [0.5, 0.95]) * 1000
    peak = cells["rss_peak_bytes"].max()
    known = not pd.isna(peak)
    starts = facts.starts
    idle = starts[0].rss_bytes if starts else None
    quick = median <= _TOO_QUICK_MS
    return Cost(
        answered=count,
        ms_per_page_mean=float(per_page["wall_s"].mean()) * 1000,
        wall_s=wall_s,
        cpu_s=cpu_s,
        ms_per_page=float(median),
        ms_per_page_p95=float(p95),
        spread_percent=_spread(cells["wall_s"].groupby(cells["page"])),
        rss_peak_bytes=int(peak) if known else None,
        rss_above_idle_bytes=max(0, int(peak) - idle) if known and idle else None,
        ram_percent=float(peak) / memory_bytes * 100 if known else None,
        cpu_percent=None if quick else cpu_s / wall_s * 100,
        pages_per_s_per_core=None if quick or not cpu_s else len(per_page) / cpu_s,
        leak=leak(idle_sizes.to_numpy(np.float64, na_value=np.nan)) if len(starts) == 1 else None,
        start_s=starts[0].total_s if starts else 0.0,
    )


def phases(cells: pd.DataFrame, facts: RowFacts) -> dict[str, float]:
    """Return where a row's time went, in seconds: each phase, and what none accounts for.

    Cells that were carried over from an earlier run took none of it.
    """
    own = cells[cells["carried_from"] == ""]
    spent = {
        "start-up": sum(start.start_s for start in facts.starts),
        "import": sum(start.import_s for start in facts.starts),
        "load": sum(start.load_s for start in facts.starts),
        "warm-up": sum(start.warm_up_s for start in facts.starts),
        "hand-over": float(own["handover_s"].sum()),
        "decode": float(own["decode_s"].sum()),
        "extract": float(own["wall_s"].sum()),
    }
    return {**spent, "untracked": max(0.0, facts.busy_s - sum(spent.values()))}


def _spread(repeats: Any) -> float | None:
    """Return how far repeats of a page lie apart, in per cent of their median."""
    if repeats.size().max() < 2:
        return None
    relative = (repeats.max() - repeats.min()) / repeats.median()
    return float(relative.median() * 100)


def leak(idle_bytes: npt.ArrayLike) -> Leak | None:
    """Return how an idle worker grew from page to page; None of fewer than 1,000 cells.

    Of the second half of them alone: allocators and caches fill in the first. Theil's incomplete
    method (Theil 1950): the median of the slopes from each page of the half's first half to its
    counterpart in the second, so that one large page does not matter.
    """
    import numpy as np

    from bench.stats.figure import median_with_interval

    sizes = np.asarray(idle_bytes, np.float64)
    sizes = sizes[~np.isnan(sizes)]
    if sizes.size < ENOUGH_FOR_LEAK:
        return None
    sizes = sizes[sizes.size // 2 :]
    half = sizes.size // 2
    return Leak(*median_with_interval((sizes[half : 2 * half] - sizes[:half]) / half / _MIB * 1000))
