"""The charts of quality against cost, with their Pareto front."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from bench.report import sentences
from bench.report.charts import placing, plotted, rows, style
from bench.report.charts.plotted import CPU, Drawn, Point, Price
from bench.report.charts.style import Layout, Note, Sheet
from bench.scoring.leaderboard import Leaderboard
from bench.util.numbers import duration, percent

BODY = 5.4
_LEADER_FROM = 7.0
_LEADER = {"arrowstyle": "-", "color": style.CONTROL, "lw": 0.5, "shrinkA": 0, "shrinkB": 2}
"""The line from a point to a name that stands off."""


def quality_cost(
    board: Leaderboard, price: Price = CPU, layout: Layout = style.FILE
) -> Sheet | None:
    """Draw the main figure against a cost; None where no line has it."""
    points = plotted.points(board, price)
    if not points:
        return None
    shown, left_out = plotted.within_view(points)
    names = (
        f"{at.label} ({percent(at.main)}, {duration(at.cost)} {price.unit})" for at in left_out
    )
    footer = [f"Controls off the chart: {'; '.join(names)}."] if left_out else []
    sheet, unnamed = _chart(board, price, layout, shown, footer)
    if unnamed and layout.titled:
        footer.append(f"No room for the names of {'; '.join(unnamed)}.")
        sheet, _ = _chart(board, price, layout, shown, footer)
    return sheet


def _chart(
    board: Leaderboard, price: Price, layout: Layout, shown: Sequence[Point], footer: Sequence[str]
) -> tuple[Sheet, list[str]]:
    """Return the chart, and the labels that found no place in it."""
    sheet = Sheet(
        f"Quality against {price.name}",
        style.data_set(board.gold),
        [*style.board_notes(board, timed=price.timed), *_notes(shown)],
        BODY * min(1.0, layout.width / 5),
        footer,
        layout,
    )
    front = plotted.pareto_front(shown)
    axes = _axes(sheet, shown, sentences.title(board.metric.main), price)
    _draw(sheet, axes, shown, front, price, dashed=price.timed and not board.timings_ranked)
    return sheet, _label(sheet, axes, shown, front)


def _notes(shown: Sequence[Point]) -> list[Note]:
    text = (
        "Up and left is better. Blue: the Pareto front, where no other is both cheaper and better. "
        "Thin bars: 95 % interval."
    )
    more = "Grey and hollow: not ranked. " if any(point.control for point in shown) else ""
    if any(point.main < floor(shown) for point in shown):
        more += "Arrowhead at the bottom: below the axis, its value beside the name."
    return [Note(text), Note(more)]


def floor(shown: Sequence[Point]) -> float:
    """Return the figure below which a point is an outlier and stands at the chart's edge."""
    return plotted.outlier_floor([point.main for point in shown if not point.control])


def _axes(sheet: Sheet, shown: Sequence[Point], title: str, price: Price) -> Axes:
    left, right = style.MARGIN + 0.35, sheet.width - style.MARGIN
    axes = sheet.axes(left, sheet.top + 0.22, right, sheet.bottom - 0.42, "both")
    costs = [point.cost for point in shown]
    rows.time_axis(axes, min(costs), max(costs), log=True)
    fence = floor(shown)
    inner = [point for point in shown if point.main >= fence]
    ends = [
        end for point in inner for end in (point.main, point.lo, point.hi) if math.isfinite(end)
    ]
    room = max(0.05 * (max(ends) - min(ends)), 0.01)
    axes.set_ylim(max(min(ends) - room, -0.02), max(ends) + room)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(style.IN_PERCENT)
    axes.set_xlabel(price.title, fontsize=style.NORMAL, fontweight="bold")
    axes.annotate(
        f"{title} (%)", (0, 1), (-22, 6), xycoords="axes fraction", textcoords="offset points",
        ha="left", fontsize=style.NORMAL, fontweight="bold",
    )  # fmt: skip
    return axes


def _draw(
    sheet: Sheet,
    axes: Axes,
    shown: Sequence[Point],
    front: Sequence[Point],
    price: Price,
    *,
    dashed: bool,
) -> None:
    bottom = axes.get_ylim()[0]
    if front:
        x, y = plotted.stairs(front, axes.get_xlim()[1])
        line = "--" if dashed else "-"
        axes.plot(x, np.maximum(y, bottom), color=style.BLUE, lw=1.2, linestyle=line, alpha=0.7)
    for point in shown:
        color, marker, size = style.VERMILION, "D", 3.6
        if point.control:
            color, marker, size = style.CONTROL, "s", 4.4
        elif point in front:
            color, marker, size = style.BLUE, "o", 5.4
        face = "white" if point.control else color
        if point.main < bottom:
            marker, size = "v", 5.0
        elif math.isfinite(point.lo) and math.isfinite(point.hi):
            axes.plot([point.cost] * 2, [point.lo, point.hi], color=color, linewidth=0.7, alpha=0.3)
        (dot,) = axes.plot(
            [point.cost], [max(point.main, bottom)], marker,
            color=color, markersize=size, mfc=face, mew=0.9, clip_on=False,
        )  # fmt: skip
        at = f"{Drawn(point.main, point.lo, point.hi)} at {duration(point.cost)} {price.unit}"
        sheet.mark(dot, point.label, f"{point.label}: {at}")


def _label(sheet: Sheet, axes: Axes, shown: Sequence[Point], front: Sequence[Point]) -> list[str]:
    """Name the points, the front and the best of each extractor first; return those left out.

    A phone has room for the front alone.
    """
    bottom = axes.get_ylim()[0]
    first = [*front, *plotted.leaders(shown)]
    order = sorted(shown, key=lambda point: first.index(point) if point in first else len(first))
    if sheet.width < style.WIDTH:
        order = list(front)
    names = [f"{at.label} ({percent(at.main)})" if at.main < bottom else at.label for at in order]
    weights = ["bold" if point in front else "normal" for point in order]
    measured = [
        sheet.size(name, style.SMALL, weight) for name, weight in zip(names, weights, strict=True)
    ]
    sizes = np.array(measured) * 72
    scale = 72 / style.DPI
    places = [(point.cost, max(point.main, bottom)) for point in order]
    anchors = axes.transData.transform(places) * scale
    paths = [
        [(point.cost, point.lo), (point.cost, point.hi)]
        for point in shown
        if point.main >= bottom and math.isfinite(point.lo) and math.isfinite(point.hi)
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
            if math.hypot(*end) > _LEADER_FROM:
                axes.annotate("", places[at], end, textcoords="offset points", arrowprops=_LEADER)
            offset = (centre[0] - anchors[at][0], centre[1] - anchors[at][1])
            axes.annotate(
                names[at], places[at], offset, textcoords="offset points", ha="center",
                va="center", fontsize=style.SMALL, fontweight=weights[at], color=color,
            )  # fmt: skip
    return [name for name, centre in zip(names, centres, strict=True) if centre is None]
