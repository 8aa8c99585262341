"""Differences of rows on the same pages: interval, p-value, effect size, wins.

What makes a page hard for both rows cancels out, since the influences of a page on both figures
(``bench.stats.figure``) are subtracted. Their difference over its standard error is compared with
Student's distribution, by a test and an interval that are one method: the interval leaves out 0
exactly if p < 0.05. Only pages (sites) on which the rows differ speak for a difference, so k of
them give k - 1 degrees of freedom: a few pages that went the same way are no proof.

A permutation test asks whether outputs could be swapped, and alarms where two systems of equal F1
fail differently (one returns nothing where the other returns noise); this one asks for F1 alone.
docs/statistics.md has false alarms and power of both, by simulation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from bench.stats import holm
from bench.stats.estimate import ALPHA, Difference, estimate
from bench.stats.figure import Figure, Floats, Ints, standard_errors

TIE = 1e-9
"""Scores of a page that differ by no more are a tie."""
_AT_ONCE = 2**16
"""Numbers in memory at a time: pairs times sites."""


def compare(figure: Figure, first: int = 0, second: int = 1) -> Difference:
    """Return the difference of two rows, the only comparison made."""
    (only,) = differences(figure, [(first, second)])
    return only


def differences(figure: Figure, pairs: Sequence[tuple[int, int]]) -> list[Difference]:
    """Return the difference of each pair of rows, corrected for the number of pairs."""
    from scipy.special import stdtr, stdtrit

    if not pairs:
        return []
    influences, values, counted = figure.influences(), figure.values(), figure.counted
    units, size = figure.units, max(1, _AT_ONCE // max(1, figure.pages))
    compared = []
    for start in range(0, len(pairs), size):
        a, b = np.asarray(pairs[start : start + size], np.int64).T
        errors = standard_errors(influences[a] - influences[b])
        freedom = np.maximum((figure.by_site(_differs(figure, a, b)) > 0).sum(axis=1) - 1, 1)
        value = values[a] - values[b]
        tiny = errors <= TIE
        value[tiny & (np.abs(value) <= TIE)] = 0.0
        t = np.abs(value) / np.where(tiny, 1.0, errors)
        p = np.where(tiny, np.where(np.abs(value) <= TIE, 1.0, 0.0), 2 * stdtr(freedom, -t))
        reach = stdtrit(freedom, 1 - ALPHA / 2) * errors
        better = figure.by_page[a] - figure.by_page[b]
        wins, losses = (better > TIE).sum(axis=1), (better < -TIE).sum(axis=1)
        both = (~np.isnan(better)).sum(axis=1)
        pages = np.minimum(counted[a], counted[b])
        for at in range(len(a)):
            difference = estimate(
                int(pages[at]),
                units,
                float(value[at]),
                float(errors[at]),
                float(value[at] - reach[at]),
                float(value[at] + reach[at]),
            )
            compared.append(
                Difference(
                    **vars(difference),
                    p=None if difference.se is None else float(p[at]),
                    p_holm=None,
                    effect=_effect(difference.value, difference.se, units),
                    wins=int(wins[at]),
                    ties=int(both[at] - wins[at] - losses[at]),
                    losses=int(losses[at]),
                )
            )
    return corrected(compared)


def corrected(differences: Iterable[Difference]) -> list[Difference]:
    """Return differences with ``p_holm`` for all of them together: what is shown at one time."""
    differences = list(differences)
    adjusted = holm.adjust([np.nan if one.p is None else one.p for one in differences])
    return [
        replace(one, p_holm=None if one.p is None else float(p))
        for one, p in zip(differences, adjusted, strict=True)
    ]


def _differs(figure: Figure, a: Ints, b: Ints) -> Floats:
    """Return 1 where a page gave two rows other numbers, else 0: shape (pairs, pages)."""
    one, other = figure.take(a.tolist()), figure.take(b.tolist())
    parts = zip([*one.above, *one.below], [*other.above, *other.below], strict=True)
    differs = np.logical_or.reduce([np.abs(own - its) > TIE for own, its in parts])
    return np.asarray(differs, np.float64)


def _effect(value: float | None, se: float | None, units: int) -> float | None:
    if value is None or se is None:
        return None
    if se <= TIE:
        # Pages that all differ by the same: no yardstick, unless they do not differ at all.
        return 0.0 if abs(value) <= TIE else None
    return float(value / (se * np.sqrt(units)))
