"""The chart of quality against time, with its Pareto front."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from bench.report import sentences
from bench.report.charts import placing, plotted, rows, style
from bench.report.charts.plotted import Point
from bench.report.charts.style import Note, Sheet
from bench.scoring.leaderboard import Leaderboard

BODY = 5.4
_LEADER_FROM = 7.0


def quality_time(board: Leaderboard) -> Sheet | None:
    """Draw the main figure against time per page; None where no line has a cost."""
    every = plotted.points(board)
    if not every:
        return None
    shown, left_out = plotted.within_view(every)
    front = plotted.pareto_front(shown)
    sheet, unnamed = _chart(board, shown, front, _left_out(left_out))
    if unnamed:
        text = f"Without a name for want of room: {'; '.join(unnamed)}."
        sheet, _ = _chart(board, shown, front, [*_left_out(left_out), text])
    return sheet


def _chart(
    board: Leaderboard, shown: Sequence[Point], front: Sequence[Point], footer: Sequence[str]
) -> tuple[Sheet, list[str]]:
    """Return the chart, and the labels that found no place in it."""
    sheet = Sheet(
        "Quality against time" if board.timings_ranked else "Quality against contended time",
        style.data_set(board),
        [*style.board_notes(board, timed=True), *_notes(shown)],
        BODY,
        footer,
    )
    axes = _axes(sheet, shown, sentences.title(board.metric.main))
    _draw(axes, shown, front, dashed=not board.timings_ranked)
    return sheet, _label(sheet, axes, shown, front)


def _notes(shown: Sequence[Point]) -> list[Note]:
    text = (
        "Up and left is better. Blue: the Pareto front, where no other is both faster and better. "
        "Thin bars: 95 % interval."
    )
    more = "Grey and hollow: not ranked. " if any(each.control for each in shown) else ""
    if any(each.main < floor(shown) for each in shown):
        more += "Arrowhead at the bottom: below the axis, its value beside the name."
    return [Note(text), Note(more)]


def floor(shown: Sequence[Point]) -> float:
    """Return the figure below which a point is an outlier and stands at the chart's edge."""
    return plotted.outlier_floor([each.main for each in shown if not each.control])


def _left_out(points: Sequence[Point]) -> list[str]:
    if not points:
        return []
    facts = (f"{each.label} ({each.main:.3f}, {plotted.ms(each.ms)} ms)" for each in points)
    return ["Controls off the chart: " + "; ".join(facts) + "."]


def _axes(sheet: Sheet, shown: Sequence[Point], title: str) -> Axes:
    left, right = style.MARGIN + 0.35, style.WIDTH - style.MARGIN
    axes = sheet.axes(left, sheet.top + 0.22, right, sheet.bottom - 0.42)
    axes.grid(visible=True, axis="y", color=style.FAINT, linewidth=0.6)
    axes.spines["left"].set_visible(True)
    times = [each.ms for each in shown]
    rows.time_axis(axes, min(times), max(times), log=True)
    fence = floor(shown)
    inner = [each for each in shown if each.main >= fence]
    ends = [end for each in inner for end in (each.main, each.lo, each.hi) if math.isfinite(end)]
    room = max(0.05 * (max(ends) - min(ends)), 0.01)
    axes.set_ylim(max(min(ends) - room, -0.02), max(ends) + room)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    axes.set_xlabel(
        "Median wall time per page (ms), log scale", fontsize=style.NORMAL, fontweight="bold"
    )
    axes.annotate(
        title, (0, 1), (-6, 6), xycoords="axes fraction", textcoords="offset points",
        ha="right", fontsize=style.NORMAL, fontweight="bold",
    )  # fmt: skip
    return axes


def _draw(axes: Axes, shown: Sequence[Point], front: Sequence[Point], *, dashed: bool) -> None:
    bottom = axes.get_ylim()[0]
    if front:
        x, y = plotted.stairs(front, axes.get_xlim()[1])
        line = "--" if dashed else "-"
        axes.plot(x, np.maximum(y, bottom), color=style.BLUE, lw=1.2, linestyle=line, alpha=0.7)
    for each in shown:
        color, marker, size = style.VERMILION, "D", 3.6
        if each.control:
            color, marker, size = style.CONTROL, "s", 4.4
        elif each in front:
            color, marker, size = style.BLUE, "o", 5.4
        face = "white" if each.control else color
        if each.main < bottom:
            marker, size = "v", 5.0
        elif math.isfinite(each.lo) and math.isfinite(each.hi):
            axes.plot([each.ms] * 2, [each.lo, each.hi], color=color, linewidth=0.7, alpha=0.3)
        axes.plot(
            [each.ms], [max(each.main, bottom)], marker,
            color=color, markersize=size, mfc=face, mew=0.9, clip_on=False,
        )  # fmt: skip


def _label(sheet: Sheet, axes: Axes, shown: Sequence[Point], front: Sequence[Point]) -> list[str]:
    """Name the points, the front and the best of each extractor first; return those left out."""
    bottom = axes.get_ylim()[0]
    first = [*front, *plotted.leaders(shown)]
    order = sorted(shown, key=lambda each: first.index(each) if each in first else len(first))
    names = [f"{at.label} ({at.main:.3f})" if at.main < bottom else at.label for at in order]
    weights = ["bold" if each in front else "normal" for each in order]
    measured = [
        sheet.size(name, style.SMALL, weight) for name, weight in zip(names, weights, strict=True)
    ]
    sizes = np.array(measured) * 72
    scale = 72 / style.DPI
    places = [(each.ms, max(each.main, bottom)) for each in order]
    anchors = axes.transData.transform(places) * scale
    paths = [
        [(each.ms, each.lo), (each.ms, each.hi)]
        for each in shown
        if each.main >= bottom and math.isfinite(each.lo) and math.isfinite(each.hi)
    ]
    if front:
        x, y = plotted.stairs(front, axes.get_xlim()[1])
        paths.append([(at, max(height, bottom)) for at, height in zip(x, y, strict=True)])
    drawn = [placing.samples(axes.transData.transform(path) * scale) for path in paths]
    lines = np.concatenate([np.empty((0, 2)), *drawn])
    box = axes.get_window_extent()
    bounds = [edge * scale for edge in (box.x0, box.y0, box.x1, box.y1 + 8)]
    centres = placing.place(anchors, sizes, anchors, lines, bounds)
    for at, centre in enumerate(centres):
        if centre is not None:
            color = style.SOFT if order[at].control else style.INK
            end = placing.nearest(centre, sizes[at], anchors[at]) - anchors[at]
            _leader(axes, places[at], end)
            offset = (centre[0] - anchors[at][0], centre[1] - anchors[at][1])
            axes.annotate(
                names[at], places[at], offset, textcoords="offset points", ha="center",
                va="center", fontsize=style.SMALL, fontweight=weights[at], color=color,
            )  # fmt: skip
    return [name for name, centre in zip(names, centres, strict=True) if centre is None]


def _leader(axes: Axes, place: tuple[float, float], end: placing.Floats) -> None:
    """Draw a line from a point to a name that stands off."""
    if math.hypot(*end) > _LEADER_FROM:
        arrow = {"arrowstyle": "-", "color": style.CONTROL, "lw": 0.5, "shrinkA": 0, "shrinkB": 2}
        axes.annotate("", place, tuple(end), textcoords="offset points", arrowprops=arrow)
