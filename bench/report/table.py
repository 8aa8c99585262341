"""The leaderboard as a table for spreadsheets and pandas."""

from __future__ import annotations

import pandas as pd

from bench.scoring.leaderboard import Leaderboard
from bench.util.display import plain

_FIRST = ("rank", "letters", "place", "label", "name", "variant", "version", "kind")
_FORMULA = ("=", "+", "-", "@")


def frame(board: Leaderboard) -> pd.DataFrame:
    """Return one line per row; ``f1_lo``, ``f1_hi`` and ``f1_std`` stand beside ``f1``, and so on."""
    lines = []
    for each in board.to_json()["extractors"]:
        line = {key: each[key] for key in _FIRST}
        for name in board.metric.figures:
            line[name] = each[name]["value"]
            line.update({f"{name}_{part}": each[name][part] for part in ("std", "lo", "hi")})
        line.update({f"cells_{name}": n for name, n in each["outcomes"].items()})
        for metric in board.others:
            for name in metric.figures:
                line[f"{metric.name}_{name}"] = each["metrics"][metric.name][name]["value"]
        skipped = {*line, *board.metric.figures, "outcomes", "metrics"}
        line.update({key: value for key, value in each.items() if key not in skipped})
        lines.append({k: plain(v) if isinstance(v, str) else v for k, v in line.items()})
    return pd.DataFrame(lines).astype({"rank": "Int64", "place": "Int64"})


def csv(board: Leaderboard) -> str:
    """Return the table as CSV; text that a spreadsheet would take for a formula is quoted."""
    table = frame(board)
    for name in table.columns:
        if not pd.api.types.is_numeric_dtype(table[name]):
            table[name] = table[name].map(lambda v: inert(v) if isinstance(v, str) else v)
    return str(table.to_csv(index=False, lineterminator="\n"))


def inert(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text
