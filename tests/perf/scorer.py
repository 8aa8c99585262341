"""Scoring published outputs: ours against AEB's own script, as whole commands and without starts.

``tests/perf/aeb`` holds that script as its authors published it (revision 4a3bc97, MIT). It
computes four figures of each system, and their standard deviations over 1,000 resamples. Ours
computes these and two more, intervals (from the influence of each page: no resamples), all
comparisons of two systems, and ranks.
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
from tests.perf.aeb import evaluate
from tests.perf.clock import Clock
from tests.perf.table import Measurement

_TIMES = 3
_FASTER = 10.0
_RESAMPLES = 1000
_SAME = {"precision": "precision", "recall": "recall", "f1": "f1", "exact": "accuracy"}
"""Our figures, and what the script calls them."""

Took = tuple[float, float]
"""Seconds, and CPU seconds."""


def measure(aeb: Path) -> list[Measurement]:
    """Score every prediction file both ways."""
    with tempfile.TemporaryDirectory(prefix="bench-perf-") as temporary:
        return [*_whole_commands(aeb, Path(temporary)), _without_starts(aeb)]


def _whole_commands(aeb: Path, here: Path) -> list[Measurement]:
    bench = [sys.executable, "-m", "bench.cli.main"]
    environment = {**os.environ, "BENCH_HOME": str(here / "home")}
    _called([*bench, "gold", "add", "aeb", "--from", aeb], env=environment)
    command = [*bench, "score", "--predictions", aeb / "output", "--gold", "aeb", "--json"]
    _called(command, env=environment)  # which leaves bytecode for the others
    printed, took = zip(*(_called(command, env=environment) for _ in range(_TIMES)), strict=True)
    script = [sys.executable, evaluate.__file__, "--output", here / "theirs.json", "--n-bootstrap"]
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
            f"whole command to score {len(lines)} outputs", min(took), theirs,
            f"; with one resample it takes {once[0]:.1f} s",
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
    clock = Clock()
    gold = evaluate.load_json(aeb / "ground-truth.json")
    for path in sorted((aeb / "output").glob("*.json")):
        evaluate.evaluate(gold, evaluate.load_prediction(path)[0], _RESAMPLES)
    theirs = clock.wall_s, clock.cpu_s
    return _compared("the same without start and imports", min(ours), theirs)


def _compared(what: str, ours: Took, theirs: Took, more: str = "") -> Measurement:
    wall, cpu = (slow / quick for slow, quick in zip(theirs, ours, strict=True))
    return Measurement(
        f"{what}: figures, intervals, all comparisons",
        f"{ours[0]:.2f} s; AEB's script, with {_RESAMPLES:,} resamples, {theirs[0]:.1f} s: "
        f"{wall:.1f} times faster (CPU {cpu:.1f} times){more}",
        f"at least {_FASTER:.0f} times",
        wall >= _FASTER,
    )
