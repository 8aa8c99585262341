"""What the chapter's charts plot, apart from how: panels of numbers, one for each row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bench.report import sentences
from bench.report.charts.plotted import labels, needs_log
from bench.report.thesis.chapter import Chapter, Row, Section
from bench.report.thesis.plan import FIGURES
from bench.util.numbers import duration, percent


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
        return not self.share and len(known) > 1 and needs_log(min(known), max(known))

    @property
    def positive(self) -> list[float]:
        """All numbers above 0, printed ones among them."""
        every = [each for bar in self.bars for each in (bar.value, bar.printed)]
        return [each for each in every if math.isfinite(each) and each > 0]


@dataclass(frozen=True)
class Chart:
    """Panels side by side over the same rows."""

    key: str
    title: str
    labels: Sequence[str]
    panels: Sequence[Panel]
    starts: Sequence[int] = ()
    """Rows at which a group begins, other than the first."""

    @property
    def printed(self) -> bool:
        """Whether there is anything printed in it."""
        return any(math.isfinite(bar.printed) for panel in self.panels for bar in panel.bars)


def charts(chapter: Chapter) -> list[Chart]:
    """Return every chart of the chapter; sections without rows have none."""
    sections = [*chapter.packages, *chapter.comparisons, chapter.generic]
    found = [_figures(each) for each in sections if each.rows]
    return [*found, *_generic(chapter.generic)]


def _figures(section: Section) -> Chart:
    panels = []
    for name in FIGURES:
        bars = [_figure(row, name) for row in section.rows]
        title = sentences.title(name)
        panels.append(Panel(title[:1].upper() + title[1:], bars, share=True))
    sizes = [len(own) for own in section.groups.values()]
    starts = [sum(sizes[:at]) for at in range(1, len(sizes))]
    names = labels([row.line for row in section.rows])
    return Chart(section.key, section.title, names, panels, starts)


def _generic(section: Section) -> list[Chart]:
    rows = section.rows
    timed = [row for row in rows if row.time_s is not None]
    found = []
    if timed:
        panel = _panel("Time of all pages (s)", timed, _time, duration, share=False)
        found.append(_one(section, "time", "Time", timed, panel))
    if rows:
        panel = _panel("Efficacy: recall × precision (%)", rows, _efficacy, percent, share=True)
        found.append(_one(section, "efficacy", "Efficacy", rows, panel))
    if timed:
        title = "Efficiency: efficacy × pages per second"
        panel = _panel(title, timed, _efficiency, duration, share=False)
        found.append(_one(section, "efficiency", "Efficiency", timed, panel))
    return found


def _one(section: Section, key: str, title: str, rows: Sequence[Row], panel: Panel) -> Chart:
    names = labels([row.line for row in rows])
    return Chart(f"{section.key}-{key}", title, names, [panel])


def _figure(row: Row, name: str) -> Bar:
    own = row.line.figures[name]
    printed = row.printed.figures[name] if row.printed else None
    return Bar(_nan(own.value), _nan(own.lo), _nan(own.hi), _nan(printed), percent(own.value))


Both = Callable[[Row], "tuple[float | None, float | None]"]


def _panel(
    title: str, rows: Sequence[Row], both: Both, text: Callable[[float | None], str], *, share: bool
) -> Panel:
    bars = []
    for row in rows:
        value, printed = both(row)
        bars.append(Bar(_nan(value), math.nan, math.nan, _nan(printed), text(value)))
    return Panel(title, bars, share)


def _time(row: Row) -> tuple[float | None, float | None]:
    return row.time_s, row.printed.time_s if row.printed else None


def _efficacy(row: Row) -> tuple[float | None, float | None]:
    return row.efficacy, row.printed_efficacy


def _efficiency(row: Row) -> tuple[float | None, float | None]:
    return row.efficiency, row.printed_efficiency


def _nan(value: float | None) -> float:
    return math.nan if value is None else value
