"""Real pairs of gold and extraction: the starter set always, AEB with published outputs if here."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from bench.metrics.base import Metric
from bench.model import Gold
from bench.scoring import predictions
from tests.conftest import ROOT

Pair = tuple[str, str]


def scored(metric: Metric, gold: str, text: str) -> tuple[float, ...]:
    """Return a metric's columns of one text."""
    (counts,) = metric.count(Gold(gold), None, [text])
    return tuple(counts)


def starter() -> list[Pair]:
    """Return the gold of some starter pages with all that their HTML has between its tags."""
    pages = ROOT / "gold" / "starter" / "pages"
    found = []
    for path in sorted(pages.glob("*.txt"))[::6]:
        html = path.with_suffix(".html").read_bytes().decode("utf-8", "replace")
        found.append((path.read_text(encoding="utf-8"), re.sub(r"<[^>]*>", " ", html)))
    return found


def aeb(folder: Path, count: int, most_cells: float, seed: int = 0) -> list[Pair]:
    """Return gold and published output of pages drawn at random, none too large."""
    gold = json.loads((folder / "ground-truth.json").read_text(encoding="utf-8"))
    systems = predictions.read(folder / "output")
    return list(_drawn(gold, systems, count, most_cells, random.Random(seed)))


def _drawn(
    gold: dict[str, dict[str, str]],
    systems: list[predictions.Predictions],
    count: int,
    most_cells: float,
    generator: random.Random,
) -> Iterator[Pair]:
    ids = sorted(gold)
    while count:
        page = generator.choice(ids)
        text = gold[page]["articleBody"]
        found = generator.choice(systems).texts.get(page, "")
        if len(text) * len(found) < most_cells:
            count -= 1
            yield text, found
