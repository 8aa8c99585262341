"""The charts with one row per extractor: quality in four panels, and time."""

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MultipleLocator, NullFormatter

from bench.report import sentences
from bench.report.charts import plotted, style
from bench.report.charts.plotted import QualityRow, Row, TimeRow
from bench.report.charts.style import Note, Sheet
from bench.scoring.leaderboard import Leaderboard
from bench.util.numbers import duration, percent

ROW = 0.19
PANEL_TITLE = 0.42
X_AXIS = 0.25
GAP = 0.14
MAIN_WIDER = 1.7
_RIGHT = style.WIDTH - style.MARGIN - 0.06
_LOOKS = (
    (style.BLUE, "o", 3.9),
    (style.VERMILION, "^", 3.8),
    (style.GREEN, "s", 2.9),
    (style.PURPLE, "D", 2.9),
)


def quality(board: Leaderboard) -> Sheet:
    """Draw the four quality figures of every line with their intervals."""
    rows = plotted.quality_rows(board)
    low = plotted.quality_floor(rows)
    sheet = Sheet(
        "Extraction quality",
        style.data_set(board.gold),
        [*style.board_notes(board, timed=False), *_quality_notes(board, rows, low)],
        PANEL_TITLE + ROW * len(rows) + X_AXIS,
    )
    names = _names(sheet, rows, ranks=True)
    value = sheet.size("100.0", style.SMALL)[0] + 0.08
    panels = plotted.panels(board)
    free = _RIGHT - names - len(panels) * value - (len(panels) - 1) * GAP
    unit = free / (len(panels) - 1 + MAIN_WIDER)
    left = names
    for name, look in zip(panels, _LOOKS, strict=False):
        main = name == board.metric.main
        right = left + unit * (MAIN_WIDER if main else 1.0)
        panel = _panel(sheet, rows, left, right)
        _quality_axis(panel, low, wide=main)
        title = sentences.title(name)
        _panel_title(panel, title[:1].upper() + title[1:], color=look[0])
        for y, row in enumerate(rows):
            figure = row.figures[name].value
            _figure(sheet, panel, y, row, name, look, low)
            text = percent(figure if math.isfinite(figure) else None)
            _beside(panel, y, text, value, control=row.control)
        left = right + value + GAP
    return sheet


def _quality_notes(board: Leaderboard, rows: Sequence[QualityRow], low: float) -> list[Note]:
    text = (
        f"In order of {sentences.title(board.metric.main)}, in per cent. Whiskers: 95 % interval."
    )
    more = "Grey and hollow: not ranked. " if any(row.control for row in rows) else ""
    if any(row.figures[name].value < low for row in rows for name in row.figures):
        more += f"Arrowhead: below {low * 100:g}."
    return [Note(text), Note(more)]


def _quality_axis(panel: Axes, low: float, *, wide: bool) -> None:
    span = 1 - low
    panel.set_xlim(low - 0.03 * span, 1 + 0.03 * span)
    step = 0.2 if span > 0.35 else 0.1 if span > 0.15 else 0.05
    if span > 0.65 and not wide:
        step = 0.5
    panel.xaxis.set_major_locator(MultipleLocator(step))
    panel.xaxis.set_major_formatter(style.IN_PERCENT)


def time(board: Leaderboard) -> Sheet | None:
    """Draw the time per page of every line that has a cost; None where none has."""
    rows = plotted.time_rows(board)
    if not rows:
        return None
    low, high = plotted.time_span(rows)
    log = plotted.needs_log(low, high)
    start = low if log else 0.0
    sheet = Sheet(
        "Time per page" if board.timings_ranked else "Time per page (not comparable)",
        style.data_set(board.gold),
        [*style.board_notes(board, timed=True), *_time_notes(board, rows, start)],
        PANEL_TITLE + ROW * len(rows) + X_AXIS,
    )
    medians = ["median", *(duration(row.median_ms) for row in rows)]
    p95s = ["p95", *(duration(row.p95_ms) for row in rows)]
    first = max(sheet.size(text, style.SMALL)[0] for text in medians) + 0.14
    second = first + max(sheet.size(text, style.SMALL)[0] for text in p95s) + 0.14
    left = _names(sheet, rows, ranks=False)
    panel = _panel(sheet, rows, left, _RIGHT - second)
    time_axis(panel, low, high, log=log)
    _panel_title(panel, "Wall time per page (ms), log scale" if log else "Wall time per page (ms)")
    for y, texts in enumerate(zip(medians, p95s, strict=True), -1):
        control = y < 0 or rows[y].control
        _beside(panel, y, texts[0], first, control=control)
        _beside(panel, y, texts[1], second, control=control)
    for y, row in enumerate(rows):
        _time(sheet, panel, y, row, start, hollow=row.control or not board.timings_ranked)
    return sheet


def _time_notes(board: Leaderboard, rows: Sequence[TimeRow], start: float) -> list[Note]:
    order = (
        "Fastest first"
        if board.timings_ranked
        else f"In order of {sentences.title(board.metric.main)}"
    )
    text = f"{order}. Dot: median over pages; bar: 95th percentile. "
    if any(row.control for row in rows):
        text += "Grey: controls. "
    if any(row.median_ms < start for row in rows):
        text += f"Arrowhead: below {duration(start)} ms."
    return [Note(text)]


def time_axis(axes: Axes, low: float, high: float, *, log: bool) -> None:
    """Scale x for what cannot be less than 0: from there, or logarithmic."""
    if not log:
        axes.set_xlim(0, high * 1.05)
        axes.xaxis.set_major_formatter(style.WITH_COMMAS)
        return
    room = max((high / low) ** 0.04, 2 / math.sqrt(high / low))
    axes.set_xscale("log")
    axes.set_xlim(low / room, high * room)
    few = math.log10(high / low) < 2.2
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=99))
    axes.xaxis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=99))
    axes.xaxis.set_major_formatter(style.WITH_COMMAS)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(axis="x", which="minor", length=1, width=0.4)


def _names(sheet: Sheet, rows: Sequence[Row], *, ranks: bool) -> float:
    """Write ranks and names over bands that span the sheet; return where the panels begin."""
    numbers = sheet.size("00", style.SMALL)[0] + 0.1 if ranks else 0.0
    widest = max(sheet.size(row.label, style.NORMAL)[0] for row in rows)
    left = style.MARGIN + 0.06
    right = left + numbers + widest
    bands = _row_axes(sheet, rows, style.MARGIN, style.WIDTH - style.MARGIN)
    bands.set_axis_off()
    for y in range(0, len(rows), 2):
        bands.axhspan(y - 0.5, y + 0.5, color=style.BAND, linewidth=0)
    competitors = sum(not row.control for row in rows)
    if 0 < competitors < len(rows):
        bands.axhline(competitors - 0.5, color=style.CONTROL, linewidth=0.6)
    for y, row in enumerate(rows):
        color = style.SOFT if row.control else style.INK
        style.write(bands, y, row.label, right - style.MARGIN, size=style.NORMAL, color=color)
        if ranks and row.rank is not None:
            inches = left - style.MARGIN + numbers - 0.1
            style.write(bands, y, str(row.rank), inches, color=style.SOFT)
    return right + 0.1


def _row_axes(sheet: Sheet, rows: Sequence[Row], left: float, right: float) -> Axes:
    axes = sheet.axes(left, sheet.top + PANEL_TITLE, right, sheet.bottom - X_AXIS)
    axes.set_facecolor("none")
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks([])
    return axes


def _panel(sheet: Sheet, rows: Sequence[Row], left: float, right: float) -> Axes:
    """Return axes with one line of the sheet per row, first at the top."""
    panel = _row_axes(sheet, rows, left, right)
    panel.tick_params(axis="x", top=True, labeltop=True)
    return panel


def _panel_title(panel: Axes, text: str, color: str = style.INK) -> None:
    panel.annotate(
        text, (0.5, 1), (0, 17), xycoords="axes fraction", textcoords="offset points",
        ha="center", fontsize=style.NORMAL, fontweight="bold", color=color,
    )  # fmt: skip


def _beside(panel: Axes, y: float, text: str, inches: float, *, control: bool) -> None:
    """Write a value right of a panel."""
    style.write(panel, y, text, inches, side=1, color=style.SOFT if control else style.INK)


def _figure(
    sheet: Sheet,
    panel: Axes,
    y: int,
    row: QualityRow,
    name: str,
    look: tuple[str, str, float],
    low: float,
) -> None:
    """Draw a figure with its interval; an arrowhead where it lies below the axis."""
    figure = row.figures[name]
    color, marker, size = look
    if not math.isfinite(figure.value):
        return
    color = style.CONTROL if row.control else color
    face = "white" if row.control else color
    if figure.value < low:
        _arrowhead(panel, y, color, face)
        return
    if math.isfinite(figure.lo) and math.isfinite(figure.hi):
        ends = [max(figure.lo, low), figure.hi]
        panel.plot(ends, [y, y], color=color, linewidth=1.2, solid_capstyle="butt")
    (dot,) = panel.plot(
        [figure.value], [y], marker, color=color, markersize=size, mfc=face, mew=0.8, clip_on=False
    )
    sheet.mark(dot, row.label, f"{row.label}: {sentences.title(name)} {figure}")


def _time(sheet: Sheet, panel: Axes, y: int, row: TimeRow, start: float, *, hollow: bool) -> None:
    """Draw a median and its 95th percentile; an arrowhead where they lie below the axis."""
    color = style.CONTROL if row.control else style.BLUE
    face = "white" if hollow else color
    if row.median_ms < start:
        _arrowhead(panel, y, color, face)
        return
    panel.plot([row.median_ms, row.p95_ms], [y, y], color=color, linewidth=1.1)
    panel.plot([row.p95_ms], [y], "|", color=color, markersize=6, mew=1.3)
    (dot,) = panel.plot(
        [row.median_ms], [y], "o", color=color, markersize=4.4, mfc=face, mew=0.9, clip_on=False
    )
    median, p95 = duration(row.median_ms), duration(row.p95_ms)
    sheet.mark(dot, row.label, f"{row.label}: median {median} ms, 95th percentile {p95} ms")


def _arrowhead(panel: Axes, y: int, color: str, face: str) -> None:
    panel.plot(
        [0], [y], "<", transform=panel.get_yaxis_transform(), color=color, markersize=4,
        mfc=face, mew=0.8, clip_on=False,
    )  # fmt: skip
