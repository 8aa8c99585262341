"""Writes a leaderboard into ``reports/``: Markdown, CSV, charts."""

from __future__ import annotations

from pathlib import Path

from bench.report import charts, markdown, table
from bench.scoring.leaderboard import Leaderboard
from bench.store.atomic import write_text

LEADERBOARD = "leaderboard"


def write(board: Leaderboard, folder: Path) -> list[Path]:
    """Write every report of a leaderboard into a folder and return the files.

    Raises ``BenchError`` when the folder cannot be written.
    """
    texts = {
        folder / f"{LEADERBOARD}.md": markdown.leaderboard(board),
        folder / f"{LEADERBOARD}.csv": table.csv(board),
    }
    for path, text in texts.items():
        write_text(path, text)
    return [*texts, *charts.write_charts(board, folder)]
