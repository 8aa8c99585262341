"""Scoring published outputs: ours against AEB's own script, and against the same in plain Python.

``AEB_SCRIPT`` names ``evaluate.py`` of AEB's repository, which is not here: without it, our plain
way is what is compared with. Both compute four figures of each system, and their standard deviations
over 1,000 resamples. Ours computes these and two more, intervals (from the influence of each page:
no resamples), all comparisons of two systems, and ranks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.datasets import readers
from bench.datasets.card import Card
from bench.datasets.catalogue import DataSet
from bench.metrics.ngram import Ngram
from bench.scoring import predictions, ranking, scores
from tests.perf import reference_scorer
from tests.perf.clock import Clock
from tests.perf.table import Measurement

SCRIPT = "AEB_SCRIPT"
_TIMES = 3
_FASTER, _FASTER_THAN_PLAIN = 10.0, 5.0
_RESAMPLES = 1000
_SAME = {"precision": "precision", "recall": "recall", "f1": "f1", "exact": "accuracy"}
"""Our figures, and what the script calls them."""

Took = tuple[float, float]
"""Seconds, and CPU seconds."""


def measure(aeb: Path) -> list[Measurement]:
    """Score every prediction file both ways."""
    measurements = [_without_starts(aeb)]
    if script := os.environ.get(SCRIPT):
        with tempfile.TemporaryDirectory(prefix="bench-perf-") as temporary:
            measurements += _whole_commands(aeb, Path(script), Path(temporary))
    return measurements


def _whole_commands(aeb: Path, evaluate: Path, here: Path) -> list[Measurement]:
    bench = [sys.executable, "-m", "bench.cli.main"]
    environment = {
        **os.environ,
        "BENCH_HOME": str(here / "home"),
        "PYTHONDONTWRITEBYTECODE": "",  # modules are compiled once, as where it is installed
    }
    _called([*bench, "gold", "add", "aeb", "--from", aeb], env=environment)
    command = [*bench, "score", "--predictions", aeb / "output", "--gold", "aeb", "--json"]
    _called(command, env=environment)  # which leaves bytecode for the others
    printed, took = zip(*(_called(command, env=environment) for _ in range(_TIMES)), strict=True)
    script = [sys.executable, evaluate.resolve(), "--output", here / "theirs.json", "--n-bootstrap"]
    _, once = _called([*script, "1"], cwd=aeb)
    _, theirs = _called([*script, str(_RESAMPLES)], cwd=aeb)
    lines = {line["name"]: line for line in json.loads(printed[0])["extractors"]}
    published = json.loads((here / "theirs.json").read_text(encoding="utf-8"))
    worst = max(
        abs(lines[name][figure]["value"] - figures[called])
        for name, figures in published.items()
        for figure, called in _SAME.items()
    )
    return [
        _compared(
            f"whole command to score {len(lines)} outputs", min(took),
            f"AEB's script ({once[0]:.1f} s with one resample)", theirs, _FASTER,
        ),
        Measurement("largest difference of a figure", f"{worst:.1e}", "below 1e-9", worst < 1e-9),
    ]  # fmt: skip


def _called(command: list[str | Path], **where: object) -> tuple[bytes, Took]:
    clock = Clock()
    done = subprocess.run(command, check=True, capture_output=True, **where)
    return done.stdout, (clock.wall_s, clock.cpu_s)


def _without_starts(aeb: Path) -> Measurement:
    ours = []
    for _ in range(_TIMES):
        clock = Clock()
        reader = readers.open_folder("aeb", aeb)
        data_set = DataSet(Card("aeb", "AEB", "", "aeb", counts_words=True), reader)
        systems = predictions.read(aeb / "output")
        scored = scores.of_predictions(systems, data_set, [Ngram()])
        ranking.of_predictions(systems, data_set, scored)
        ours.append((clock.wall_s, clock.cpu_s))
    gold = {page_id: data_set.gold(page_id).text or "" for page_id in data_set.ids}
    clock = Clock()
    reference_scorer.score(gold, {own.name: own.texts for own in systems}, _RESAMPLES)
    theirs = clock.wall_s, clock.cpu_s
    what = f"score {len(systems)} outputs, start and imports left out"
    return _compared(what, min(ours), "the plain way", theirs, _FASTER_THAN_PLAIN)


def _compared(what: str, ours: Took, with_what: str, theirs: Took, promised: float) -> Measurement:
    wall, cpu = (slow / quick for slow, quick in zip(theirs, ours, strict=True))
    return Measurement(
        f"{what}: figures, intervals, all comparisons",
        f"{ours[0]:.2f} s; {with_what}, with {_RESAMPLES:,} resamples, {theirs[0]:.1f} s: "
        f"{wall:.1f} times faster (CPU {cpu:.1f} times)",
        f"at least {promised:.0f} times",
        wall >= promised,
    )
