"""The rules of a check: what makes a change a regression.

Quality: a loss on all pages or on a slice counts if the paired permutation test tells it apart
after Holm's correction over all comparisons of the check, *and* it is beyond ``epsilon``. (The
test looks both ways at 5 %, so where nothing is worse a check fails in 2.5 % of cases at most.) On
slices of so few pages that the test can hardly tell there is a plain rule beside it: a loss beyond
``small_epsilon`` with more pages worse than better. Newly failing and newly empty pages always
count, and cost where it grew beyond the tolerance in two measurements.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import compress

import numpy as np

from bench.metrics.base import Metric
from bench.scoring.compare import changes, row_scores
from bench.scoring.compare.baseline import AcceptedRow, Rules, rounded
from bench.scoring.compare.changes import ALL, PageChange, Region, RegionChange, RowChange
from bench.scoring.compare.relative_cost import CostChange
from bench.scoring.compare.row_scores import RowScores
from bench.scoring.compare.verdicts import Verdict
from bench.stats import holm
from bench.stats.bootstrap import Bootstrap
from bench.stats.figure import MIN_PAGES
from bench.stats.paired import ALPHA

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
    change: RegionChange | None = None
    cost: CostChange | None = None

    @property
    def p(self) -> float | None:
        """Of the change; None where no test was made."""
        return None if self.change is None else self.change.p

    @property
    def text(self) -> str:
        """What happened, as one phrase."""
        if self.cost is not None:
            again = self.cost.again or 0.0
            return (
                f"CPU time over the control's grew by {self.cost.growth:.0%}, measured again by "
                f"{again:.0%} ({self.cost.before:.3g} to {self.cost.after:.3g} times)"
            )
        change = self.change
        if change is None or change.before is None or change.after is None:
            return f"{self.kind}: {self.where}"
        why = f"{change.changed} of {change.pages} pages changed"
        if change.p is not None and change.p < ALPHA:
            why = "p < 0.001" if change.p < 0.001 else f"p {change.p:.3f}"
        return (
            f"{self.where}: {change.before * 100:.2f} to {change.after * 100:.2f} "
            f"({(change.difference.value or 0.0) * 100:+.2f}, {why})"
        )


@dataclass(frozen=True)
class RowChecked(RowChange):
    """Everything that a check found of one row; its pages have the greatest loss first."""

    regressions: tuple[Regression, ...]
    below_floor: Mapping[str, tuple[float, float]]
    """Where the figure is below the highest ever accepted by more than epsilon: floor and now."""
    cost: CostChange | None = None

    @property
    def label(self) -> str:
        """The row's."""
        return self.after.label

    @property
    def verdict(self) -> Verdict:
        """The verdict on the row."""
        if not self.regressions:
            return Verdict.FIXED if self.fixed else self.whole.verdict
        kinds = {regression.kind for regression in self.regressions}
        return Verdict.FAILING if kinds <= {Kind.FAILING, Kind.EMPTY} else Verdict.WORSE

    @property
    def detectable(self) -> float | None:
        """The loss on all pages that this check finds four times in five, alone of its kind."""
        return self.whole.difference.detectable() if self.whole.difference.std else None


def judge(
    metric: Metric,
    pages: Sequence[str],
    accepted: Sequence[AcceptedRow],
    rows: Sequence[RowScores],
    where: Sequence[Region],
    rules: Rules,
    costs: Sequence[CostChange | None],
    bootstrap: Bootstrap = Bootstrap(),
) -> list[RowChecked]:
    """Compare rows with what was accepted and say what is a regression.

    ``where`` begins with all pages. Both sides are rounded as the baseline is.
    """
    if not rows:
        return []
    before, after = [rounded(row.scores) for row in accepted], [rounded(row) for row in rows]
    table = changes.by_region(metric, pages, before, after, where, bootstrap)
    judged = iter(verdicts([change for row in table for change in row], rules))
    by_page = changes.by_page(row_scores.joined(metric, pages, [*before, *after]))
    masks = {region.name: set(compress(pages, region.pages)) for region in where}
    checked = []
    for at, (old, new) in enumerate(zip(before, after, strict=True)):
        whole, *slices = [next(judged) for _ in where]
        row = RowChecked(
            old,
            new,
            whole,
            tuple(slices),
            tuple(by_page[at]),
            regressions=(),
            below_floor=_below(accepted[at].floors, table[at], rules),
            cost=costs[at],
        )
        checked.append(replace(row, regressions=tuple(_regressions(row, masks, rules))))
    return checked


def verdicts(regions: Sequence[RegionChange], rules: Rules) -> list[RegionChange]:
    """Return changes with their verdicts, corrected for all that are given."""
    alone = [
        change.difference.p if testable and change.difference.p is not None else np.nan
        for change, testable in zip(regions, _testable(regions), strict=True)
    ]
    return [
        _judged(change, None if np.isnan(p) else float(p), rules)
        for change, p in zip(regions, holm.adjust(alone), strict=True)
    ]


def _testable(regions: Sequence[RegionChange]) -> list[bool]:
    """Return which comparisons could be told apart at all, and so are corrected for.

    With k pages changed the smallest p is 2 / 2ᵏ. Those that it keeps from ever being told apart
    leave the family (Tarone 1990, Biometrics 46:515-522): with the smallest number K such that no
    more than K can reach alpha / K.
    """
    least = [2 / 2.0**each.changed if each.difference.enough else 1.0 for each in regions]
    for size in range(1, len(least) + 1):
        own = [p <= ALPHA / size for p in least]
        if sum(own) <= size:
            return own
    return [False] * len(least)


def _judged(change: RegionChange, p: float | None, rules: Rules) -> RegionChange:
    difference = change.difference
    value = difference.value
    if change.same:
        return replace(change, verdict=Verdict.SAME)
    if value is None or change.before is None or change.after is None:
        return replace(change, verdict=Verdict.NOT_COMPARABLE)
    apart = p is not None and p < ALPHA
    lost, gained = value < -rules.epsilon and apart, value > rules.epsilon and apart
    if 1 < change.pages < FEW:  # of a slice of one page its page says all
        lost |= value < -rules.small_epsilon and difference.losses > difference.wins
        gained |= value > rules.small_epsilon and difference.wins > difference.losses
    verdict = Verdict.WORSE if lost else Verdict.BETTER if gained else Verdict.UNCLEAR
    return replace(change, verdict=verdict, p=p)


def _regressions(
    row: RowChecked, masks: Mapping[str, set[str]], rules: Rules
) -> Iterator[Regression]:
    label = row.label
    for change in (row.whole, *row.slices):
        if change.verdict is Verdict.WORSE:
            kind = Kind.QUALITY if change.where == ALL else Kind.SLICE
            pages = masks[change.where]
            blamed = [page for page in row.changes if page.change < 0 and page.page in pages]
            yield Regression(label, kind, change.where, tuple(blamed), change)
    emptied = [page for page in row.changes if page.emptied]
    for kind, answers in ((Kind.FAILING, row.failing), (Kind.EMPTY, emptied)):
        if answers:
            named = f"{len(answers)} page{'s' * (len(answers) > 1)}"
            yield Regression(label, kind, named, tuple(answers))
    if row.cost is not None and row.cost.confirmed(rules.cost_tolerance):
        yield Regression(label, Kind.COST, ALL, (), cost=row.cost)


def _below(
    floors: Mapping[str, float], regions: Sequence[RegionChange], rules: Rules
) -> dict[str, tuple[float, float]]:
    """Return where the figure is below what was accepted once by more than the rules let pass."""
    below = {}
    for change in regions:
        floor, value = floors.get(change.where), change.after
        slack = rules.epsilon if change.difference.pages >= MIN_PAGES else rules.small_epsilon
        if floor is not None and value is not None and value < floor - slack:
            below[change.where] = (floor, value)
    return below
