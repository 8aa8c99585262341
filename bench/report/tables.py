"""The leaderboard, and scores page by page, as tables for spreadsheets and pandas."""

from __future__ import annotations

import csv as csv_files
import io
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import isnan
from typing import TYPE_CHECKING, Any

from bench.runs.store.runs import RunFolder
from bench.scoring.leaderboard import Leaderboard
from bench.util.display import plain

if TYPE_CHECKING:
    import pandas as pd

    from bench.scoring.scores import Scores

_COUNTS = dict.fromkeys(("rank", "beaten_by", "place", "place_by_page_f1"), "Int64")
_FIRST = ("rank", "letters", "place", "label", "name", "variant", "version", "kind")
_FORMULA = ("=", "+", "-", "@")
_TEXTS = ("run", "gold", "page", "extractor", "version", "metric", "figure", "outcome")


def leaderboard(board: Leaderboard) -> pd.DataFrame:
    """Return one line per row; ``f1_lo``, ``f1_hi`` and ``f1_se`` stand beside ``f1``, and so on."""
    import pandas as pd

    return pd.DataFrame(_lines(board)).astype({**_COUNTS, "best": "boolean"})


def leaderboard_csv(board: Leaderboard) -> str:
    """Return the same as CSV."""
    lines = _lines(board)
    return csv(lines[0], (line.values() for line in lines))


def _lines(board: Leaderboard) -> list[dict[str, Any]]:
    lines = []
    for row in board.to_json()["extractors"]:
        line = {key: row[key] for key in _FIRST}
        for name in board.metric.figures:
            line[name] = row[name]["value"]
            line.update({f"{name}_{part}": row[name][part] for part in ("se", "lo", "hi")})
        line.update({f"cells_{name}": n for name, n in row["outcomes"].items()})
        for metric in board.others:
            for name in metric.figures:
                line[f"{metric.name}_{name}"] = row["metrics"][metric.name][name]["value"]
        for name, value, more in (
            ("versus", "value", ("lo", "hi", "p_holm")),
            ("leak", "slope", ("lo", "hi")),
            ("abstention", "share", ("lo", "hi", "words")),
        ):
            facts = row[name] or {}
            line[name] = facts.get(value)
            line.update({f"{name}_{part}": facts.get(part) for part in more})
        skipped = {*line, *board.metric.figures, "outcomes", "metrics"}
        line.update({key: value for key, value in row.items() if key not in skipped})
        lines.append({k: plain(v) if isinstance(v, str) else v for k, v in line.items()})
    return lines


def pages(
    run: RunFolder, board: Leaderboard, keys: Mapping[str, str], scores: Sequence[Scores]
) -> pd.DataFrame:
    """Return one line per row, page, metric and figure, rows in the order of the board.

    Columns ``run``, ``gold``, ``page``, ``extractor``, ``version``, ``metric``, ``figure``,
    ``value`` (NaN where the page leaves the mean), ``outcome``, ``wall_s`` and ``cpu_s`` (of the
    first repeat). ``f1`` is the page's own F1. ``keys`` are the rows' keys by label.
    """
    import pandas as pd

    def category(values: Iterable[str]) -> Any:
        texts = list(values)
        return pd.Categorical(texts, list(dict.fromkeys(texts)))

    usage = run.cells("row", "page", "wall_s", "cpu_s", repeat=0).set_index(["row", "page"])
    rows = [keys[line.label] for line in board.lines]
    parts = []
    for scored in scores:
        places = [scored.place(row) for row in rows]
        cost = usage.reindex(pd.MultiIndex.from_product([rows, scored.pages]))
        facts = {
            "run": run.id,
            "gold": str(board.gold["name"]),
            "page": category([*scored.pages] * len(rows)),
            "extractor": category(line.label for line in board.lines for _ in scored.pages),
            "version": category(line.version or "" for line in board.lines for _ in scored.pages),
            "metric": scored.metric.name,
            "outcome": category(scored.outcomes[places].ravel()),
            "wall_s": cost["wall_s"].to_numpy(),
            "cpu_s": cost["cpu_s"].to_numpy(),
        }
        figures = {name: figure.by_page[places].ravel() for name, figure in scored.figures.items()}
        wide = pd.DataFrame({**facts, **figures})
        parts.append(wide.melt(list(facts), list(figures), "figure", "value"))
    table = pd.concat(parts, ignore_index=True).astype(dict.fromkeys(_TEXTS, "category"))
    return table[[*_TEXTS[:-1], "value", "outcome", "wall_s", "cpu_s"]]


def csv(columns: Iterable[object], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table as CSV; text that a spreadsheet would take for a formula is quoted."""
    inert = cache(_inert)
    file = io.StringIO()
    writer = csv_files.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        values = (inert(value) if isinstance(value, str) else value for value in row)
        writer.writerow(None if isinstance(v, float) and isnan(v) else v for v in values)
    return file.getvalue()


def _inert(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    line = plain(text)
    return f"'{line}" if line.startswith(_FORMULA) else line
