"""How charts look: colours, fonts, and a sheet measured in inches with a title and notes."""

import contextlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import matplotlib
from matplotlib import font_manager
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter

from bench.report import sentences
from bench.report.charts.plotted import clean
from bench.scoring.leaderboard import Leaderboard

DPI = 150
MARGIN = 0.18
LINE = 0.165
"""Inches between the lines of a note."""
SMALL, NORMAL, LARGE = 6.8, 7.6, 11.5

# Okabe and Ito (2008): distinct with every common kind of colour vision.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
INK, SOFT, FAINT, BAND = "#222222", "#666666", "#DDDDDD", "#F5F5F5"
CONTROL = "#8C8C8C"

_RC: dict[Any, Any] = {
    "font.family": ["sans-serif"],
    "font.size": NORMAL,
    "text.parse_math": False,
    "text.color": INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "bench",
    "pdf.fonttype": 42,  # TrueType: publishers refuse Type 3
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
}
# Where installed; asked for only if a label has characters that matplotlib's own font lacks.
_WIDER_FONTS = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans Devanagari", "Noto Sans",
    "PingFang SC", "Hiragino Sans", "Microsoft YaHei", "Arial Unicode MS", "Unifont",
)  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """Where a chart is shown."""

    width: float
    """Inches."""
    titled: bool
    """With title and notes drawn; a page says them beside its charts."""


FILE, PAGE = Layout(8.0, True), Layout(8.0, False)
SMALL_PAGE, PHONE = Layout(5.6, False), Layout(3.9, False)
WIDTH = FILE.width
IN_PERCENT = FuncFormatter(lambda share, _: f"{share * 100:g}")
"""Writes shares at an axis."""


WITH_COMMAS = FuncFormatter(lambda number, _: f"{number:,g}")
PANEL_TITLE = 0.25


@dataclass(frozen=True)
class Note:
    """A line under the title; a warning is coloured."""

    text: str
    warns: bool = False


SMOKE = Note("Smoke set: not evidence about the web.", warns=True)


@contextlib.contextmanager
def house_style(texts: Sequence[str]) -> Iterator[None]:
    """Draw with our settings, whatever the user's matplotlibrc says, and put theirs back."""
    with matplotlib.rc_context(), warnings.catch_warnings():
        # A script that no installed font has is drawn as boxes in the PNG; the SVG keeps the text.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_RC)
        matplotlib.rcParams["font.family"] = ["sans-serif", *_wider_fonts("".join(texts))]
        yield


def _wider_fonts(text: str) -> list[str]:
    letters = font_manager.get_font(font_manager.findfont("DejaVu Sans")).get_charmap()
    if all(ord(character) in letters for character in text):
        return []
    installed = set(font_manager.fontManager.get_font_names())
    return [name for name in _WIDER_FONTS if name in installed]


def board_notes(board: Leaderboard, *, timed: bool) -> list[Note]:
    """Return the warnings that a chart of this board must carry."""
    notes = [SMOKE] if board.gold.get("smoke") else []
    if timed and not board.timings_ranked:
        text = f"Timings are {sentences.incomparable(board.machines)}: not ranked."
        notes.append(Note(text, warns=True))
    return notes


def data_set(gold: Mapping[str, Any]) -> str:
    """Return the second line of a title: which data set, and how many pages."""
    name = clean(str(gold.get("title") or gold.get("name") or "unnamed data set"), 70)
    pages = int(gold.get("pages") or 0)
    return f"{name} · {pages:,} {'page' if pages == 1 else 'pages'}"


def write(
    axes: Axes, y: float, text: str, inches: float, *, side: int = 0,
    size: float = SMALL, color: str = INK,
) -> None:  # fmt: skip
    """Write in row ``y``, ending so many inches from the axes' left (0) or right (1) side."""
    axes.annotate(
        text, (side, y), (inches * 72, 0), xycoords=("axes fraction", "data"),
        textcoords="offset points", ha="right", va="center_baseline", fontsize=size,
        color=color, annotation_clip=False,
    )  # fmt: skip


class Sheet:
    """A figure laid out in inches from the top left, its height known before drawing."""

    def __init__(
        self,
        heading: str,
        data_set: str,
        notes: Sequence[Note],
        body: float,
        footer: Sequence[str] = (),
        layout: Layout = FILE,
    ):
        self.width = layout.width
        self.figure = Figure(figsize=(self.width, 1.0), dpi=DPI, facecolor="white")
        self._agg = FigureCanvasAgg(self.figure)
        self.heading = heading
        self.title = f"{heading}: {data_set}" if data_set else heading
        self.notes = [*(note.text for note in notes), *footer]
        self.marks: dict[str, tuple[str, str]] = {}
        """Label and title of what was drawn for it, by the id it has in an SVG."""
        if not layout.titled:
            heading, data_set, notes, footer = "", "", (), ()
        room = self.width - 2 * MARGIN
        names = self.wrap(data_set, room, NORMAL, "bold")
        lines = [(line, note) for note in notes for line in self.wrap(note.text, room, NORMAL)]
        feet = [line for text in footer for line in self.wrap(text, room, SMALL)]
        start = MARGIN + (0.25 + LINE * len(names) + 0.03 if heading else 0.0)
        self.top = start + LINE * len(lines) + 0.1
        self.bottom = self.top + body
        self.height = self.bottom + LINE * len(feet) + (0.08 if feet else 0) + MARGIN / 2
        self.figure.set_size_inches(self.width, self.height)
        self.text(MARGIN, MARGIN, heading, size=LARGE, weight="bold")
        for at, line in enumerate(names):
            self.text(MARGIN, MARGIN + 0.25 + LINE * at, line, size=NORMAL, weight="bold")
        for at, (line, note) in enumerate(lines):
            color, weight = (VERMILION, "bold") if note.warns else (SOFT, "normal")
            self.text(MARGIN, start + LINE * at, line, size=NORMAL, color=color, weight=weight)
        for at, line in enumerate(feet):
            self.text(MARGIN, self.bottom + 0.08 + LINE * at, line, size=SMALL, color=SOFT)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float,
        color: str = INK,
        weight: str = "normal",
    ) -> None:
        """Write a line whose top left is at ``x``, ``y``."""
        self.figure.text(
            x / self.width, 1 - y / self.height, text,
            fontsize=size, color=color, fontweight=weight, va="top", ha="left",
        )  # fmt: skip

    def mark(self, artist: Artist, label: str, title: str) -> None:
        """Let what is drawn of a row say a title where somebody points at it."""
        name = f"mark-{len(self.marks)}"
        artist.set_gid(name)
        self.marks[name] = label, title

    def axes(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        grid: Literal["x", "y", "both"] = "x",
    ) -> Axes:
        """Return axes between those edges, with a light grid and no box but a left side for y."""
        box = (
            left / self.width,
            1 - bottom / self.height,
            (right - left) / self.width,
            (bottom - top) / self.height,
        )
        axes = self.figure.add_axes(box)
        axes.set_axisbelow(True)
        axes.grid(visible=True, axis=grid, color=FAINT, linewidth=0.6)
        for side in ("right", "top") if grid == "both" else ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        axes.tick_params(length=2, width=0.6, pad=2)
        return axes

    def panel(
        self, title: str, top: float, height: float, grid: Literal["x", "y", "both"] = "x"
    ) -> Axes:
        """Return axes of the sheet's whole width and of this height, below their title."""
        self.text(MARGIN, top, title, size=NORMAL, weight="bold")
        start = top + PANEL_TITLE
        return self.axes(MARGIN + 0.4, start, self.width - MARGIN, start + height, grid)

    def size(self, text: str, size: float, weight: str = "normal") -> tuple[float, float]:
        """Return the width and height of a text in inches."""
        artist = Text(0, 0, text, fontsize=size, fontweight=weight)
        artist.set_figure(self.figure)
        box = artist.get_window_extent(self._agg.get_renderer())  # type: ignore[no-untyped-call]
        return box.width / DPI, box.height / DPI

    def wrap(self, text: str, room: float, size: float, weight: str = "normal") -> list[str]:
        """Break a text at spaces into lines no wider than ``room`` inches."""
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.size(longer, size, weight)[0] <= room:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines
