"""Differences of rows on the same pages: interval, p-value, effect size, wins.

Interval: the paired bootstrap (Efron & Tibshirani 1993, ch. 16; for systems of text Koehn 2004):
all rows see the same draws of pages, so what makes a page hard for both cancels out.

P-value: if two systems are alike, either could have given either output of a page. So pages'
outputs are swapped at random and the figure computed anew (Fisher 1935; Noreen 1989's approximate
randomisation); for a mean this is the sign-flip test. With few pages every swap is tried and p is
exact; otherwise p = (b + 1) / (m + 1) with b of m swaps as extreme, which is never 0 (Phipson &
Smyth 2010, "Permutation p-values should never be zero"). Two-sided.

Every swap is a row of signs. With S the signs and V the values of all rows, the sums after swaps
of rows a and b are (Σa + Σb ± (SVᵃ - SVᵇ)) / 2: one matrix product serves all pairs.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from bench.stats import holm
from bench.stats.bootstrap import LEVEL, Bootstrap
from bench.stats.figure import Figure, Floats, estimate, harmonic

Ints = npt.NDArray[np.int64]

ALPHA = 1.0 - LEVEL
TIE = 1e-9
"""Scores of a page that differ by no more are a tie."""
MIN_PERMUTATIONS = 10_000

_STREAM = 1  # the swaps' random numbers are not those of the bootstrap
_BLOCK = 64  # swaps at a time, so that temporaries stay in the processor's cache
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Difference:
    """The first row's figure less the second's. None where there is too little data to say."""

    pages: int
    """Pages that count for both rows: the smaller of the two numbers."""
    value: float | None
    std: float | None
    lo: float | None
    hi: float | None
    p: float | None
    """Of this comparison alone."""
    p_holm: float | None
    """Corrected for all comparisons that were made together."""
    effect: float | None
    """Difference in standard deviations of one page's difference: Cohen's d_z (Cohen 1988)."""
    wins: int
    """Pages on which the first row does better."""
    ties: int
    losses: int

    @property
    def enough(self) -> bool:
        """Whether there was data enough for a verdict; if not, it is open, not "no difference"."""
        return self.p is not None

    def told_apart(self, alpha: float = ALPHA) -> bool:
        """Whether the rows differ, at this chance of a false alarm among all comparisons."""
        return self.p_holm is not None and self.p_holm < alpha

    def detectable(self, power: float = 0.8, alpha: float = ALPHA) -> float | None:
        """Return the true difference that these pages would show with this probability.

        By the normal approximation, for one comparison: (z₁₋α/₂ + z_power) standard deviations.
        """
        if self.std is None:
            return None
        normal = NormalDist()
        return (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)) * self.std


_NOTHING = Difference(
    pages=0,
    value=None,
    std=None,
    lo=None,
    hi=None,
    p=None,
    p_holm=None,
    effect=None,
    wins=0,
    ties=0,
    losses=0,
)


def compare(
    figure: Figure,
    first: int = 0,
    second: int = 1,
    bootstrap: Bootstrap = Bootstrap(),
    *,
    permutations: int | None = None,
) -> Difference:
    """Return the difference of two rows, the only comparison made."""
    (only,) = differences(figure, [(first, second)], bootstrap, permutations=permutations)
    return only


def differences(
    figure: Figure,
    pairs: Sequence[tuple[int, int]],
    bootstrap: Bootstrap = Bootstrap(),
    *,
    permutations: int | None = None,
) -> list[Difference]:
    """Return the difference of each pair of rows, corrected for the number of pairs.

    ``permutations`` defaults to what that many pairs need.
    """
    if not pairs:
        return []
    if figure.pages == 0:
        return [_NOTHING] * len(pairs)
    first, second = np.asarray(pairs, np.int64).T
    counted = np.minimum(figure.counted[first], figure.counted[second])
    wins = np.sum(figure.scores[first] > figure.scores[second] + TIE, axis=1)
    losses = np.sum(figure.scores[second] > figure.scores[first] + TIE, axis=1)
    both = np.sum(~np.isnan(figure.scores[first] + figure.scores[second]), axis=1)
    values = figure.values()
    drawn = figure.values(bootstrap.weights(figure.pages)).T
    p_values = _p_values(
        figure, first, second, permutations or enough_permutations(len(pairs)), bootstrap.seed
    )
    found = []
    for at, (a, b) in enumerate(pairs):
        pages = int(counted[at])
        known = estimate(pages, float(values[a] - values[b]), drawn[a] - drawn[b])
        found.append(
            Difference(
                **vars(known),
                p=float(p_values[at]) if known.enough else None,
                p_holm=None,
                effect=_effect(known.value, known.std, figure.pages),
                wins=int(wins[at]),
                ties=int(both[at] - wins[at] - losses[at]),
                losses=int(losses[at]),
            )
        )
    return corrected(found)


def corrected(found: Iterable[Difference]) -> list[Difference]:
    """Return differences with ``p_holm`` for all of them together: what is shown at one time."""
    found = list(found)
    adjusted = holm.adjust([np.nan if each.p is None else each.p for each in found])
    return [
        replace(each, p_holm=None if each.p is None else float(p))
        for each, p in zip(found, adjusted, strict=True)
    ]


def enough_permutations(comparisons: int, alpha: float = ALPHA) -> int:
    """Return how many swaps let the smallest p be half of alpha after Holm's correction.

    The smallest p is 1 / (m + 1). With 1,000 swaps and 496 pairs it is 0.495 once corrected:
    nothing could ever be told apart.
    """
    return max(MIN_PERMUTATIONS, round(2 * comparisons / alpha))


def _effect(value: float | None, std: float | None, pages: int) -> float | None:
    if value is None or std is None:
        return None
    spread = std * np.sqrt(pages)
    if spread <= _ROUNDING:
        # Pages that all differ by the same: no yardstick, unless they do not differ at all.
        return 0.0 if abs(value) <= _ROUNDING else None
    return float(value / spread)


def _p_values(figure: Figure, first: Ints, second: Ints, permutations: int, seed: int) -> Floats:
    values = figure.above
    # A part that counts every page of every row does so after any swap.
    masks = [None if (each == 1.0).all() else each for each in figure.below]
    sums = [_summed(each, first, second) for each in values]
    sizes = [
        np.full((len(first), 1), 2.0 * figure.pages)
        if mask is None
        else _summed(mask, first, second)
        for mask in masks
    ]
    now = figure.values()
    least = np.abs(now[first] - now[second])[:, None] - _ROUNDING
    exhaustive = 2**figure.pages <= permutations
    # What was seen is itself one of the swaps: the one that swaps nothing.
    extreme = np.full(len(first), 0 if exhaustive else 1, np.int64)
    tried = 0 if exhaustive else 1
    for signs in _every(figure.pages) if exhaustive else _some(figure.pages, permutations, seed):
        moved = [_moved(each, signs, first, second) for each in values]
        resized = [
            np.zeros((1, 1)) if mask is None else _moved(mask, signs, first, second)
            for mask in masks
        ]
        one = harmonic(_plus(sums, moved), _plus(sizes, resized))
        other = harmonic(_minus(sums, moved), _minus(sizes, resized))
        extreme += np.count_nonzero(np.abs(one - other) >= least, axis=1)
        tried += len(signs)
    return np.asarray(extreme / tried, np.float64)


def _summed(values: Floats, first: Ints, second: Ints) -> Floats:
    totals: Floats = values.sum(axis=1)
    return np.asarray((totals[first] + totals[second])[:, None], np.float64)


def _moved(values: Floats, signs: Floats, first: Ints, second: Ints) -> Floats:
    signed = values @ signs.T
    moved: Floats = signed[first] - signed[second]
    return moved


def _plus(ours: Sequence[Floats], theirs: Sequence[Floats]) -> list[Floats]:
    return [a + b for a, b in zip(ours, theirs, strict=True)]


def _minus(ours: Sequence[Floats], theirs: Sequence[Floats]) -> list[Floats]:
    return [a - b for a, b in zip(ours, theirs, strict=True)]


def _every(pages: int) -> Iterator[Floats]:
    """Yield all ways to swap pages, as signs of shape (ways, pages), a block at a time."""
    for start in range(0, 2**pages, _BLOCK):
        ways = np.arange(start, min(start + _BLOCK, 2**pages))
        yield _signs(ways[:, None] >> np.arange(pages) & 1)


def _some(pages: int, permutations: int, seed: int) -> Iterator[Floats]:
    """Yield random ways to swap pages, as signs of shape (ways, pages), a block at a time."""
    generator = np.random.default_rng([seed, _STREAM])
    for start in range(0, permutations, _BLOCK):
        ways = min(_BLOCK, permutations - start)
        octets: npt.NDArray[np.uint8] = generator.integers(
            0, 256, (ways, (pages + 7) // 8), dtype=np.uint8
        )
        yield _signs(np.unpackbits(octets, axis=1, count=pages))


def _signs(bits: npt.NDArray[np.integer]) -> Floats:
    return 1.0 - 2.0 * bits.astype(np.float64)
