"""What the charts plot, apart from how: rows, points and the Pareto front as plain data."""

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import NamedTuple

from bench.report import pareto
from bench.scoring.leaderboard import Leaderboard, Line
from bench.stats.estimate import Estimate
from bench.util.numbers import percent, percent_range

BESIDE_MAIN = ("precision", "recall", "accuracy")
"""What the quality chart shows beside the figure that ranks, where the metric has it."""
LOG_FROM = 20.0
"""Times whose largest is more than this many times the smallest stand on a log axis."""
LONGEST = 40
"""Characters of a label; more lose their middle."""
OUTLIER_SPAN = 0.4
"""Only where F1 ranges more widely than this may an outlier leave the axis."""


@dataclass(frozen=True)
class Row:
    """A line of the leaderboard."""

    label: str
    rank: int | None
    """None for a variant of a ranked program, and for what does not compete."""
    control: bool
    """True for a row that is no competitor."""


class Drawn(NamedTuple):
    """A figure with its interval; NaN where there is too little data."""

    value: float
    lo: float
    hi: float

    def __str__(self) -> str:
        interval = f" ({percent_range(self.lo, self.hi)})" if math.isfinite(self.lo) else ""
        return percent(self.value) + interval


@dataclass(frozen=True)
class QualityRow(Row):
    """One row of the quality chart."""

    figures: Mapping[str, Drawn]
    """The one that ranks first."""

    @property
    def main(self) -> float:
        """The figure that ranks."""
        return next(iter(self.figures.values())).value


@dataclass(frozen=True)
class TimeRow(Row):
    """One row of the time chart."""

    median_ms: float
    p95_ms: float


@dataclass(frozen=True)
class Price:
    """What quality is drawn against: the less of it the better."""

    name: str
    title: str
    unit: str
    of: Callable[[Line], float | None]
    timed: bool


def _peak_mib(line: Line) -> float | None:
    peak = line.cost.rss_peak_bytes if line.cost else None
    return peak and peak / 2**20


CPU = Price("CPU time", "CPU time per page (ms), log scale", "ms", attrgetter("cpu_ms"), timed=True)


def cpu_at(deadline_s: float) -> Price:
    """Return CPU time where no page may take longer than a deadline."""
    return replace(CPU, name=f"CPU time at a deadline of {deadline_s:g} s")


MEMORY = Price("memory", "Peak memory (MiB), log scale", "MiB", _peak_mib, timed=False)


@dataclass(frozen=True)
class Point(Row):
    """One point of the charts of quality against cost."""

    reliable: bool
    """Whether it answered nearly all pages."""
    cost: float
    main: float
    lo: float
    hi: float


def clean(text: str, longest: int = LONGEST) -> str:
    """Return ``text`` on one line, without control and format characters, middle cut if long."""
    spaced = "".join(" " if character.isspace() else character for character in text)
    kept = "".join(
        character for character in spaced if not unicodedata.category(character).startswith("C")
    )
    line = " ".join(kept.split())
    if len(line) > longest:
        tail = (longest - 1) // 2
        line = f"{line[: longest - 1 - tail]}…{line[-tail:]}"
    return line or "?"


def labels(lines: Sequence[Line]) -> list[str]:
    """Return a printable label of each line, with the version where a label occurs twice."""
    count = Counter(line.label for line in lines)
    return [
        clean(f"{line.label}@{line.version}" if count[line.label] > 1 else line.label)
        for line in lines
    ]


def panels(board: Leaderboard) -> list[str]:
    """Return the figures of the quality chart, the one that ranks first."""
    metric = board.metric
    beside = [name for name in BESIDE_MAIN if name in metric.figures and name != metric.main]
    return [metric.main, *beside]


def drawn(figure: Estimate) -> Drawn:
    """Return a figure as numbers to draw."""
    known = (figure.value, figure.lo, figure.hi)
    return Drawn(*(math.nan if value is None else value for value in known))


def quality_rows(board: Leaderboard) -> list[QualityRow]:
    """Return every line with its quality figures, in the leaderboard's order."""
    return [
        QualityRow(
            label,
            line.rank,
            not line.competes,
            {name: drawn(line.figures[name]) for name in panels(board)},
        )
        for label, line in zip(labels(board.lines), board.lines, strict=True)
    ]


def time_rows(board: Leaderboard) -> list[TimeRow]:
    """Return the lines with a median time above zero, controls last.

    Fastest first; contended timings are not ranked, so they keep the leaderboard's order.
    """
    rows = [
        TimeRow(label, line.rank, not line.competes, cost.ms_per_page, cost.ms_per_page_p95)
        for label, line in zip(labels(board.lines), board.lines, strict=True)
        if (cost := line.cost)
        and math.isfinite(cost.ms_per_page_p95)
        and 0 < cost.ms_per_page < math.inf
    ]
    if not board.timings_ranked:
        return sorted(rows, key=lambda row: row.control)
    return sorted(rows, key=lambda row: (row.control, row.median_ms, row.label))


def points(board: Leaderboard, price: Price) -> list[Point]:
    """Return main figure and cost of the lines that have both, in the leaderboard's order."""
    return [
        Point(label, line.rank, not line.competes, not line.unreliable, cost, *main)
        for label, line in zip(labels(board.lines), board.lines, strict=True)
        if (cost := price.of(line))
        and math.isfinite(cost)
        and math.isfinite((main := drawn(line.figures[board.metric.main])).value)
    ]


def pareto_front(competitors: Iterable[Point]) -> list[Point]:
    """Return the points that no other beats: none is as cheap and better, or cheaper and as good.

    Cheapest first, so F1 rises along it. Equal points are all on it; controls never are, nor rows
    that failed on many pages.
    """
    ranked = sorted(
        (point for point in competitors if point.reliable and not point.control),
        key=lambda point: point.label,
    )
    return [ranked[at] for at in pareto.front([(point.cost, point.main) for point in ranked])]


def stairs(front: Sequence[Point], until: float) -> tuple[list[float], list[float]]:
    """Return the front as steps: the best F1 to be had at a cost, up to ``until``."""
    x, y = [], []
    for here, there in zip(front, [*front[1:], None], strict=True):
        x += [here.cost, there.cost if there else max(until, here.cost)]
        y += [here.main, here.main]
    return x, y


def leaders(competitors: Iterable[Point]) -> list[Point]:
    """Return the best point of each extractor over its variants, best first."""
    best: dict[str, Point] = {}
    for point in sorted(competitors, key=lambda point: (-point.main, point.cost, point.label)):
        if not point.control:
            best.setdefault(point.label.partition(":")[0], point)
    return list(best.values())


def outlier_floor(scores: Sequence[float]) -> float:
    """Return below which figure an extractor would squash the others; 0 where none does.

    A fence one interquartile range below the lower quartile.
    """
    known = sorted(score for score in scores if math.isfinite(score))
    if not known or known[-1] - known[0] <= OUTLIER_SPAN:
        return 0.0
    low, high = known[len(known) // 4], known[len(known) * 3 // 4]
    return max(0.0, low - (high - low))


def quality_floor(rows: Sequence[QualityRow]) -> float:
    """Return where the quality axes begin: a tenth, below the intervals of all but outliers."""
    ranked = [row for row in rows if not row.control] or list(rows)
    fence = outlier_floor([row.main for row in ranked])
    ends = [
        end
        for row in ranked
        if row.main >= fence
        for figure in row.figures.values()
        for end in (figure.value, figure.lo)
        if math.isfinite(end)
    ]
    return min(0.9, max(0.0, math.floor(min(ends, default=0.0) * 10) / 10))


def within_view(points: Sequence[Point]) -> tuple[list[Point], list[Point]]:
    """Split points into those to draw and the controls that would squash the others."""
    ranked = [point for point in points if not point.control]
    if not ranked:
        return list(points), []
    fence = outlier_floor([point.main for point in ranked])
    inner = [point.main for point in ranked if point.main >= fence]
    bottom, top = min(inner), max(inner)
    low, high = min(point.cost for point in ranked), max(point.cost for point in ranked)
    room = max(0.05, (top - bottom) / 8)

    def seen(point: Point) -> bool:
        near = bottom - room <= point.main <= top + room and low / 3 <= point.cost <= high * 3
        return near or not point.control

    return [point for point in points if seen(point)], [
        point for point in points if not seen(point)
    ]


def time_span(rows: Sequence[TimeRow]) -> tuple[float, float]:
    """Return the smallest and largest time of the competitors, or of controls where alone."""
    ranked = [row for row in rows if not row.control] or list(rows)
    return min(row.median_ms for row in ranked), max(
        max(row.median_ms, row.p95_ms) for row in ranked
    )


def needs_log(low: float, high: float) -> bool:
    """Return whether times range too widely for a linear axis."""
    return high > LOG_FROM * low
