"""Reports as files: those beside a run, and those that other programs read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.report import bibtex, leaderboard, markdown, tables
from bench.report.forms import FIGURES
from bench.runs.store.runs import RunFolder
from bench.scoring.leaderboard import Leaderboard
from bench.util.atomic import replacing, write_json, write_text

if TYPE_CHECKING:
    import pandas as pd

    from bench.scoring.scores import Scores

_TEXTS: Mapping[str, tuple[str, Callable[[Leaderboard], str]]] = {
    "markdown": ("leaderboard.md", lambda board: markdown.render(leaderboard.document(board))),
    "csv": ("leaderboard.csv", tables.leaderboard_csv),
    "latex": ("leaderboard.tex", leaderboard.latex),
}


def write_reports(board: Leaderboard, folder: Path) -> list[Path]:
    """Write a leaderboard as Markdown, CSV and JSON into a folder and return the files.

    Raises ``BenchError`` when the folder cannot be written.
    """
    files = [_text(form, board, folder) for form in ("markdown", "csv")]
    return [*files, _json(board, folder)]


def write(
    forms: Sequence[str],
    run: RunFolder,
    board: Leaderboard,
    keys: Mapping[str, str],
    scores: Sequence[Scores],
    citation: str,
    folder: Path,
) -> list[Path]:
    """Write a run in these forms and return the files; ``keys`` are the rows' keys by label.

    ``citation`` is how its data set is to be cited.

    The leaderboard in every form of ``TABLES``, beside it as CSV and Parquet the scores page by
    page; the charts in the forms of ``FIGURES``. Raises ``BenchError`` where the folder cannot be
    written.
    """
    files = [_text(form, board, folder) for form in forms if form in _TEXTS]
    if "latex" in forms:
        files.append(folder / "leaderboard.bib")
        write_text(files[-1], bibtex.render(board, run.manifest.rows, citation))
    if "json" in forms:
        files.append(_json(board, folder))
    if "parquet" in forms:
        files.append(_parquet(tables.leaderboard(board), folder / "leaderboard.parquet"))
    if {"csv", "parquet"} & set(forms):
        pages = tables.pages(run, board, keys, scores)
        if "csv" in forms:
            files.append(folder / "pages.csv")
            write_text(files[-1], tables.csv(pages, pages.itertuples(index=False, name=None)))
        if "parquet" in forms:
            files.append(_parquet(pages, folder / "pages.parquet"))
    if figures := [form for form in FIGURES if form in forms]:
        # Imported here, because drawing takes a second to import.
        from bench.report.charts.write import write_charts

        files += write_charts(board, folder, figures)
    return files


def _text(form: str, board: Leaderboard, folder: Path) -> Path:
    name, text = _TEXTS[form]
    write_text(folder / name, text(board))
    return folder / name


def _json(board: Leaderboard, folder: Path) -> Path:
    write_json(folder / "leaderboard.json", board.to_json())
    return folder / "leaderboard.json"


def _parquet(table: pd.DataFrame, path: Path) -> Path:
    with replacing(path) as temporary:
        table.to_parquet(temporary, index=False, compression="zstd")
    return path
