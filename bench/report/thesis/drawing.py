"""Draws the chapter's charts: bars (dots on a log axis), the printed number as a hollow diamond."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MultipleLocator

from bench.report.charts import style
from bench.report.charts.plotted import clean
from bench.report.charts.style import Note, Sheet
from bench.report.thesis.plotted import Chart, Panel

_ROW, _HEAD, _TICKS, _GAP = 0.22, 0.25, 0.25, 0.14
_COLOURS = (style.PURPLE, style.VERMILION, style.GREEN, style.BLUE)
_RIGHT = style.WIDTH - style.MARGIN


def sheet(chart: Chart, data_set: str, warnings: Sequence[Note]) -> Sheet:
    """Draw a chart."""
    note = "Whiskers: 95 % interval. " if len(chart.panels) > 1 else ""
    if chart.printed:
        note += "Hollow diamond: printed."
    drawn = Sheet(
        clean(chart.title, 80),
        data_set,
        [*warnings, Note(note)],
        _HEAD + _ROW * len(chart.labels) + _TICKS,
    )
    names = max(drawn.size(label, style.NORMAL)[0] for label in chart.labels)
    texts = [bar.text for panel in chart.panels for bar in panel.bars]
    value = max(drawn.size(text, style.SMALL)[0] for text in texts) + 0.08
    start = style.MARGIN + names + 0.1
    count = len(chart.panels)
    wide = (_RIGHT - start - count * value - (count - 1) * _GAP) / count
    for at, panel in enumerate(chart.panels):
        left = start + at * (wide + value + _GAP)
        axes = drawn.axes(left, drawn.top + _HEAD, left + wide, drawn.bottom - _TICKS)
        drawn.text(left, drawn.top, panel.title, size=style.NORMAL, weight="bold")
        for y in chart.starts:
            axes.axhline(y - 0.5, color=style.CONTROL, linewidth=0.6)
        _draw(axes, panel, _COLOURS[at % len(_COLOURS)] if count > 1 else style.BLUE)
        if not at:
            _names(axes, chart.labels)
        for y, bar in enumerate(panel.bars):
            axes.annotate(
                bar.text, (1, y), (value * 72, 0), xycoords=("axes fraction", "data"),
                textcoords="offset points", ha="right", va="center_baseline",
                fontsize=style.SMALL, annotation_clip=False,
            )  # fmt: skip
    return drawn


def _names(axes: Axes, labels: Sequence[str]) -> None:
    for y, label in enumerate(labels):
        axes.annotate(
            label, (0, y), (-6, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
            ha="right", va="center_baseline", fontsize=style.NORMAL, annotation_clip=False,
        )  # fmt: skip


def _draw(axes: Axes, panel: Panel, color: str) -> None:
    axes.set_ylim(len(panel.bars) - 0.5, -0.5)
    axes.set_yticks([])
    low = _axis(axes, panel)
    for y, bar in enumerate(panel.bars):
        if panel.log and math.isfinite(bar.value) and bar.value > low:
            # A bar's length means nothing where the axis has no zero.
            axes.plot([bar.value], [y], "o", color=color, markersize=4.8)
        elif math.isfinite(bar.value) and bar.value > low:
            axes.barh([y], [bar.value], height=0.6, color=color, alpha=0.75)
        if math.isfinite(bar.lo) and math.isfinite(bar.hi):
            axes.plot([bar.lo, bar.hi], [y, y], color=style.INK, linewidth=0.9)
        if math.isfinite(bar.printed) and bar.printed >= low:
            axes.plot(
                [bar.printed], [y], "D", color=style.INK, markersize=3.6, mfc="white", mew=0.9,
                clip_on=False, zorder=4,
            )  # fmt: skip


def _axis(axes: Axes, panel: Panel) -> float:
    """Scale x for a panel and return where its bars begin."""
    known = panel.positive
    if panel.share:
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_locator(MultipleLocator(0.5))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x * 100:g}"))
        return 0.0
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,g}"))
    if panel.log:
        low = min(known) / 2
        axes.set_xscale("log")
        axes.set_xlim(low, max(known) * 1.2)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,g}"))
        return low
    axes.set_xlim(0, max(known, default=1.0) * 1.05)
    return 0.0
