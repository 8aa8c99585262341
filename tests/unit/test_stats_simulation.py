"""What the statistics promise, tried out: coverage, false alarms, power."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.datasets import readers
from bench.datasets.card import Card
from bench.datasets.catalogue import DataSet
from bench.metrics.ngram import Ngram
from bench.scoring import predictions, scores
from bench.stats import holm, paired
from bench.stats.bootstrap import Bootstrap
from bench.stats.figure import Figure
from bench.stats.paired import Difference

AEB_PAGES = 181
TRIALS = 200
Systems = dict[str, tuple[np.ndarray, np.ndarray]]
"""Precision and recall by page."""


@pytest.fixture(scope="module")
def aeb(shared: Path) -> Systems:
    """Two systems of AEB's published outputs, scored."""
    folder = shared / "gold" / "aeb"
    data_set = DataSet(Card("aeb", "AEB", "", "aeb"), readers.open_folder("aeb", folder))
    names = ("trafilatura", "readability")
    systems = [predictions.read(folder / "output" / f"{name}.json")[0] for name in names]
    (found,) = scores.of_predictions(systems, data_set, [Ngram()])
    precision, recall = found.main.parts
    return {name: (precision[at], recall[at]) for at, name in enumerate(names)}


def f1_of(precision: np.ndarray, recall: np.ndarray) -> Figure:
    precision_or_0 = np.nan_to_num(precision)
    total = precision_or_0 + recall
    page_f1 = 2 * precision_or_0 * recall / np.where(total > 0, total, 1)
    return Figure((precision, recall), page_f1)


def verdicts(
    before: tuple[np.ndarray, np.ndarray], after: tuple[np.ndarray, np.ndarray], seed: int
) -> list[Difference]:
    """One comparison on each of many data sets drawn from these pages, as many pages each.

    Every data set is a pair of rows, so that one call does them all: the chances are the same.
    """
    pages = before[0].size
    drawn = np.random.default_rng(seed).integers(0, pages, (TRIALS, pages))
    rows = [
        np.concatenate([old[drawn], new[drawn]]) for old, new in zip(before, after, strict=True)
    ]
    pairs = [(trial, TRIALS + trial) for trial in range(TRIALS)]
    return paired.differences(f1_of(*rows), pairs, Bootstrap(300), permutations=2000)


def found(differences: list[Difference]) -> float:
    """Share of comparisons, each by itself, that told the rows apart."""
    return float(np.mean([each.p is not None and each.p < paired.ALPHA for each in differences]))


def test_the_interval_of_a_difference_holds_the_truth_as_often_as_it_says() -> None:
    """Coverage of the difference of two F1, by simulation: 95 % within 93 to 97 %."""
    trials, generator = 1000, np.random.default_rng(31)

    def sample(size: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        ease = generator.beta(5, 1, size)  # what makes a page hard is hard for both
        systems = [
            (ease * generator.beta(a, 1, size), ease ** generator.gamma(2, b, size))
            for a, b in ((12, 0.4), (9, 0.5))
        ]
        precision, recall = (np.concatenate(each) for each in zip(*systems, strict=True))
        silent = generator.random(precision.shape) < 0.03
        return np.where(silent, np.nan, precision), np.where(silent, 0.0, recall)

    one, other = f1_of(*sample((1, 2_000_000))).values()
    truth = one - other
    pairs = [(trial, trials + trial) for trial in range(trials)]
    figure = f1_of(*sample((trials, AEB_PAGES)))
    held = [
        each.lo <= truth <= each.hi
        for each in paired.differences(figure, pairs, permutations=100)
        if each.lo is not None and each.hi is not None
    ]
    assert len(held) == trials
    assert 0.93 <= np.mean(held) <= 0.97


def most(trials: int) -> float:
    """Return the largest share of alarms that a true rate of 5 % gives: three standard errors."""
    return float(paired.ALPHA + 3 * np.sqrt(paired.ALPHA * (1 - paired.ALPHA) / trials))


@pytest.mark.parametrize(("comparisons", "rounds"), [(1, 20), (10, 5)])
def test_null_changes_raise_false_alarms_as_seldom_as_they_say(
    comparisons: int, rounds: int
) -> None:
    """Real noise, no difference: the chance of any alarm in a table stays at 5 %.

    The p-value is exact, so one comparison alone has 5 %, not less: thousands of null changes are
    needed to see that it is not more; out of 200 as many as 15 alarms would be no surprise.
    """
    generator, alarms, rows = np.random.default_rng(8), 0, comparisons + 1
    pairs = [(t * rows, t * rows + c) for t in range(TRIALS) for c in range(1, rows)]
    for _ in range(rounds):
        hard = generator.beta(4, 1, (TRIALS, 1, AEB_PAGES))
        noise = generator.normal(0, 0.1, (2, TRIALS, rows, AEB_PAGES))
        figure = f1_of(*np.clip(hard + noise, 0.01, 1).reshape(2, -1, AEB_PAGES))
        each = paired.differences(figure, pairs, Bootstrap(2), permutations=1000)
        tables = np.array([one.p for one in each], float).reshape(TRIALS, comparisons)
        alarms += sum(bool(np.any(holm.adjust(table) < paired.ALPHA)) for table in tables)
    assert alarms / (rounds * TRIALS) <= most(rounds * TRIALS)


def test_null_changes_of_real_systems_raise_few_false_alarms(aeb: Systems) -> None:
    """Pages of two very different systems, dealt out at random: alike by construction."""
    trials, one, other = 4000, aeb["trafilatura"], aeb["readability"]
    deal = np.random.default_rng(3).random((trials, AEB_PAGES)) < 0.5
    rows = [
        np.concatenate([np.where(deal, a, b), np.where(deal, b, a)])
        for a, b in zip(one, other, strict=True)
    ]
    pairs = [(trial, trials + trial) for trial in range(trials)]
    each = paired.differences(f1_of(*rows), pairs, Bootstrap(2), permutations=1000)
    assert 0.03 <= found(each) <= most(trials)


@pytest.mark.parametrize("share", [1.0, 0.25, 0.1])
def test_a_change_of_one_point_of_f1_is_found_on_aeb(aeb: Systems, share: float) -> None:
    """Text is lost on all pages, a quarter, a tenth: 1 point of F1 on the whole each time."""
    precision, recall = aeb["trafilatura"]
    generator = np.random.default_rng(12)
    hit = generator.permutation(AEB_PAGES) < round(share * AEB_PAGES)
    strength = generator.uniform(0.5, 1.5, AEB_PAGES) * hit

    def lost(size: float) -> np.ndarray:
        return np.clip(recall * (1 - size * strength), 0, 1)

    def worse(size: float) -> float:
        before, after = f1_of(np.stack([precision] * 2), np.stack([recall, lost(size)])).values()
        return float(before - after)

    sizes = np.linspace(0, 1, 4001)
    size = sizes[np.argmin([abs(worse(each) - 0.01) for each in sizes])]
    assert worse(size) == pytest.approx(0.01, abs=0.0005)
    assert found(verdicts((precision, recall), (precision, lost(size)), 5)) >= 0.9


def test_what_is_detectable_is_detected_as_often_as_it_says(aeb: Systems) -> None:
    """The difference said to be found at 80 % power is, by simulation, on real outputs."""
    one, other = aeb["trafilatura"], aeb["readability"]
    pair = f1_of(*(np.stack(each) for each in zip(one, other, strict=True)))
    known = paired.compare(pair)
    size, now = known.detectable(), known.value
    assert size is not None
    assert now is not None
    # Move the recall of one until the true difference is that size; pages keep their noise.
    sizes = np.linspace(-0.2, 0.2, 2001)
    differences = [
        float(np.subtract(*f1_of(pair.parts[0], np.stack([one[1] + s, other[1]])).values()))
        for s in sizes
    ]
    shift = sizes[np.argmin(np.abs(np.array(differences) - size))]
    power = found(verdicts((one[0], one[1] + shift), other, 6))
    assert 0.7 <= power <= 0.9
