"""The rules of a check: what makes a change a regression.

Pages and gold are the same on both sides, so a loss on them is a fact and not a sample. What fails:

- all pages: a loss of the main figure beyond ``epsilon``; or beyond ``least`` if it is significant;
- a slice of pages enough for a test: a significant loss beyond ``least``. On smaller slices a loss
  beyond ``small_epsilon``, with more pages worse than better, is a warning;
- pages: one that loses more than ``page_loss``, or ``few_pages`` that lose more than ``few_loss``;
- a page that newly fails or is newly empty;
- cost that grew beyond the tolerance in two measurements.

Significance is that of the paired test (``bench.stats.paired``) after Holm's correction over all
comparisons of the check in which a page changed. Pages whose text differs from repeat to repeat
are judged by the test alone. docs/statistics.md has how often each rule alarms, by simulation.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import compress

from bench.metrics.base import Metric
from bench.scoring.compare import changes, row_scores
from bench.scoring.compare.baseline import AcceptedRow, rounded
from bench.scoring.compare.changes import ALL, PageChange, Region, RegionChange, RowChange
from bench.scoring.compare.relative_cost import CostChange
from bench.scoring.compare.row_scores import RowScores
from bench.scoring.compare.rules import Rules
from bench.scoring.compare.verdicts import Verdict
from bench.stats.estimate import ALPHA, MIN_PAGES
from bench.stats.figure import Ints


class Kind(StrEnum):
    """What a regression is one of."""

    QUALITY = "quality"
    SLICE = "slice"
    PAGE = "pages"
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
        if self.kind is Kind.PAGE:
            worst = self.pages[0]
            return (
                f"{self.where} lost much, most {worst.page}: {(worst.before or 0.0) * 100:.1f} to "
                f"{(worst.after or 0.0) * 100:.1f}"
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
        return self.whole.difference.detectable() if self.whole.difference.se else None

    def small_slices(self, rules: Rules) -> list[RegionChange]:
        """Return the slices too small for a test on which the row lost, as far as pages tell."""
        return [
            change
            for change in self.slices
            if change.difference.p is None
            and (change.difference.value or 0.0) < -rules.small_epsilon
            and change.difference.losses > change.difference.wins
        ]


def judge(
    metric: Metric,
    pages: Sequence[str],
    accepted: Sequence[AcceptedRow],
    rows: Sequence[RowScores],
    where: Sequence[Region],
    rules: Rules,
    costs: Sequence[CostChange | None],
    sites: Ints | None = None,
) -> list[RowChecked]:
    """Compare rows with what was accepted and say what is a regression.

    ``where`` begins with all pages. Both sides are rounded as the baseline is.
    """
    if not rows:
        return []
    before, after = [rounded(row.scores) for row in accepted], [rounded(row) for row in rows]
    table = changes.by_region(metric, pages, before, after, where, sites)
    corrected = changes.corrected([change for row in table for change in row])
    judged = iter([_judged(change, rules) for change in corrected])
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
        row = replace(row, whole=_on_fixed_pages(row, rules))
        checked.append(replace(row, regressions=tuple(_regressions(row, masks, rules))))
    return checked


def _judged(change: RegionChange, rules: Rules) -> RegionChange:
    value = change.difference.value
    if value is None or change.verdict in (Verdict.SAME, Verdict.NOT_COMPARABLE):
        return change
    counts = abs(value) > rules.least and change.difference.significant()
    if not counts:
        return replace(change, verdict=Verdict.UNCLEAR)
    return replace(change, verdict=Verdict.BETTER if value > 0 else Verdict.WORSE)


def _on_fixed_pages(row: RowChecked, rules: Rules) -> RegionChange:
    """Return the change on all pages: beyond epsilon it is no chance, where texts repeat."""
    value = row.whole.difference.value
    if value is None or row.after.unstable or abs(value) <= rules.epsilon:
        return row.whole
    return replace(row.whole, verdict=Verdict.BETTER if value > 0 else Verdict.WORSE)


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
    for kind, answers in (
        (Kind.PAGE, _lost(row, rules)),
        (Kind.FAILING, row.failing),
        (Kind.EMPTY, emptied),
    ):
        if answers:
            named = f"{len(answers)} page{'s' * (len(answers) > 1)}"
            yield Regression(label, kind, named, tuple(answers))
    if row.cost is not None and row.cost.confirmed(rules.cost_tolerance):
        yield Regression(label, Kind.COST, ALL, (), cost=row.cost)


def _lost(row: RowChecked, rules: Rules) -> list[PageChange]:
    """Return the pages that lost so much, alone or together, that each is a regression."""
    answered = [
        page
        for page in row.changes
        if page.page not in row.after.unstable and not page.failing and not page.emptied
    ]
    alone = [page for page in answered if page.change < -rules.page_loss]
    several = [page for page in answered if page.change < -rules.few_loss]
    return several if len(several) >= rules.few_pages else alone


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
