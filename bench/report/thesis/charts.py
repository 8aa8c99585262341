"""The chapter's charts: bars (dots on a log axis), the printed number as a hollow diamond."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.ticker import MultipleLocator

from bench.report import sentences
from bench.report.charts import plotted, style
from bench.report.charts.style import Note, Sheet
from bench.report.thesis.chapter import CHARTS, Chapter, Row, Section
from bench.report.thesis.plan import FIGURES, Numbers
from bench.scoring.leaderboard import Leaderboard
from bench.util.numbers import duration, number, percent

_ROW, _HEAD, _TICKS, _GAP = 0.22, 0.25, 0.25, 0.14
_COLOURS = (style.PURPLE, style.VERMILION, style.GREEN, style.BLUE)
_RIGHT = style.WIDTH - style.MARGIN


class Bar(NamedTuple):
    """A number with its interval and the printed one; NaN for what there is not."""

    value: float
    lo: float
    hi: float
    printed: float
    text: str
    """What stands beside it."""


@dataclass(frozen=True)
class Panel:
    """One number of every row."""

    title: str
    bars: Sequence[Bar]
    share: bool
    """From 0 to 1; otherwise from 0 on."""

    @property
    def log(self) -> bool:
        """Whether the numbers range too widely for a linear axis."""
        known = self.positive
        return not self.share and len(known) > 1 and plotted.needs_log(min(known), max(known))

    @property
    def positive(self) -> list[float]:
        """All numbers above 0, printed ones among them."""
        values = [value for bar in self.bars for value in (bar.value, bar.printed)]
        return [value for value in values if math.isfinite(value) and value > 0]


def charts(chapter: Chapter) -> Iterator[tuple[str, Sheet]]:
    """Yield every chart of the chapter by the name of its files, but those without a number."""
    for section in [*chapter.packages, *chapter.comparisons, chapter.generic]:
        for stem, key in section.files.items():
            if any(panel.positive for panel in panels(section, key)):
                yield stem, _sheet(section, key, chapter.board)


def panels(section: Section, key: str) -> list[Panel]:
    """Return what stands side by side in a chart, over the same rows."""
    return [
        Panel(title, [bar(row) for row in section.rows], share)
        for title, bar, share in _PANELS[key]
    ]


def _figure(name: str) -> Callable[[Row], Bar]:
    def bar(row: Row) -> Bar:
        figure = row.line.figures[name]
        printed = row.printed.figures[name] if row.printed else None
        return Bar(*plotted.drawn(figure), _nan(printed), percent(figure.value))

    return bar


def _other(
    number_of: Callable[[Numbers], float | None], text: Callable[[float | None], str]
) -> Callable[[Row], Bar]:
    def bar(row: Row) -> Bar:
        value = number_of(row.ours)
        printed = number_of(row.printed) if row.printed else None
        return Bar(_nan(value), math.nan, math.nan, _nan(printed), text(value))

    return bar


def _one_digit(value: float | None) -> str:
    return number(value, 1)


_TIME = ("Time of all pages (s)", _other(attrgetter("time_s"), duration), False)
_PANELS: Mapping[str, Sequence[tuple[str, Callable[[Row], Bar], bool]]] = {
    "": [(sentences.title(name).capitalize(), _figure(name), True) for name in FIGURES],
    "usage": [
        ("RAM (%)", _other(attrgetter("ram_percent"), _one_digit), False),
        ("CPU (%)", _other(attrgetter("cpu_percent"), _one_digit), False),
        _TIME,
    ],
    "efficacy": [("Recall × precision (%)", _other(attrgetter("efficacy"), percent), True)],
    "time": [_TIME],
    "efficiency": [
        ("Efficacy × pages per second", _other(attrgetter("efficiency"), duration), False)
    ],
}
"""Title of each panel, what it shows of a row, and whether that is a share, by key of ``CHARTS``."""
_TIMED = ("usage", "time", "efficiency")


def _nan(value: float | None) -> float:
    return math.nan if value is None else value


def _sheet(section: Section, key: str, board: Leaderboard) -> Sheet:
    side_by_side = panels(section, key)
    bars = [bar for panel in side_by_side for bar in panel.bars]
    note = "Whiskers: 95 % interval. " if any(math.isfinite(bar.lo) for bar in bars) else ""
    if any(math.isfinite(bar.printed) for bar in bars):
        note += "Hollow diamond: printed."
    labels = plotted.labels([row.line for row in section.rows])
    sheet = Sheet(
        plotted.clean(f"{section.title}: {CHARTS[key]}", 80),
        style.data_set(board.gold),
        [*style.board_notes(board, timed=key in _TIMED), Note(note)],
        _HEAD + _ROW * len(labels) + _TICKS,
    )
    names = max(sheet.size(label, style.NORMAL)[0] for label in labels)
    value = max(sheet.size(bar.text, style.SMALL)[0] for bar in bars) + 0.08
    start = style.MARGIN + names + 0.1
    count = len(side_by_side)
    wide = (_RIGHT - start - count * value - (count - 1) * _GAP) / count
    ends = list(accumulate(map(len, section.groups.values())))
    for at, panel in enumerate(side_by_side):
        left = start + at * (wide + value + _GAP)
        axes = sheet.axes(left, sheet.top + _HEAD, left + wide, sheet.bottom - _TICKS)
        sheet.text(left, sheet.top, panel.title, size=style.NORMAL, weight="bold")
        for y in ends[:-1]:
            axes.axhline(y - 0.5, color=style.CONTROL, linewidth=0.6)
        _draw(axes, panel, _COLOURS[at % len(_COLOURS)] if count > 1 else style.BLUE)
        for y, label in enumerate(labels if at == 0 else ()):
            style.write(axes, y, label, -6 / 72, size=style.NORMAL)
        for y, bar in enumerate(panel.bars):
            style.write(axes, y, bar.text, value, side=1)
    return sheet


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
        axes.xaxis.set_major_formatter(style.IN_PERCENT)
        return 0.0
    low = min(known) / 2 if panel.log else 0.0
    if panel.log:
        axes.set_xscale("log")
    axes.set_xlim(low, max(known, default=1.0) * (1.2 if panel.log else 1.05))
    axes.xaxis.set_major_formatter(style.WITH_COMMAS)
    return low
