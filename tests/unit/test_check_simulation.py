"""What ``bench check`` promises, tried out through its own rules: few false alarms, and power.

On AEB's published outputs of trafilatura and readability. Data sets are drawn from its pages within
each bin of length, so that the slices stay what they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from bench.datasets import readers
from bench.datasets.card import Card
from bench.datasets.catalogue import DataSet
from bench.metrics.ngram import Ngram
from bench.scoring import page_slices, predictions, scores
from bench.scoring.compare import changes, regressions, row_scores
from bench.scoring.compare.baseline import Rules, rounded
from bench.scoring.compare.changes import Region, RegionChange
from bench.scoring.compare.row_scores import RowScores
from bench.scoring.compare.verdicts import Verdict
from bench.stats import slices
from bench.stats.bootstrap import Bootstrap

TRIALS = 200
METRIC = Ngram()
Columns = dict[str, np.ndarray]


class Aeb:
    """Two systems on AEB, and its slices by length."""

    def __init__(self, folder: Path) -> None:
        data_set = DataSet(Card("aeb", "AEB", "", "aeb"), readers.open_folder("aeb", folder))
        names = ("trafilatura", "readability")
        systems = [predictions.read(folder / "output" / f"{name}.json")[0] for name in names]
        (found,) = scores.of_predictions(systems, data_set, [METRIC])
        self.pages = len(data_set)
        self.one, self.other = (
            {name: values[at] for name, values in found.columns.items()} for at in (0, 1)
        )
        labels = page_slices.of(data_set, "length")
        self.bins = [np.flatnonzero(mask) for mask in slices.masks(labels).values()]
        self.regions = changes.regions(self.pages, {"length": labels})

    def drawn(self, generator: np.random.Generator) -> np.ndarray:
        """As many pages, drawn with replacement within each bin, in the bin's places."""
        places = np.empty(self.pages, int)
        for own in self.bins:
            places[own] = generator.choice(own, own.size)
        return places


@pytest.fixture(scope="module")
def aeb(shared: Path) -> Aeb:
    return Aeb(shared / "gold" / "aeb")


def side(columns: Mapping[str, np.ndarray]) -> RowScores:
    pages = len(next(iter(columns.values())))
    return rounded(RowScores("it", "1", np.full(pages, "ok", object), columns))


def alarms(
    before: Sequence[RowScores], after: Sequence[RowScores], where: Sequence[Region]
) -> list[list[RegionChange]]:
    """Return what each of many checks fails by; each is corrected for its own comparisons alone."""
    pages = [str(at) for at in range(where[0].pages.size)]
    table = changes.by_region(METRIC, pages, before, after, where, Bootstrap(2), permutations=2000)
    return [
        [each for each in regressions.verdicts(row, Rules()) if each.verdict is Verdict.WORSE]
        for row in table
    ]


def f1(columns: Mapping[str, np.ndarray]) -> float:
    pages = [str(at) for at in range(len(columns["tp"]))]
    return float(row_scores.joined(METRIC, pages, [side(columns)]).main.values()[0])


def lost(columns: Columns, share: np.ndarray) -> Columns:
    """Return counts after this share of each page's right text is lost."""
    tp, fp = columns["tp"] * (1 - share), columns["fp"]
    fn = columns["fn"] + columns["tp"] * share
    total = tp + fp + fn
    return {
        "tp": tp / total,
        "fp": fp / total,
        "fn": fn / total,
        "exact": np.where(share > 0, 0.0, columns["exact"]),
    }


def after_loss(
    columns: Columns, share: float, points: float, generator: np.random.Generator
) -> Columns:
    """Return counts after a loss of F1 by so many points, all of it on a share of the pages."""
    pages = len(columns["tp"])
    strength = generator.uniform(0.5, 1.5, pages)
    strength *= generator.permutation(pages) < round(share * pages)
    lo, hi = 0.0, 2.0
    for _ in range(40):
        middle = (lo + hi) / 2
        loss = f1(columns) - f1(lost(columns, np.clip(middle * strength, 0, 1)))
        lo, hi = (middle, hi) if loss < points / 100 else (lo, middle)
    return lost(columns, np.clip(lo * strength, 0, 1))


def power(aeb: Aeb, share: float, points: float, seed: int) -> float:
    """Return in how many of 200 data sets a loss is found."""
    generator = np.random.default_rng(seed)
    worse = after_loss(aeb.one, share, points, generator)
    draws = [aeb.drawn(generator) for _ in range(TRIALS)]
    before = [side({name: values[at] for name, values in aeb.one.items()}) for at in draws]
    after = [side({name: values[at] for name, values in worse.items()}) for at in draws]
    return float(np.mean([bool(each) for each in alarms(before, after, aeb.regions)]))


@pytest.mark.parametrize("share", [1.0, 0.2])
def test_null_changes_fail_in_at_most_one_of_twenty_checks(aeb: Aeb, share: float) -> None:
    """Outputs of two systems are dealt out at random, on all pages or some: none is the better."""
    generator = np.random.default_rng(17)
    before, after = [], []
    for _ in range(TRIALS):
        touched = generator.random(aeb.pages) < share
        deal = generator.random(aeb.pages) < 0.5
        swapped = {k: np.where(touched & deal, aeb.other[k], aeb.one[k]) for k in aeb.one}
        back = {k: np.where(touched & ~deal, aeb.other[k], aeb.one[k]) for k in aeb.one}
        before.append(side(swapped))
        after.append(side(back))
    failed = sum(bool(each) for each in alarms(before, after, aeb.regions))
    assert failed <= 0.05 * TRIALS


@pytest.mark.parametrize("share", [1.0, 0.1])
def test_a_loss_of_one_point_of_f1_is_found_nine_times_in_ten(aeb: Aeb, share: float) -> None:
    """Right text is lost on all pages, or on a tenth of them: one point of F1 on the whole."""
    assert power(aeb, share, 1.0, 23) >= 0.9


def test_a_loss_below_epsilon_is_none(aeb: Aeb) -> None:
    """A third of a point on all pages is told apart by every test, and nobody is stopped by it."""
    worse = after_loss(aeb.one, 1.0, 0.3, np.random.default_rng(5))
    table = changes.by_region(
        METRIC, ["p"] * aeb.pages, [side(aeb.one)], [side(worse)], aeb.regions
    )
    whole = regressions.verdicts(table[0], Rules())[0]
    assert whole.p is not None
    assert whole.p < 0.05
    assert whole.verdict is not Verdict.WORSE
    assert regressions.verdicts(table[0], Rules(epsilon=0.002))[0].verdict is Verdict.WORSE
