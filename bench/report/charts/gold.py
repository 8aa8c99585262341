"""The charts of a data set: which pages it has, and how their sizes are distributed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from bench.report.charts import style
from bench.report.charts.plotted import clean
from bench.report.charts.style import Note, Sheet
from bench.report.charts.write import write_sheets
from bench.scoring.gold_stats import QUANTITIES, GoldStats

_BAR = 0.2
_PANEL, _HEAD, _TICKS = 1.15, 0.3, 0.3
_GAP = 0.5
_COLUMNS = 2
BINS = 24
MOST_BARS = 12
"""More languages than this are drawn as one."""
LOGARITHMIC = ("html_kib", "page_words", "gold_words")


@dataclass(frozen=True)
class Histogram:
    """How many pages fall between each two edges."""

    name: str
    title: str
    edges: Sequence[float]
    pages: Sequence[int]
    median: float
    log: bool
    zeros: int
    """Pages with 0, which a log axis has no place for; they are in no bin there."""


def write_gold_charts(stats: GoldStats, folder: Path) -> list[Path]:
    """Write each chart as PNG and SVG, and return their paths. Raises ``BenchError``."""
    texts = [stats.title, *stats.page_types, *stats.languages]
    charts = {"kinds": kinds, "sizes": sizes}
    return write_sheets(((name, chart(stats)) for name, chart in charts.items()), texts, folder)


def kinds(stats: GoldStats) -> Sheet:
    """Draw how many pages there are of each type and language."""
    types, languages = bars(stats.page_types), bars(stats.languages)
    most = max(len(types), len(languages))
    sheet = Sheet(
        "Pages by type and language",
        style.data_set(vars(stats)),
        [style.SMOKE] if stats.smoke else [],
        _HEAD + _BAR * most,
    )
    middle = style.WIDTH / 2
    _bars(sheet, "page type", types, style.MARGIN, middle - 0.2, style.BLUE)
    _bars(sheet, "language", languages, middle + 0.2, style.WIDTH - style.MARGIN, style.GREEN)
    return sheet


def sizes(stats: GoldStats) -> Sheet:
    """Draw how the sizes of pages, and what makes them hard, are distributed."""
    drawn = histograms(stats)
    rows = max(1, -(-len(drawn) // _COLUMNS))
    warnings = [style.SMOKE] if stats.smoke else []
    notes = [*warnings, Note("How many pages; the line is the median page.")]
    tall = _HEAD + _PANEL + _TICKS
    sheet = Sheet("Sizes and complexity of pages", style.data_set(vars(stats)), notes, tall * rows)
    wide = (style.WIDTH - 2 * style.MARGIN - _COLUMNS * _GAP) / _COLUMNS
    for at, histogram in enumerate(drawn):
        row, column = divmod(at, _COLUMNS)
        left = style.MARGIN + _GAP * 0.9 + column * (wide + _GAP)
        top = sheet.top + row * tall + _HEAD
        axes = sheet.axes(left, top, left + wide, top + _PANEL, "y")
        sheet.text(left, top - 0.2, _title(histogram), size=style.NORMAL, weight="bold")
        _histogram(axes, histogram)
    return sheet


def _bars(
    sheet: Sheet,
    heading: str,
    rows: Sequence[tuple[str, int]],
    left: float,
    right: float,
    color: str,
) -> None:
    names = max(sheet.size(label, style.NORMAL)[0] for label, _ in rows)
    number = max(sheet.size(f"{pages:,}", style.SMALL)[0] for _, pages in rows) + 0.1
    sheet.text(left, sheet.top, heading, size=style.NORMAL, weight="bold")
    top = sheet.top + _HEAD
    axes = sheet.axes(left + names + 0.1, top, right - number, top + _BAR * len(rows))
    axes.grid(visible=False)
    axes.set_axis_off()
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, max(pages for _, pages in rows))
    axes.barh(range(len(rows)), [pages for _, pages in rows], height=0.62, color=color)
    for y, (label, pages) in enumerate(rows):
        axes.annotate(
            label, (0, y), xytext=(-4, 0), textcoords="offset points",
            ha="right", va="center", fontsize=style.NORMAL, annotation_clip=False,
        )  # fmt: skip
        axes.annotate(
            f"{pages:,}", (pages, y), xytext=(3, 0), textcoords="offset points",
            ha="left", va="center", fontsize=style.SMALL, color=style.SOFT, annotation_clip=False,
        )  # fmt: skip


def _histogram(axes: Axes, histogram: Histogram) -> None:
    if histogram.log:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(numticks=8))
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(style.WITH_COMMAS)
    axes.set_xlim(histogram.edges[0], histogram.edges[-1])
    axes.stairs(histogram.pages, histogram.edges, fill=True, color=style.BLUE, alpha=0.75)
    axes.axvline(max(histogram.median, histogram.edges[0]), color=style.VERMILION, linewidth=1)
    axes.set_ylim(0, max(1, *histogram.pages) * 1.05)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))


def _title(histogram: Histogram) -> str:
    return f"{histogram.title}, {histogram.zeros:,} at 0" if histogram.zeros else histogram.title


def bars(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return each label with its pages, most pages first; the rare ones together, last."""
    labelled = [(clean(label), pages) for label, pages in counts.items()]
    if len(labelled) <= MOST_BARS:
        return labelled
    shown, rest = labelled[: MOST_BARS - 1], labelled[MOST_BARS - 1 :]
    return [*shown, (f"{len(rest)} others", sum(pages for _, pages in rest))]


def histograms(stats: GoldStats) -> list[Histogram]:
    """Return a histogram of each quantity that some page has."""
    known = (histogram(name, stats.values[name]) for name in QUANTITIES)
    return [drawn for drawn in known if drawn is not None]


def histogram(name: str, values: Sequence[float | None]) -> Histogram | None:
    """Return the histogram of one quantity; None where no page has it, or all have 0 on a log axis."""
    there = np.array([value for value in values if value is not None], np.float64)
    if not there.size:
        return None
    log = name in LOGARITHMIC
    drawn = there[there > 0] if log else there
    if not drawn.size:
        return None
    edges = _edges(name, float(drawn.min()), float(drawn.max()), log=log)
    pages, _ = np.histogram(drawn, edges)
    quantity = QUANTITIES[name]
    return Histogram(
        name=name,
        title=f"{quantity.title} ({quantity.unit or 'share of words'})",
        edges=[float(edge) for edge in edges],
        pages=[int(count) for count in pages],
        median=float(np.median(there)),
        log=log,
        zeros=int(there.size - drawn.size),
    )


def _edges(name: str, low: float, high: float, *, log: bool) -> Sequence[float]:
    if log:
        # One size only has a bin of its own around it.
        low, high = (low, high) if low < high else (low / 1.5, high * 1.5)
        return [*np.geomspace(low, high, BINS + 1)[:-1], high]
    if not QUANTITIES[name].unit:
        return list(np.linspace(0, 1, 21))
    step = max(1, -(-int(high - low + 1) // BINS))
    return [edge - 0.5 for edge in range(int(low), int(high) + step + 1, step)]
