"""Reports as files: those beside a run, and those that other programs read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.report import leaderboard, markdown, tables
from bench.report.forms import FIGURES
from bench.runs.store.runs import RunFolder
from bench.scoring.leaderboard import Leaderboard
from bench.scoring.scores import Scores
from bench.util.atomic import replacing, write_json, write_text

if TYPE_CHECKING:
    import pandas as pd

_TEXTS: Mapping[str, tuple[str, Callable[[Leaderboard], str]]] = {
    "markdown": ("leaderboard.md", lambda board: markdown.render(leaderboard.document(board))),
    "csv": ("leaderboard.csv", lambda board: tables.csv(tables.leaderboard(board))),
    "latex": ("leaderboard.tex", leaderboard.latex),
}


def write_reports(board: Leaderboard, folder: Path) -> list[Path]:
    """Write a leaderboard as Markdown, CSV, JSON and charts into a folder and return the files.

    Files that show this very leaderboard already are left as they are. Raises ``BenchError`` when
    the folder cannot be written.
    """
    kept = _kept(board, folder)
    if kept:
        return kept
    # Imported here, because drawing takes a second to import and is often not needed.
    from bench.report import charts

    files = [_text(form, board, folder) for form in ("markdown", "csv")]
    files += charts.write_charts(board, folder)
    # Last: it says that the others are whole.
    shown = folder / "leaderboard.json"
    write_json(shown, {"files": [path.name for path in files], **board.to_json()})
    return [*files, shown]


def _kept(board: Leaderboard, folder: Path) -> list[Path]:
    """Return the files of this very leaderboard, if they are all there."""
    shown = folder / "leaderboard.json"
    try:
        content = json.loads(shown.read_text(encoding="utf-8"))
        files = [folder / name for name in content.pop("files")]
    except (OSError, ValueError, LookupError, AttributeError):
        return []
    same = content == json.loads(json.dumps(board.to_json()))
    return [*files, shown] if same and all(path.is_file() for path in files) else []


def write(
    forms: Sequence[str],
    run: RunFolder,
    board: Leaderboard,
    keys: Mapping[str, str],
    scores: Sequence[Scores],
    folder: Path,
) -> list[Path]:
    """Write a run in these forms and return the files; ``keys`` are the rows' keys by label.

    The leaderboard in every form of ``TABLES``, beside it as CSV and Parquet the scores page by
    page; the charts in the forms of ``FIGURES``. Raises ``BenchError`` where the folder cannot be
    written.
    """
    files = [_text(form, board, folder) for form in forms if form in _TEXTS]
    if "json" in forms:
        files.append(folder / "leaderboard.json")
        write_json(files[-1], board.to_json())
    if "parquet" in forms:
        files.append(_parquet(tables.leaderboard(board), folder / "leaderboard.parquet"))
    if {"csv", "parquet"} & set(forms):
        pages = tables.pages(run, board, keys, scores)
        if "csv" in forms:
            files.append(folder / "pages.csv")
            write_text(files[-1], tables.csv(pages))
        if "parquet" in forms:
            files.append(_parquet(pages, folder / "pages.parquet"))
    figures = [form for form in FIGURES if form in forms]
    if figures:
        # Imported here, because drawing takes a second to import.
        from bench.report import charts

        files += charts.write_charts(board, folder, figures)
    return files


def _text(form: str, board: Leaderboard, folder: Path) -> Path:
    name, text = _TEXTS[form]
    write_text(folder / name, text(board))
    return folder / name


def _parquet(table: pd.DataFrame, path: Path) -> Path:
    with replacing(path) as temporary:
        table.to_parquet(temporary, index=False, compression="zstd")
    return path
