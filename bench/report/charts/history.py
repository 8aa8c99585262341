"""The chart of an extractor's releases: quality with its interval above, time per page below."""

import math
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from bench.report import sentences
from bench.report.charts import plotted, style
from bench.report.charts.plotted import clean
from bench.report.charts.style import Note, Sheet
from bench.report.charts.write import write_sheets
from bench.scoring.history import History, Release
from bench.scoring.leaderboard import Line

_QUALITY, _TIME, _GAP, _LABELS = 2.6, 1.1, 0.35, 0.5
_UPRIGHT = 14
"""With more releases than this their names are turned."""


def write_history(history: History, folder: Path, name: str) -> list[Path]:
    """Write the chart as PNG and SVG and return their paths; none where no release ran.

    Raises ``BenchError`` when the folder cannot be written.
    """
    if not history.ran:
        return []
    texts = [history.name, style.data_set(history.board.gold), *(r.version for r, _ in history.ran)]
    return write_sheets(((name, _draw(history)) for _ in range(1)), texts, folder)


def _draw(history: History) -> Sheet:
    """Draw every release that ran, oldest at the left."""
    timed = all(line.cost is not None for _, line in history.ran)
    turned = len(history.ran) > _UPRIGHT
    body = style.PANEL_TITLE + _QUALITY + _LABELS * (1.0 if turned else 0.5)
    if timed:
        body += _GAP + style.PANEL_TITLE + _TIME
    sheet = Sheet(
        f"{clean(history.name)} over its releases",
        style.data_set(history.board.gold),
        [*style.board_notes(history.board, timed=timed), *_notes(history)],
        body,
    )
    main = sentences.title(history.board.metric.main)
    panels = [sheet.panel(main, sheet.top, _QUALITY, "both")]
    _quality(panels[0], history)
    if timed:
        top = sheet.top + style.PANEL_TITLE + _QUALITY + _GAP
        panels.append(sheet.panel("Median wall time per page (ms)", top, _TIME, "both"))
        _time(panels[1], [line for _, line in history.ran])
    for at, axes in enumerate(panels):
        _releases(axes, [release for release, _ in history.ran], named=at == len(panels) - 1)
    return sheet


def _quality(axes: Axes, history: History) -> None:
    main = history.board.metric.main
    figures = [line.figures[main] for _, line in history.ran]
    x = range(len(figures))
    values = [figure.shown for figure in figures]
    lows = [math.nan if figure.lo is None else figure.lo for figure in figures]
    highs = [math.nan if figure.hi is None else figure.hi for figure in figures]
    axes.fill_between(x, lows, highs, color=style.BLUE, alpha=0.15, linewidth=0)
    axes.plot(x, values, color=style.BLUE, linewidth=1.2, marker="o", markersize=3)
    for at, (release, _) in enumerate(history.ran):
        if release.significant and release.step is not None and release.step.value is not None:
            up = release.step.value > 0
            color = style.GREEN if up else style.VERMILION
            axes.plot(
                [at - 1, at], values[at - 1 : at + 1], color=color, linewidth=2.2,
                marker="^" if up else "v", markersize=5, markevery=[1],
            )  # fmt: skip
            axes.annotate(
                f"{release.step.value * 100:+.1f}", (at, values[at]), (0, 7 if up else -7),
                textcoords="offset points", ha="center", va="bottom" if up else "top",
                fontsize=style.SMALL, fontweight="bold", color=color,
            )  # fmt: skip
    ends = [end for end in (*values, *lows, *highs) if math.isfinite(end)]
    room = max(0.1 * (max(ends) - min(ends)), 0.01)
    axes.set_ylim(max(0.0, min(ends) - room), min(1.0, max(ends) + room))


def _time(axes: Axes, lines: Sequence[Line]) -> None:
    times = [line.cost.ms_per_page for line in lines if line.cost is not None]
    log = min(times) > 0 and plotted.needs_log(min(times), max(times))
    if log:
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, max(times) * 1.15 or 1.0)
        axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.plot(range(len(times)), times, color=style.PURPLE, linewidth=1.2, marker="s", markersize=3)


def _releases(axes: Axes, releases: Sequence[Release], *, named: bool) -> None:
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    axes.set_xlim(-0.5, len(releases) - 0.5)
    names = [clean(release.version, 16) if named else "" for release in releases]
    turned = len(releases) > _UPRIGHT
    axes.set_xticks(
        range(len(releases)), names,
        rotation=60 if turned else 0, ha="right" if turned else "center", rotation_mode="anchor",
    )  # fmt: skip


def _notes(history: History) -> list[Note]:
    text = (
        "Band: 95 % interval. Thick: a significant step, in points (paired test on the same pages, "
        "Holm's correction, 5 %)."
    )
    left_out = len(history.releases) - len(history.ran)
    return [Note(text), *([Note(f"{left_out} releases could not be run.")] if left_out else [])]
