"""The charts of a data set: which pages it has, and how their sizes are distributed."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from bench.report.charts import gold_plotted, style
from bench.report.charts.gold_plotted import Bar, Histogram
from bench.report.charts.plotted import clean
from bench.report.charts.style import Note, Sheet
from bench.report.charts.write import METADATA, save
from bench.scoring.gold_stats import GoldStats

_BAR = 0.2
_PANEL, _HEAD, _TICKS = 1.15, 0.3, 0.3
_GAP = 0.5
_COLUMNS = 2


def write_gold_charts(stats: GoldStats, folder: Path) -> list[Path]:
    """Write each chart as PNG and SVG, and return their paths. Raises ``BenchError``."""
    written = []
    texts = [stats.title, *stats.page_types, *stats.languages]
    with style.house_style(texts), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        for name, sheet in {"kinds": kinds(stats), "sizes": sizes(stats)}.items():
            written += [save(sheet, folder / f"{name}.{form}", form) for form in METADATA]
    return written


def kinds(stats: GoldStats) -> Sheet:
    """Draw how many pages there are of each type and language."""
    types, languages = gold_plotted.bars(stats.page_types), gold_plotted.bars(stats.languages)
    most = max(len(types), len(languages))
    sheet = Sheet("Pages by type and language", _which(stats), _notes(stats), _HEAD + _BAR * most)
    middle = style.WIDTH / 2
    _bars(sheet, "page type", types, style.MARGIN, middle - 0.2, style.BLUE)
    _bars(sheet, "language", languages, middle + 0.2, style.WIDTH - style.MARGIN, style.GREEN)
    return sheet


def sizes(stats: GoldStats) -> Sheet:
    """Draw how the sizes of pages, and what makes them hard, are distributed."""
    every = gold_plotted.histograms(stats)
    rows = max(1, -(-len(every) // _COLUMNS))
    notes = [*_notes(stats), Note("How many pages; the line is the median page.")]
    tall = _HEAD + _PANEL + _TICKS
    sheet = Sheet("Sizes and complexity of pages", _which(stats), notes, tall * rows)
    wide = (style.WIDTH - 2 * style.MARGIN - _COLUMNS * _GAP) / _COLUMNS
    for at, each in enumerate(every):
        row, column = divmod(at, _COLUMNS)
        left = style.MARGIN + _GAP * 0.9 + column * (wide + _GAP)
        top = sheet.top + row * tall + _HEAD
        axes = sheet.axes(left, top, left + wide, top + _PANEL)
        sheet.text(left, top - 0.2, _title(each), size=style.NORMAL, weight="bold")
        _histogram(axes, each)
    return sheet


def _bars(
    sheet: Sheet, heading: str, rows: Sequence[Bar], left: float, right: float, color: str
) -> None:
    names = max(sheet.size(each.label, style.NORMAL)[0] for each in rows)
    number = max(sheet.size(f"{each.pages:,}", style.SMALL)[0] for each in rows) + 0.1
    sheet.text(left, sheet.top, heading, size=style.NORMAL, weight="bold")
    top = sheet.top + _HEAD
    axes = sheet.axes(left + names + 0.1, top, right - number, top + _BAR * len(rows))
    axes.grid(visible=False)
    axes.set_axis_off()
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, max(each.pages for each in rows))
    axes.barh(range(len(rows)), [each.pages for each in rows], height=0.62, color=color)
    for y, each in enumerate(rows):
        axes.annotate(
            each.label, (0, y), xytext=(-4, 0), textcoords="offset points",
            ha="right", va="center", fontsize=style.NORMAL, annotation_clip=False,
        )  # fmt: skip
        axes.annotate(
            f"{each.pages:,}", (each.pages, y), xytext=(3, 0), textcoords="offset points",
            ha="left", va="center", fontsize=style.SMALL, color=style.SOFT, annotation_clip=False,
        )  # fmt: skip


def _histogram(axes: Axes, each: Histogram) -> None:
    axes.grid(visible=False, axis="x")
    axes.grid(visible=True, axis="y", color=style.FAINT, linewidth=0.6)
    if each.log:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(numticks=8))
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,g}"))
    axes.set_xlim(each.edges[0], each.edges[-1])
    axes.stairs(each.pages, each.edges, fill=True, color=style.BLUE, alpha=0.75)
    axes.axvline(max(each.median, each.edges[0]), color=style.VERMILION, linewidth=1)
    axes.set_ylim(0, max(1, *each.pages) * 1.05)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))


def _title(each: Histogram) -> str:
    return f"{each.title}, {each.zeros:,} at 0" if each.zeros else each.title


def _which(stats: GoldStats) -> str:
    pages = f"{stats.pages:,} {'page' if stats.pages == 1 else 'pages'}"
    return f"{clean(stats.title or stats.name, 70)} · {pages}"


def _notes(stats: GoldStats) -> list[Note]:
    warns = "Smoke set: not evidence about the web."
    return [Note(warns, warns=True)] if stats.smoke else []
