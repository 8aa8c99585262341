"""How often intervals hold the true value, tests alarm in vain, and checks find what they should.

Real scores of real pages are taken for the whole population, whose figures are then known. Many
data sets are drawn from it, each a row of one ``Figure``, so that one call judges them all.
``python -m tests.nightly.simulations AEB_FOLDER`` prints the tables of docs/statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

import bench
from bench.datasets import readers
from bench.datasets.card import Card
from bench.datasets.catalogue import DataSet
from bench.metrics.ngram import Ngram
from bench.scoring import page_slices, predictions, scores
from bench.scoring.compare import changes, regressions
from bench.scoring.compare.baseline import AcceptedRow
from bench.scoring.compare.changes import Region
from bench.scoring.compare.regressions import RowChecked
from bench.scoring.compare.row_scores import RowScores
from bench.scoring.compare.rules import Rules
from bench.scoring.scores import Scores
from bench.stats import groups, paired
from bench.stats.estimate import ALPHA, MARGIN, MIN_PAGES, detectable
from bench.stats.figure import Figure, estimates, standard_errors

Floats = npt.NDArray[np.float64]
Columns = Mapping[str, Floats]

SEED = 20200101
SIZES = (20, 60, 181)
BOARDS = (2, 4, 8)
"""Rows of a leaderboard that gives advice."""
GOOD = 0.9
"""F1 from which on a row is a good one."""
METRIC = Ngram()
ROWS = ("trafilatura", "readability", "justext", "boilerpy3", "goose3", "xpath")
"""What runs where nobody has published outputs: rows of the main environment."""


@dataclass(frozen=True)
class Population:
    """The scores of real systems on the pages of a data set."""

    name: str
    scores: Scores
    lengths: Sequence[str | None]
    """The slice by length of each page."""

    @property
    def figure(self) -> Figure:
        """F1."""
        return self.scores.figures["f1"]

    @property
    def regions(self) -> list[Region]:
        """All pages, and slices by length."""
        return changes.regions(len(self.scores.pages), {"length": self.lengths})

    def drawn(self, row: int, places: npt.NDArray[np.int64]) -> Figure:
        """Return data sets drawn from a row's pages: ``places`` has shape (data sets, pages)."""
        precision, recall = self.figure.parts
        return Figure(
            (precision[row][places], recall[row][places]), self.figure.by_page[row][places]
        )


def of_aeb(folder: Path) -> Population:
    """Return the population of AEB's published outputs, from a copy of its repository."""
    card = Card("aeb", "AEB", "", "aeb", counts_words=True)
    data_set = DataSet(card, readers.open_folder("aeb", folder))
    (scored,) = scores.of_predictions(predictions.read(folder / "output"), data_set, [METRIC])
    return Population("aeb", scored, page_slices.of(data_set, "length"))


def of_run(run: bench.Run) -> Population:
    """Return the population of a run of our own."""
    name = run.data_set.name
    return Population(name, run.scored[0], page_slices.of(run.data_set, "length"))


# -- intervals ------------------------------------------------------------------------------------

Limits = Callable[[Figure, np.random.Generator], tuple[Floats, Floats]]


def ours(figure: Figure, _: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the limits of our intervals."""
    known = estimates(figure)
    return np.array([own.lo for own in known]), np.array([own.hi for own in known])


def percentile(figure: Figure, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the limits of percentile bootstrap intervals (Efron 1979), which many tools print."""
    pages = figure.pages
    weights = generator.multinomial(pages, np.full(pages, 1 / pages), 1000).astype(np.float64)
    lo, hi = np.quantile(figure.values(weights), [ALPHA / 2, 1 - ALPHA / 2], axis=0)
    return lo, hi


@dataclass(frozen=True)
class Coverage:
    """How often an interval held the true value: shares of data sets."""

    held: float
    above: float
    """The whole interval was above it."""
    below: float
    good: float
    """Held, of rows of at least ``GOOD``; NaN without such rows."""


def coverage(population: Population, pages: int, limits: Limits, repeats: int = 200) -> Coverage:
    """Return how often intervals hold F1, over all rows that find anything."""
    generator = np.random.default_rng([SEED, pages])
    truth = population.figure.values()
    outcomes, good = [], []
    for row in np.flatnonzero(truth > 0):
        answerable = np.flatnonzero(~np.isnan(population.figure.parts[1][row]))
        places = generator.choice(answerable, (repeats, pages))
        lo, hi = limits(population.drawn(int(row), places), generator)
        missed = (lo > truth[row] + paired.TIE, hi < truth[row] - paired.TIE)
        outcomes.append(missed)
        if truth[row] >= GOOD:
            good.append(missed)
    above, below = np.mean(outcomes, axis=(0, 2))
    held = 1 - float(np.sum(np.mean(good, axis=(0, 2)))) if good else float("nan")
    return Coverage(1 - float(above + below), float(above), float(below), held)


# -- comparisons ----------------------------------------------------------------------------------

PValues = Callable[[Figure, np.random.Generator], Floats]


def our_test(figure: Figure, _: np.random.Generator) -> Floats:
    """Return p of each comparison: the first half of the rows with the second."""
    half = figure.rows // 2
    found = paired.differences(figure, [(row, half + row) for row in range(half)])
    return np.array([own.p for own in found], np.float64)


def permutation(figure: Figure, generator: np.random.Generator) -> Floats:
    """Return p of the permutation test of the difference in F1 (Noreen 1989), as tools have it."""
    half, pages = figure.rows // 2, figure.pages
    signs = generator.choice([0.0, 1.0], (1000, pages))
    sums = [*figure.above, *figure.below]
    sides = []
    for mine, other in ((signs, 1 - signs), (1 - signs, signs)):
        x, y, m, k = (mine @ part[:half].T + other @ part[half:].T for part in sums)
        sides.append(2 * x * y / np.maximum(x * k + y * m, 1e-300))
    values = figure.values()
    observed = np.abs(values[:half] - values[half:]) - paired.TIE
    return np.asarray((1 + (np.abs(sides[0] - sides[1]) >= observed).sum(axis=0)) / 1001)


def equal_f1(population: Population, how: str, generator: np.random.Generator) -> list[Figure]:
    """Return pairs of rows whose F1 is the same and whose pages are not.

    Pages of the better row are spoilt until its F1 is the other's: ``silent`` returns nothing on
    them, ``noise`` nothing that is right.
    """
    truth = population.figure.values()
    precision, recall = population.figure.parts
    pairs = []
    for one in range(len(truth)):
        for other in range(len(truth)):
            if not 0.6 < truth[other] < truth[one] - 0.005:
                continue
            p, r = precision[one].copy(), recall[one].copy()
            for page in generator.permutation(len(p)):
                p[page], r[page] = (np.nan if how == "silent" else 0.0), 0.0
                both = Figure(
                    (np.stack([p, precision[other]]), np.stack([r, recall[other]])),
                    np.stack([r, recall[other]]),
                )
                values = both.values()
                if values[0] <= values[1]:
                    break
            if abs(values[0] - values[1]) < 0.003:
                pairs.append(both)
    return pairs


def false_alarms(
    population: Population, pages: int, how: str, test: PValues, repeats: int = 20
) -> float:
    """Return how often a test says that F1 differs where it does not."""
    generator = np.random.default_rng([SEED, pages])
    rejected = []
    for pair in equal_f1(population, how, np.random.default_rng(SEED))[:150]:
        places = generator.integers(0, pair.pages, (repeats, pages))
        parts = [np.concatenate([part[0][places], part[1][places]]) for part in pair.parts]
        figure = Figure((parts[0], parts[1]), parts[1])
        rejected.append(test(figure, generator) < ALPHA)
    return float(np.mean(rejected))


def power(population: Population, points: float, repeats: int = 300) -> float:
    """Return how often a true loss of so many points between two good systems is found.

    The better of a pair of real systems is spoilt or left until they lie so far apart.
    """
    generator = np.random.default_rng(SEED)
    precision, recall = population.figure.parts
    found = []
    for row in np.argsort(-population.figure.values())[:8]:
        for other in np.argsort(-population.figure.values())[:8]:
            if row == other:
                continue
            shift = population.figure.values()[row] - population.figure.values()[other]
            places = generator.integers(0, precision.shape[1], (repeats, precision.shape[1]))
            parts = [np.concatenate([part[row][places], part[other][places]])
                     for part in (precision, recall)]  # fmt: skip
            figure = Figure((parts[0], parts[1]), parts[1])
            half = repeats
            for difference in paired.differences(figure, [(i, half + i) for i in range(half)]):
                # The sampling error of a real pair, around the difference that is asked about.
                if difference.value is not None and difference.lo is not None:
                    reach = (difference.hi or 0.0) - difference.value
                    found.append(abs(difference.value - shift + points / 100) > reach)
    return float(np.mean(found))


# -- advice ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Advice:
    """What became of the pages that a pilot asked for, one array entry for each pair of rows."""

    difference: Floats
    """The true one, without its sign."""
    pages: Floats
    """As advised."""
    found: Floats
    """Whether so many fresh pages showed the difference."""
    held: Floats
    """Whether the interval held the pages that the true difference needs."""
    needed: Floats

    def of(self, lo: float, hi: float = 100.0) -> Advice:
        """Return what became of differences of this size, in points."""
        some = (self.difference >= lo / 100) & (self.difference < hi / 100)
        return Advice(*(values[some] for values in vars(self).values()))


def advice(
    population: Population, rows: int, pilot: int = 30, boards: int = 200, repeats: int = 4
) -> Advice:
    """Return what advice from small pilots is worth, on leaderboards of so many real rows each.

    Every row that a pilot does not tell from its best is a pair. As many pages as it advises are
    drawn afresh, and all rows compared with that best again, corrected as a leaderboard does.
    """
    generator = np.random.default_rng([SEED, rows])
    truth = population.figure.values()
    choice = np.flatnonzero((truth > 0.5) & (truth < 1))
    pairs = []
    for _ in range(boards):
        board = population.figure.take(generator.choice(choice, rows, replace=False).tolist())
        board = replace(board, sites=None)
        values, influences = board.values(), board.influences()
        for _ in range(repeats):
            drawn = board.on(generator.integers(0, board.pages, pilot))
            order = np.argsort(-drawn.values(), kind="stable")
            standings = groups.of_figure(drawn.take(order.tolist())).rows
            tied = [at for at in range(1, rows) if standings[at].best]
            for at in tied:
                if (size := standings[at].separated_by) is None:
                    continue
                fresh = board.take(order.tolist()).on(
                    generator.integers(0, board.pages, max(size.pages, MIN_PAGES))
                )
                found = paired.differences(fresh, [(0, other) for other in range(1, rows)])
                best, other = order[0], order[at]
                true = abs(values[best] - values[other])
                error = float(standard_errors(influences[best] - influences[other]))
                size_ = max(true, MARGIN)
                needed = board.pages * (detectable(error, len(tied)) / size_) ** 2
                held = size.lo <= math.ceil(needed) <= size.hi
                pairs.append((true, size.pages, found[at - 1].significant(), held, needed))
    return Advice(*np.array(pairs, np.float64).T)


# -- checks ---------------------------------------------------------------------------------------


def side(columns: Columns, row: str = "row") -> RowScores:
    """Return a row with these counts, all pages answered."""
    pages = len(next(iter(columns.values())))
    return RowScores(row, "1", np.full(pages, "ok", object), columns)


def harmless(columns: Columns, generator: np.random.Generator) -> Columns:
    """Return counts after differences that nobody would call a loss.

    On three pages in ten a little text comes or goes, up to three thousandths of the page's, and on
    one in fifty a caption or a date, up to a fiftieth; as often for the better as for the worse. A
    page without right text stays so.
    """
    pages = len(columns["tp"])
    kind = generator.random(pages)
    size = np.where(kind < 0.02, 0.02, np.where(kind < 0.3, 0.003, 0.0)) * (columns["tp"] > 0)
    return moved(columns, generator.uniform(-1, 1, pages) * size)


def moved(columns: Columns, share: Floats) -> Columns:
    """Return counts after this share of each page's text is lost.

    Where it is negative it is gained: what was missing comes, then what was too much goes.
    """
    tp, fp, fn = columns["tp"], columns["fp"], columns["fn"]
    lost = np.where(share > 0, np.minimum(share, tp), np.maximum(share, -fn))
    gone = np.minimum(np.where(share < 0, lost - share, 0.0), fp)
    tp, fp, fn = tp - lost, fp - gone, fn + lost
    total = np.maximum(tp + fp + fn, 1e-300)
    exact = np.where((lost == 0) & (gone == 0), columns["exact"], 0.0)
    return {"tp": tp / total, "fp": fp / total, "fn": fn / total, "exact": exact}


def without(columns: Columns, points: float, pages: npt.NDArray[np.bool_]) -> Columns:
    """Return counts after each of some pages lost so many points of its own F1."""
    f1 = 2 * columns["tp"] / np.maximum(2 * columns["tp"] + columns["fp"] + columns["fn"], 1e-300)
    wanted = np.maximum(f1 - points / 100, 0)
    lo, hi = np.zeros_like(f1), columns["tp"].copy()
    for _ in range(40):
        middle = (lo + hi) / 2
        now = moved(columns, middle)
        reached = 2 * now["tp"] / np.maximum(2 * now["tp"] + now["fp"] + now["fn"], 1e-300)
        lo, hi = np.where(reached > wanted, middle, lo), np.where(reached > wanted, hi, middle)
    return moved(columns, np.where(pages, lo, 0.0))


def checked(
    population: Population, change: Callable[[Columns, np.random.Generator], Columns], repeats: int
) -> Iterator[RowChecked]:
    """Yield checks of real rows after a change, each corrected for its own comparisons alone."""
    generator = np.random.default_rng(SEED)
    columns = population.scores.columns
    pages = list(population.scores.pages)
    truth = population.figure.values()
    rows = [int(row) for row in np.argsort(-truth) if 0.5 < truth[row] < 1][:6]
    for _ in range(repeats):
        for row in rows:
            own = {name: values[row] for name, values in columns.items()}
            after = change(harmless(own, generator), generator)
            yield from regressions.judge(
                METRIC,
                pages,
                [AcceptedRow(side(own), {})],
                [side(after)],
                population.regions,
                Rules(),
                [None],
                population.scores.sites,
            )


def nothing(columns: Columns, _: np.random.Generator) -> Columns:
    """Return counts as they are."""
    return columns


def one_page_destroyed(columns: Columns, generator: np.random.Generator) -> Columns:
    """Return counts after a page that was nearly right has lost all of its text."""
    share = np.zeros(len(columns["tp"]))
    share[generator.choice(np.flatnonzero(columns["tp"] > 0.8))] = 0.99
    return moved(columns, share)


def point_on(share: float) -> Callable[[Columns, np.random.Generator], Columns]:
    """Return the change that takes a point of F1 from each of a share of the pages."""

    def change(columns: Columns, generator: np.random.Generator) -> Columns:
        pages = len(columns["tp"])
        return without(columns, 1.0, generator.permutation(pages) < round(share * pages))

    return change


CHANGES = {
    "harmless differences alone": nothing,
    "one page destroyed": one_page_destroyed,
    "1 point on all pages": point_on(1.0),
    "1 point on a third of the pages": point_on(1 / 3),
}


def fails(population: Population, change: str, repeats: int = 40) -> float:
    """Return how often a check fails after a change."""
    return float(
        np.mean([bool(row.regressions) for row in checked(population, CHANGES[change], repeats)])
    )


# -- tables ---------------------------------------------------------------------------------------


def tables(populations: Sequence[Population]) -> Iterator[str]:
    """Yield the tables of docs/statistics.md, line by line, as Markdown."""
    yield "| data set | pages | percentile | (good rows) | ours | (good rows) | above | below |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for population in populations:
        for pages in (size for size in SIZES if size <= len(population.scores.pages)):
            theirs, own = (coverage(population, pages, how) for how in (percentile, ours))
            cells = (theirs.held, theirs.good, own.held, own.good, own.above, own.below)
            shown = " | ".join("–" if np.isnan(cell) else f"{cell:.3f}" for cell in cells)
            yield f"| {population.name} | {pages} | {shown} |"
    yield ""
    yield "| data set | pages | one is silent: permutation | ours | one is noisy: permutation | ours |"
    yield "|---|--:|--:|--:|--:|--:|"
    # The starter set has too few rows of like quality.
    for population in populations[:2]:
        for pages in SIZES:
            rates = [
                false_alarms(population, pages, how, test)
                for how in ("silent", "noise")
                for test in (permutation, our_test)
            ]
            yield f"| {population.name} | {pages} | {' | '.join(f'{r:.3f}' for r in rates)} |"
    yield ""
    yield "| data set | 1 point | 2 points | 3 points |"
    yield "|---|--:|--:|--:|"
    for population in populations:
        rates = [power(population, points) for points in (1, 2, 3)]
        yield f"| {population.name} | {' | '.join(f'{rate:.2f}' for rate in rates)} |"
    yield ""
    yield from advice_table(populations[:2])
    yield ""
    yield f"| data set | {' | '.join(CHANGES)} |"
    yield "|---|" + "--:|" * len(CHANGES)
    for population in populations:
        rates = [fails(population, change) for change in CHANGES]
        yield f"| {population.name} | {' | '.join(f'{rate:.3f}' for rate in rates)} |"


def advice_table(populations: Sequence[Population]) -> Iterator[str]:
    """Yield what advice from pilots of 30 pages is worth."""
    yield (
        "| data set | rows | pairs | found | of 1 to 2 points | 2 to 4 | over 4 | interval holds | "
        "pages advised | needed |"
    )
    yield "|---|" + "--:|" * 9
    for population in populations:
        for rows in BOARDS:
            every = advice(population, rows)
            some = every.of(1)
            parts = [every.of(1, 2), every.of(2, 4), every.of(4)]
            found = " | ".join(f"{part.found.mean():.2f}" for part in (some, *parts))
            pages = f"{np.median(some.pages):.0f} | {np.median(some.needed):.0f}"
            yield (
                f"| {population.name} | {rows} | {len(some.pages)} | {found} | "
                f"{some.held.mean():.2f} | {pages} |"
            )


if __name__ == "__main__":
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        aeb = of_aeb(Path(sys.argv[1]))
        runs = [
            of_run(bench.run(ROWS, gold=gold, results=folder, jobs=2))
            for gold in ("wcxb", "starter")
        ]
        print("\n".join(tables([aeb, *runs])))
