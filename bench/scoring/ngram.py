"""Scores a run's texts, or predictions, with the 4-gram scorer: one row of counts per cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from bench.gold.catalogue import DataSet
from bench.metrics import figures, shingles
from bench.metrics.figures import PageCounts, PageFigures
from bench.metrics.shingles import GoldShingles
from bench.model import BenchError, Outcome
from bench.scoring.predictions import Predictions
from bench.store import schema
from bench.store.runs import RunFolder

_SCORER = "1"
"""Goes up whenever tokens, shingles or counts come out differently: older scores are not used."""

_Line = tuple[str, str, str, float, float, float, bool]
COLUMNS = ("row", "page", "outcome", "tp", "fp", "fn", "exact")

Told = Callable[[int], None]
"""Told how many pages are done."""


def score_run(
    run: RunFolder, data_set: DataSet, n: int = shingles.N, told: Told = lambda _: None
) -> pd.DataFrame:
    """Return the counts of every cell of a run (its first repeat), columns as ``COLUMNS``.

    Texts of one page are scored together, so that its gold is prepared once.
    """
    cells = run.cells()
    cells = cells[cells["repeat"] == 0]
    if cells.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    texts = run.texts(set(cells["text_hash"]))
    by_page = dict(iter(cells.groupby("page", sort=False)))
    lines: list[_Line] = []
    for done, page_id in enumerate(data_set.ids, 1):
        gold = GoldShingles(_gold_text(data_set, page_id), n)
        known: dict[str, shingles.PageScore] = {}
        for row, outcome, name in by_page[page_id][["row", "outcome", "text_hash"]].itertuples(
            index=False
        ):
            if name not in known:
                known[name] = gold.score(texts[name])
            lines.append(_line(row, page_id, outcome, known[name]))
        told(done)
    return _sorted(lines, data_set, list(dict.fromkeys(cells["row"])))


def score_predictions(
    systems: Sequence[Predictions],
    data_set: DataSet,
    n: int = shingles.N,
    told: Told = lambda _: None,
) -> pd.DataFrame:
    """Return the counts of each system on every page; a page without output is the empty text.

    Raises ``BenchError`` when a system's page ids have nothing in common with the data set's.
    """
    ids = set(data_set.ids)
    for system in systems:
        if not ids & set(system.texts):
            example = next(iter(system.texts), "none")
            raise BenchError(
                f"{system.name}: none of its pages are in {data_set.name} (it has, for example, "
                f"{example!r}); give the data set that it was made on with --gold"
            )
    lines: list[_Line] = []
    for done, page_id in enumerate(data_set.ids, 1):
        gold = GoldShingles(_gold_text(data_set, page_id), n)
        for system in systems:
            text = system.texts.get(page_id, "")
            outcome = Outcome.OK if text.strip() else Outcome.EMPTY
            lines.append(_line(system.name, page_id, outcome, gold.score(text)))
        told(done)
    return _sorted(lines, data_set, [system.name for system in systems])


def write(run: RunFolder, scores: pd.DataFrame, n: int) -> None:
    """Keep the scores with the run, as ``scores/ngram.parquet`` (``ngram-N`` for another n)."""
    run.write_scores(_name(n), scores, schema.NGRAM_SCORES, _SCORER)


def kept(run: RunFolder, n: int) -> pd.DataFrame | None:
    """Return the scores kept with the run; None if there are none, or an older scorer's."""
    return run.scores(_name(n), _SCORER)


def _name(n: int) -> str:
    return "ngram" if n == shingles.N else f"ngram-{n}"


def arrays(scores: pd.DataFrame, rows: Sequence[str], pages: Sequence[str]) -> PageFigures:
    """Return the figures of each page: arrays of shape (rows, pages) in the orders given."""
    frame = scores.set_index(["row", "page"]).loc[pd.MultiIndex.from_product([rows, pages])]
    shape = (len(rows), len(pages))

    def column(name: str) -> figures.Floats:
        return frame[name].to_numpy(np.float64).reshape(shape)

    failed = frame["outcome"].map(lambda o: Outcome(o).failed).to_numpy(bool).reshape(shape)
    return figures.per_page(
        PageCounts(
            column("tp"),
            column("fp"),
            column("fn"),
            frame["exact"].to_numpy(bool).reshape(shape),
            failed,
        )
    )


def _gold_text(data_set: DataSet, page_id: str) -> str:
    text = data_set.read(page_id).gold.text
    if text is None:
        raise BenchError(f"{data_set.name} has no full gold text for page {page_id}")
    return text


def _line(row: str, page_id: str, outcome: str, score: shingles.PageScore) -> _Line:
    return (row, page_id, str(outcome), *score.counts, score.exact)


def _sorted(lines: list[_Line], data_set: DataSet, rows: list[str]) -> pd.DataFrame:
    places = {name: place for place, name in enumerate(rows)}
    pages = {name: place for place, name in enumerate(data_set.ids)}
    lines.sort(key=lambda line: (places[line[0]], pages[line[1]]))
    return pd.DataFrame.from_records(lines, columns=list(COLUMNS))
