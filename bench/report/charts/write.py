"""Writes the charts: each file whole or not there, the same bytes for the same leaderboard."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from bench.report.charts import plotted, rows, scatter, style, svg
from bench.report.charts.style import Sheet
from bench.scoring.leaderboard import Leaderboard
from bench.util.atomic import replacing, write_text

DEFAULT = ("png", "svg")
# No date and no version of matplotlib: files change only where the figures do.
_METADATA: Mapping[str, Mapping[str, str | None]] = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def write_charts(board: Leaderboard, folder: Path, forms: Collection[str] = DEFAULT) -> list[Path]:
    """Write each chart in these forms (``png``, ``svg``, ``pdf``), and return their paths.

    Charts of time are left out where no line has a cost, and all of them where there is no line.
    """
    if not board.lines:
        return []
    texts = [*plotted.labels(board.lines), style.data_set(board.gold)]
    draw = {"quality": rows.quality, "time": rows.time, "quality-cost": scatter.quality_cost}
    sheets = ((name, chart(board)) for name, chart in draw.items())
    return write_sheets(sheets, texts, folder, forms)


def write_sheets(
    sheets: Iterable[tuple[str, Sheet | None]],
    texts: Sequence[str],
    folder: Path,
    forms: Collection[str] = DEFAULT,
) -> list[Path]:
    """Write each sheet by its name in these forms, and return the paths.

    ``sheets`` are drawn as they are asked for, with fonts that have all the letters of ``texts``.
    """
    with style.house_style(texts):
        return [
            _save(sheet, folder / f"{name}.{form}", form)
            for name, sheet in sheets
            if sheet is not None
            for form in forms
        ]


def _save(sheet: Sheet, path: Path, form: str) -> Path:
    """Write a sheet in one form, whole or not at all, and return its path."""
    if form == "svg":
        write_text(path, svg.file(sheet))
        return path
    metadata = {**_METADATA[form], **({"Title": sheet.title} if form == "pdf" else {})}
    with replacing(path) as temporary:
        sheet.figure.savefig(temporary, format=form, dpi=style.DPI, metadata=metadata)
    return path
