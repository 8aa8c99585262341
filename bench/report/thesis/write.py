"""Writes the chapter: ``chapter.md``, ``chapter.tex`` and the charts as PNG, SVG and PDF."""

from pathlib import Path

from bench.report import latex, markdown
from bench.report.charts import plotted, style
from bench.report.charts.write import write_sheets
from bench.report.thesis import charts as drawn
from bench.report.thesis.chapter import chapter
from bench.report.thesis.document import document
from bench.report.thesis.plan import plan, printed
from bench.scoring.leaderboard import Leaderboard
from bench.util.atomic import write_text

FORMS = ("png", "svg", "pdf")


def write(board: Leaderboard, folder: Path, printed_file: Path | None = None) -> list[Path]:
    """Write the chapter of a leaderboard into a folder and return the files.

    Raises ``UsageError`` for a metric that the chapter cannot be made of or a file of printed
    figures that cannot be used, ``BenchError`` where the folder cannot be written.
    """
    data = plan()
    beside = None if printed_file is None else printed(printed_file, data.printed_pages)
    content = chapter(board, data, beside)
    letters = [*plotted.labels(board.lines), style.data_set(board.gold)]
    charts = write_sheets(drawn.charts(content), letters, folder, FORMS)
    files = {path.stem: path.name for path in charts if path.suffix == ".png"}
    blocks = list(document(content))
    texts = {
        folder / "chapter.md": markdown.render(blocks, files),
        folder / "chapter.tex": latex.render(blocks, files),
    }
    for path, text in texts.items():
        write_text(path, text)
    return [*texts, *charts]
