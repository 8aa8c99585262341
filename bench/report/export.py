"""A stored run in the forms that other programs read, and its charts as figures for papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from bench.report import export_pages, latex, markdown, table
from bench.runs.store.runs import RunFolder
from bench.scoring.leaderboard import Leaderboard
from bench.scoring.scores import Scores
from bench.util.atomic import replacing, write_json, write_text

TABLES = ("csv", "parquet", "json", "markdown", "latex")
FIGURES = ("svg", "pdf", "png")
FORMS = (*TABLES, *FIGURES)
"""What can be asked for."""

_LEADERBOARD, _PAGES = "leaderboard", "pages"


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
    written = []
    texts = {
        "csv": (f"{_LEADERBOARD}.csv", table.csv),
        "markdown": (f"{_LEADERBOARD}.md", markdown.leaderboard),
        "latex": (f"{_LEADERBOARD}.tex", latex.leaderboard),
    }
    for form in forms:
        if form in texts:
            name, made = texts[form]
            write_text(folder / name, made(board))
            written.append(folder / name)
    if "json" in forms:
        written.append(folder / f"{_LEADERBOARD}.json")
        write_json(written[-1], board.to_json())
    if "parquet" in forms:
        written.append(_parquet(table.frame(board), folder / f"{_LEADERBOARD}.parquet"))
    if {"csv", "parquet"} & set(forms):
        pages = export_pages.frame(run, board, keys, scores)
        if "csv" in forms:
            written.append(folder / f"{_PAGES}.csv")
            write_text(written[-1], export_pages.csv(pages))
        if "parquet" in forms:
            written.append(_parquet(pages, folder / f"{_PAGES}.parquet"))
    figures = [form for form in FIGURES if form in forms]
    if figures:
        # Imported here, because drawing takes a second to import.
        from bench.report import charts

        written += charts.write_charts(board, folder, figures)
    return written


def _parquet(made: pd.DataFrame, path: Path) -> Path:
    with replacing(path) as temporary:
        made.to_parquet(temporary, index=False, compression="zstd")
    return path
