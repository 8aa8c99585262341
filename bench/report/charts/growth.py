"""The chart of a corpus that grows: how much more frequent words are than what is glued of them."""

from collections.abc import Sequence
from pathlib import Path

from bench.corpus.growth import Size
from bench.report.charts import style
from bench.report.charts.plotted import clean
from bench.report.charts.style import Sheet
from bench.report.charts.write import write_sheets

_HEIGHT, _LABELS = 2.6, 0.45


def write_growth(sizes: Sequence[Size], name: str, folder: Path) -> list[Path]:
    """Write the chart as PNG and SVG and return their paths.

    Raises ``BenchError`` when the folder cannot be written.
    """
    return write_sheets((("growth", _draw(sizes, name)) for _ in range(1)), [name], folder)


def _draw(sizes: Sequence[Size], name: str) -> Sheet:
    body = style.PANEL_TITLE + _HEIGHT + _LABELS
    sheet = Sheet("Words and glued words as a corpus grows", clean(name), [], body)
    title = "Times that a word occurs for each time that it is glued (median)"
    axes = sheet.panel(title, sheet.top, _HEIGHT)
    shown = [(size.words / 1e6, size.ratio) for size in sizes if size.ratio is not None]
    axes.plot(
        [millions for millions, _ in shown], [ratio for _, ratio in shown], "o-", color=style.BLUE
    )
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.grid(color=style.FAINT, linewidth=0.5)
    axes.set_xlabel("million words in the corpus", fontsize=style.SMALL)
    return sheet
