"""The rules of a check: what makes a change a regression.

Quality: a loss on all pages or on a slice counts if the paired permutation test tells it apart
after Holm's correction over all comparisons of the check, *and* it is beyond ``epsilon``. (The
test looks both ways at 5 %, so where nothing is worse a check fails in 2.5 % of cases at most.) On
slices of so few pages that the test can hardly tell there is a plain rule beside it: a loss beyond
``small_epsilon`` with more pages worse than better. Newly failing and newly empty pages always
count, and cost where it grew beyond the tolerance in two measurements.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from bench.metrics.base import Metric
from bench.model import Outcome
from bench.scoring.compare import held as holding
from bench.scoring.compare import sides
from bench.scoring.compare.baseline import Rules
from bench.scoring.compare.held import ALL, Held, PageChange, Region
from bench.scoring.compare.marks import Mark
from bench.scoring.compare.relative_cost import CostHeld
from bench.scoring.compare.sides import FAILED, Side
from bench.stats import holm, paired
from bench.stats.bootstrap import Bootstrap
from bench.stats.figure import MIN_PAGES

ALPHA = paired.ALPHA
FEW = 8
"""With fewer pages the test can tell only if all of them go one way: 16 / 2⁷ = 12 % if one does not."""


class Kind(StrEnum):
    """What a regression is one of."""

    QUALITY = "quality"
    SLICE = "slice"
    FAILING = "newly failing"
    EMPTY = "newly empty"
    COST = "cost"


@dataclass(frozen=True)
class Regression:
    """One reason to fail."""

    row: str
    kind: Kind
    where: str
    """Which pages: all, a slice, or those listed."""
    pages: tuple[PageChange, ...]
    """Those that are to blame, the greatest loss first."""
    held: Held | None = None
    p: float | None = None
    """Corrected; None where no test was made."""
    cost: CostHeld | None = None

    @property
    def text(self) -> str:
        """What happened, as one phrase."""
        if self.cost is not None:
            again = self.cost.again or 0.0
            return (
                f"CPU time over the control's grew by {self.cost.growth:.0%}, measured again by "
                f"{again:.0%} ({self.cost.before:.3g} to {self.cost.after:.3g} times)"
            )
        held = self.held
        if held is not None and held.before is not None and held.after is not None:
            tested = self.p is not None and self.p < ALPHA
            p = (
                f"p {_p(self.p or 0)}"
                if tested
                else f"{held.changed} of {held.pages} pages changed"
            )
            return (
                f"{self.where}: {held.before * 100:.2f} to {held.after * 100:.2f} "
                f"({(held.difference.value or 0.0) * 100:+.2f}, {p})"
            )
        return f"{self.kind}: {self.where}"


@dataclass(frozen=True)
class Judged:
    """One comparison with its verdict."""

    held: Held
    mark: Mark
    p: float | None
    """Holm-corrected; None where nothing changed, or on too few pages for a test to tell."""


@dataclass(frozen=True)
class RowChecked:
    """Everything that a check found of one row."""

    label: str
    version_before: str | None
    version_after: str | None
    whole: Judged
    slices: tuple[Judged, ...]
    changes: tuple[PageChange, ...]
    """Pages that differ, the greatest loss first."""
    regressions: tuple[Regression, ...]
    below_floor: Mapping[str, tuple[float, float]]
    """Where the figure is below the highest ever accepted by more than epsilon: floor and now."""
    cost: CostHeld | None = None

    @property
    def failing(self) -> tuple[PageChange, ...]:
        """Pages that have no answer and had one."""
        return tuple(each for each in self.changes if newly_failing(each))

    @property
    def fixed(self) -> tuple[PageChange, ...]:
        """Pages that have an answer and had none."""
        return tuple(
            each
            for each in self.changes
            if each.outcome_before in FAILED and each.outcome_after not in FAILED
        )

    @property
    def mark(self) -> Mark:
        """The verdict on the row."""
        if not self.regressions:
            return Mark.FIXED if self.fixed else self.whole.mark
        kinds = {each.kind for each in self.regressions}
        return Mark.FAILING if kinds <= {Kind.FAILING, Kind.EMPTY} else Mark.WORSE


def newly_failing(change: PageChange) -> bool:
    """Whether a page has no answer and had one."""
    return change.outcome_after in FAILED and change.outcome_before not in FAILED


def newly_empty(change: PageChange) -> bool:
    """Whether a page's text is empty and was not, unless that is what gold says of the page."""
    return (
        change.outcome_after == Outcome.EMPTY
        and change.outcome_before == Outcome.OK
        and change.change <= 0
    )


def judge(
    metric: Metric,
    pages: Sequence[str],
    before: Sequence[Side],
    after: Sequence[Side],
    where: Sequence[Region],
    rules: Rules,
    *,
    floors: Sequence[Mapping[str, float]] = (),
    costs: Sequence[CostHeld | None] = (),
    bootstrap: Bootstrap = Bootstrap(),
) -> list[RowChecked]:
    """Hold rows against what they were and say what is a regression; ``where`` begins with all pages.

    Both sides are rounded as the baseline is.
    """
    if not before:
        return []
    table = holding.hold(metric, pages, before, after, where, bootstrap)
    every = iter(verdicts([each for row in table for each in row], rules))
    judged = [[next(every) for _ in row] for row in table]
    changes = holding.page_changes(sides.joined(metric, pages, [*before, *after]))
    masks = {each.name: set(itertools.compress(pages, each.pages)) for each in where}
    found = []
    for at, (old, new) in enumerate(zip(before, after, strict=True)):
        cost = costs[at] if costs else None
        own = tuple(changes[at])
        found.append(
            RowChecked(
                label=new.label,
                version_before=old.version,
                version_after=new.version,
                whole=judged[at][0],
                slices=tuple(judged[at][1:]),
                changes=own,
                regressions=tuple(_regressions(new.label, judged[at], own, masks, cost, rules)),
                below_floor=_below(floors[at] if floors else {}, table[at], rules),
                cost=cost,
            )
        )
    return found


def verdicts(found: Sequence[Held], rules: Rules) -> list[Judged]:
    """Return the verdict on each comparison, corrected for all that are given."""
    return [_judged(*each, rules) for each in zip(found, _chances(found), strict=True)]


def detectable(checked: RowChecked) -> float | None:
    """Return the loss on all pages that this check finds four times in five, alone of its kind."""
    difference = checked.whole.held.difference
    return difference.detectable() if difference.std else None


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _chances(found: Sequence[Held]) -> list[float | None]:
    """Return each comparison's corrected p-value; None where no test is made."""
    testable = _testable(found)
    alone = [
        each.difference.p if own and each.difference.p is not None else np.nan
        for each, own in zip(found, testable, strict=True)
    ]
    return [None if np.isnan(p) else float(p) for p in holm.adjust(alone)]


def _testable(found: Sequence[Held]) -> list[bool]:
    """Return which comparisons could be told apart at all, and so are corrected for.

    With k pages changed the smallest p is 2 / 2ᵏ. Those that it keeps from ever being told apart
    leave the family (Tarone 1990, Biometrics 46:515-522): with the smallest number K such that no
    more than K can reach alpha / K.
    """
    least = [2 / 2.0**each.changed if each.difference.enough else 1.0 for each in found]
    for size in range(1, len(least) + 1):
        own = [p <= ALPHA / size for p in least]
        if sum(own) <= size:
            return own
    return [False] * len(least)


def _judged(held: Held, p: float | None, rules: Rules) -> Judged:
    value = held.difference.value
    if held.same:
        return Judged(held, Mark.SAME, None)
    if value is None or held.before is None or held.after is None:
        return Judged(held, Mark.NOT_COMPARABLE, None)
    found, apart = held.difference, p is not None and p < ALPHA
    lost, gained = value < -rules.epsilon and apart, value > rules.epsilon and apart
    if 1 < held.pages < FEW:  # of a slice of one page its page says all
        lost = lost or (value < -rules.small_epsilon and found.losses > found.wins)
        gained = gained or (value > rules.small_epsilon and found.wins > found.losses)
    return Judged(held, Mark.WORSE if lost else Mark.BETTER if gained else Mark.UNCLEAR, p)


def _regressions(
    label: str,
    judged: Sequence[Judged],
    changes: Sequence[PageChange],
    masks: Mapping[str, set[str]],
    cost: CostHeld | None,
    rules: Rules,
) -> Iterator[Regression]:
    for each in judged:
        if each.mark is Mark.WORSE:
            kind = Kind.QUALITY if each.held.whole else Kind.SLICE
            blamed = [c for c in changes if c.change < 0 and c.page in masks[each.held.where]]
            yield Regression(label, kind, each.held.where, tuple(blamed), each.held, each.p)
    for kind, rule in ((Kind.FAILING, newly_failing), (Kind.EMPTY, newly_empty)):
        pages = tuple(each for each in changes if rule(each))
        if pages:
            yield Regression(label, kind, f"{len(pages)} page{'s' * (len(pages) > 1)}", pages)
    if cost is not None and cost.confirmed(rules.cost_tolerance):
        yield Regression(label, Kind.COST, ALL, (), cost=cost)


def _below(
    floors: Mapping[str, float], held: Sequence[Held], rules: Rules
) -> dict[str, tuple[float, float]]:
    """Return where the figure is below what was accepted once by more than the rules let pass."""
    found = {}
    for each in held:
        floor, value = floors.get(each.where), each.after
        slack = rules.epsilon if each.difference.pages >= MIN_PAGES else rules.small_epsilon
        if floor is not None and value is not None and value < floor - slack:
            found[each.where] = (floor, value)
    return found
