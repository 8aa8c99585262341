"""Scoring published outputs: ours against the plain way, in one process, same figures."""

from __future__ import annotations

import time
from pathlib import Path

from bench.datasets import readers
from bench.datasets.card import Card
from bench.datasets.catalogue import DataSet
from bench.metrics.ngram import Ngram
from bench.scoring import predictions, ranking, scores
from tests.perf import reference_scorer
from tests.perf.table import Measurement

_RESAMPLES = 1000
_TIMES = 5.0


def measure(aeb: Path) -> list[Measurement]:
    """Score every prediction file both ways."""
    began = time.perf_counter()
    data_set = DataSet(
        Card("aeb", "AEB", "", "aeb", counts_words=True), readers.open_folder("aeb", aeb)
    )
    systems = predictions.read(aeb / "output")
    found = scores.of_predictions(systems, data_set, [Ngram()])
    board = ranking.of_predictions(systems, data_set, found)
    ours_s = time.perf_counter() - began

    gold = {item.page.id: item.gold.text or "" for item in data_set}
    began = time.perf_counter()
    plain = reference_scorer.score(gold, {s.name: s.texts for s in systems}, _RESAMPLES)
    plain_s = time.perf_counter() - began

    worst = max(
        abs(line.figures[name].shown - plain[line.name][name])
        for line in board.lines
        for name in ("precision", "recall", "f1", "accuracy")
    )
    ratio = plain_s / ours_s
    return [
        Measurement(
            f"score {len(systems)} outputs (plain way: {_RESAMPLES} resamples)",
            f"{ours_s:.2f} s, plain way {plain_s:.1f} s: {ratio:.1f} times faster",
            f"at least {_TIMES:.0f} times",
            ratio >= _TIMES,
        ),
        Measurement("largest difference of a figure", f"{worst:.1e}", "below 1e-9", worst < 1e-9),
    ]
