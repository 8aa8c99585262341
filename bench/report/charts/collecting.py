"""The chart of collecting with several numbers of requests at once: bytes above, requests below."""

from collections.abc import Sequence
from pathlib import Path

from bench.collect.speed import Measured
from bench.report.charts import style
from bench.report.charts.plotted import clean
from bench.report.charts.style import Sheet
from bench.report.charts.write import write_sheets

_BYTES, _REQUESTS, _GAP, _LABELS = 2.2, 1.2, 0.35, 0.45
_COLOURS = (style.BLUE, style.VERMILION, style.GREEN, style.PURPLE)


def write_collecting(measured: Sequence[Measured], site: str, folder: Path) -> list[Path]:
    """Write the chart as PNG and SVG and return their paths.

    Raises ``BenchError`` when the folder cannot be written.
    """
    return write_sheets((("speed", _draw(measured, site)) for _ in range(1)), [site], folder)


def _draw(measured: Sequence[Measured], site: str) -> Sheet:
    body = 2 * style.PANEL_TITLE + _BYTES + _GAP + _REQUESTS + _LABELS
    sheet = Sheet("Collecting with more requests at once", clean(site), [], body)
    top = sheet.top
    panels = (
        ("MB received", "bytes", 1e6, _BYTES),
        ("Requests under way", "in_flight", 1, _REQUESTS),
    )
    for title, name, unit, height in panels:
        axes = sheet.panel(title, top, height)
        for number, one in enumerate(measured):
            axes.plot(
                [sample["t"] for sample in one.samples],
                [sample[name] / unit for sample in one.samples],
                color=_COLOURS[number % len(_COLOURS)],
                label=f"{one.jobs} at once",
                linewidth=1.2,
            )
        axes.set_ylim(bottom=0)
        axes.grid(color=style.FAINT, linewidth=0.5)
        if name == "bytes":
            axes.legend(frameon=False, fontsize=style.SMALL)
        else:
            axes.set_xlabel("seconds", fontsize=style.SMALL)
        top += style.PANEL_TITLE + height + _GAP
    return sheet
