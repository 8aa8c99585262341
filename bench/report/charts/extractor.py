"""The charts of one extractor: how its page scores are distributed, its memory and CPU over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from bench.report.charts import style
from bench.report.charts.style import Note, Sheet
from bench.stats.figure import Floats
from bench.util.numbers import duration

if TYPE_CHECKING:
    import pandas as pd

_PANEL, _HEAD, _TICKS = 1.1, 0.25, 0.45
_BINS = 20
_MIB = 2**20
_MOST = 400
"""Points of a line; of more, the highest of each stretch is drawn."""


def page_scores(scores: Floats, figure: str) -> Sheet:
    """Draw how many pages have which score; ``scores`` are from 0 to 1."""
    sheet = Sheet("Page scores", "", [], _HEAD + _PANEL + _TICKS, layout=style.SMALL_PAGE)
    axes = _panel(sheet, 0, f"{figure} of a page (%)", "pages")
    counts, edges = np.histogram(scores, _BINS, (0.0, 1.0))
    bars = axes.bar(edges[:-1], counts, np.diff(edges), align="edge", color=style.BLUE, alpha=0.8)
    for bar, count, left, right in zip(bars, counts, edges[:-1], edges[1:], strict=True):
        sheet.mark(bar, "", f"{left * 100:.0f} to {right * 100:.0f} %: {count:,} pages")
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(style.IN_PERCENT)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    return sheet


def usage(samples: pd.DataFrame) -> Sheet | None:
    """Draw memory and CPU of a worker over time; None with fewer than two samples."""
    ordered = samples.sort_values("at_s")
    times = ordered["at_s"].to_numpy()
    if len(times) < 2 or times[-1] <= times[0]:
        return None
    step = ordered["at_s"].diff()
    # Where a worker was started again its CPU time begins at zero.
    busy = (ordered["cpu_s"].diff().clip(lower=0) / step.where(step > 0)).fillna(0.0) * 100
    tall = _HEAD + _PANEL + _TICKS
    note = Note("The worker and its children; of many samples, the highest of each stretch.")
    sheet = Sheet("Memory and CPU", "", [note], 2 * tall, layout=style.SMALL_PAGE)
    memory = ordered["rss_bytes"].fillna(0).to_numpy() / _MIB
    for at, (title, unit, values) in enumerate(
        [("resident memory (MiB)", "MiB", memory), ("CPU (% of a core)", "%", busy.to_numpy())]
    ):
        axes = _panel(sheet, at * tall, "seconds since the run began", title)
        x, y = _highest(times, values)
        (line,) = axes.plot(x, y, color=style.BLUE, linewidth=1)
        sheet.mark(line, "", f"at most {duration(float(values.max()))} {unit}")
        axes.set_xlim(times[0], times[-1])
        axes.set_ylim(0, float(values.max()) * 1.1 or 1.0)
        axes.yaxis.set_major_locator(MaxNLocator(4))
    return sheet


def _panel(sheet: Sheet, top: float, x: str, y: str) -> Axes:
    start = sheet.top + top + _HEAD
    right = sheet.width - style.MARGIN
    axes = sheet.axes(style.MARGIN + 0.4, start, right, start + _PANEL, "both")
    axes.set_xlabel(x, fontsize=style.NORMAL)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(style.WITH_COMMAS)
    sheet.text(style.MARGIN, start - 0.22, y, size=style.NORMAL)
    return axes


def _highest(times: Floats, values: Floats) -> tuple[Sequence[float], Sequence[float]]:
    if len(times) <= _MOST:
        return times.tolist(), values.tolist()
    edges = np.linspace(0, len(times), _MOST + 1).astype(int)[:-1]
    return times[edges].tolist(), np.maximum.reduceat(values, edges).tolist()
