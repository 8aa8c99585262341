"""Writes the charts: each file whole or not there, the same bytes for the same leaderboard."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

from bench.report.charts import plotted, rows, scatter, style
from bench.report.charts.style import Sheet
from bench.scoring.leaderboard import Leaderboard
from bench.util.atomic import replacing

# No date and no version of matplotlib: files change only where the figures do.
METADATA = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
"""Of the forms that are written unless asked otherwise."""
_ON_REQUEST = {"pdf": {"CreationDate": None, "Creator": None, "Producer": None}}


def write_charts(board: Leaderboard, folder: Path, forms: Iterable[str] = METADATA) -> list[Path]:
    """Write each chart in these forms (``png``, ``svg``, ``pdf``), and return their paths.

    Charts of time are left out where no line has a cost, and all of them where there is no line.
    """
    if not board.lines:
        return []
    texts = [*plotted.labels(board.lines), style.data_set(board)]
    written, chosen = [], list(forms)
    with style.house_style(texts), warnings.catch_warnings():
        # A script that no installed font has is drawn as boxes in the PNG; the SVG keeps the text.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        sheets = {
            "quality": rows.quality(board),
            "time": rows.time(board),
            "quality-time": scatter.quality_time(board),
        }
        for name, sheet in sheets.items():
            if sheet is not None:
                written += [save(sheet, folder / f"{name}.{form}", form) for form in chosen]
    return written


def save(sheet: Sheet, path: Path, form: str) -> Path:
    """Write a sheet in one form, whole or not at all, and return its path."""
    metadata: dict[str, str | None] = dict({**METADATA, **_ON_REQUEST}[form])
    if form != "png":
        metadata["Title"] = sheet.title
    with replacing(path) as temporary:
        sheet.figure.savefig(temporary, format=form, dpi=style.DPI, metadata=metadata)
    return path
