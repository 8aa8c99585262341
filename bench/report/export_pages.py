"""Scores page by page as one tidy table: a line for each row, page, metric and figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from bench.report.table import inert
from bench.runs.store.runs import RunFolder
from bench.scoring.leaderboard import Leaderboard
from bench.scoring.scores import Scores
from bench.util.display import plain

_TEXTS = ("run", "gold", "page", "extractor", "version", "metric", "figure", "outcome")


def frame(
    run: RunFolder, board: Leaderboard, keys: Mapping[str, str], scores: Sequence[Scores]
) -> pd.DataFrame:
    """Return the table, rows in the order of the board; ``keys`` are the rows' keys by label.

    Columns ``run``, ``gold``, ``page``, ``extractor``, ``version``, ``metric``, ``figure``,
    ``value`` (NaN where the page leaves the mean), ``outcome``, ``wall_s`` and ``cpu_s`` (of the
    first repeat). ``f1`` is the page's own F1.
    """
    labels = [line.label for line in board.lines]
    versions = [line.version or "" for line in board.lines]
    usage = _usage(run)
    parts = []
    for each in scores:
        places = [each.place(keys[label]) for label in labels]
        shape = (len(labels), len(each.pages))
        index = pd.MultiIndex.from_product([[keys[label] for label in labels], each.pages])
        cost = usage.reindex(index)
        for name, figure in each.figures.items():
            parts.append(
                pd.DataFrame(
                    {
                        "page": _tiled(each.pages, shape),
                        "extractor": _repeated(labels, shape),
                        "version": _repeated(versions, shape),
                        "metric": _one(each.metric.name, shape),
                        "figure": _one(name, shape),
                        "value": figure.scores[places].ravel(),
                        "outcome": pd.Categorical(each.outcomes[places].ravel()),
                        "wall_s": cost["wall_s"].to_numpy(),
                        "cpu_s": cost["cpu_s"].to_numpy(),
                    }
                )
            )
    table = pd.concat(parts, ignore_index=True)
    table.insert(0, "run", run.id)
    table.insert(1, "gold", str(board.gold["name"]))
    return table.astype(dict.fromkeys(_TEXTS, "category"))


def csv(table: pd.DataFrame) -> str:
    """Return it as CSV; text that a spreadsheet would take for a formula is quoted."""
    shown = table.copy()
    for name in _TEXTS:
        own = shown[name]
        texts = [inert(plain(str(each))) for each in own.cat.categories]
        # By hand, because two names may become the same: a category may not.
        shown[name] = np.array([*texts, ""], object)[own.cat.codes]
    return str(shown.to_csv(index=False, lineterminator="\n"))


def _usage(run: RunFolder) -> pd.DataFrame:
    cells = run.cells()
    first = cells[cells["repeat"] == 0]
    return first.set_index(["row", "page"])[["wall_s", "cpu_s"]]


def _repeated(values: Sequence[str], shape: tuple[int, int]) -> pd.Categorical:
    """Return one value per row, for all of its pages; equal labels are one category."""
    codes, categories = pd.factorize(np.array(values, object))
    return _coded(np.repeat(codes, shape[1]), [str(each) for each in categories])


def _tiled(values: Sequence[str], shape: tuple[int, int]) -> pd.Categorical:
    return _coded(np.tile(np.arange(shape[1]), shape[0]), values)


def _one(value: str, shape: tuple[int, int]) -> pd.Categorical:
    return _coded(np.zeros(shape[0] * shape[1], np.int64), [value])


def _coded(codes: npt.NDArray[np.int64], categories: Sequence[str]) -> pd.Categorical:
    return pd.Categorical.from_codes(codes, pd.Index(list(categories), dtype=object))
