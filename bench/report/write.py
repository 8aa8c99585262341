"""Writes a leaderboard into a folder: Markdown, CSV, JSON, charts."""

from __future__ import annotations

import json
from pathlib import Path

from bench.report import markdown, table
from bench.scoring.leaderboard import Leaderboard
from bench.util.atomic import write_json, write_text

LEADERBOARD = "leaderboard"


def write(board: Leaderboard, folder: Path) -> list[Path]:
    """Write every report of a leaderboard into a folder and return the files.

    Files that show this very leaderboard already are left as they are. Raises ``BenchError`` when
    the folder cannot be written.
    """
    kept = _kept(board, folder)
    if kept:
        return kept
    # Imported here, because drawing takes a second to import and is often not needed.
    from bench.report import charts

    texts = {
        folder / f"{LEADERBOARD}.md": markdown.leaderboard(board),
        folder / f"{LEADERBOARD}.csv": table.csv(board),
    }
    for path, text in texts.items():
        write_text(path, text)
    files = [*texts, *charts.write_charts(board, folder)]
    # Last: it says that the others are whole.
    shown = folder / f"{LEADERBOARD}.json"
    write_json(shown, {"files": [path.name for path in files], **board.to_json()})
    return [*files, shown]


def _kept(board: Leaderboard, folder: Path) -> list[Path]:
    """Return the files of this very leaderboard, if they are all there."""
    shown = folder / f"{LEADERBOARD}.json"
    try:
        there = json.loads(shown.read_text(encoding="utf-8"))
        files = [folder / name for name in there.pop("files")]
    except (OSError, ValueError, LookupError, AttributeError):
        return []
    same = there == json.loads(json.dumps(board.to_json()))
    return [*files, shown] if same and all(path.is_file() for path in files) else []
