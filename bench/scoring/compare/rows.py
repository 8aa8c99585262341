"""Rows against rows, told apart or not: what ``bench compare`` shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from bench.metrics.base import Metric
from bench.scoring.compare import held as holding
from bench.scoring.compare import sides
from bench.scoring.compare.held import Held, PageChange
from bench.scoring.compare.marks import CannotCompare, Mark
from bench.scoring.compare.rules import newly_failing
from bench.scoring.compare.sides import FAILED, Side
from bench.stats.bootstrap import Bootstrap
from bench.stats.figure import MIN_PAGES

SCHEMA = 1


@dataclass(frozen=True)
class Pair:
    """One row held against another."""

    first: Side
    second: Side
    pages: int
    """Pages that both have: only these count."""
    whole: Held
    slices: tuple[Held, ...]
    changes: tuple[PageChange, ...]
    """Pages that differ, the most changed first."""
    cpu: float | None
    """Median over pages of the second's CPU time over the first's; None where not measured."""

    @property
    def label(self) -> str:
        """What the pair is called: one label, or both."""
        if self.first.label == self.second.label:
            return self.first.label
        return f"{self.first.label} → {self.second.label}"

    @property
    def mark(self) -> Mark:
        """The verdict on the figure."""
        return mark(self.whole)

    @property
    def failing(self) -> int:
        """Pages that the second has no answer for and the first has."""
        return sum(newly_failing(each) for each in self.changes)

    @property
    def fixed(self) -> int:
        """Pages that the first has no answer for and the second has."""
        return sum(
            each.outcome_before in FAILED and each.outcome_after not in FAILED
            for each in self.changes
        )

    @property
    def marks(self) -> tuple[Mark, ...]:
        """All that there is to say of the pair, the verdict first."""
        more = [(Mark.FAILING, self.failing), (Mark.FIXED, self.fixed)]
        return (self.mark, *(each for each, pages in more if pages))


@dataclass(frozen=True)
class Comparison:
    """Everything that is shown of A against B."""

    first: str
    """What A is, for the heading."""
    second: str
    gold: Mapping[str, Any]
    """The data set's facts."""
    metric: Metric
    pages: int
    """Of the data set."""
    pairs: tuple[Pair, ...]
    missing: Mapping[str, str]
    """Rows that only one side has, and what is the matter."""
    warnings: tuple[str, ...]
    """What makes usage hard to compare."""
    bootstrap: Bootstrap

    def to_json(self) -> dict[str, Any]:
        """Return the documented form, for machines."""
        return {
            "schema": SCHEMA,
            "first": self.first,
            "second": self.second,
            "gold": dict(self.gold),
            "metric": {"name": self.metric.name, "figure": self.metric.main},
            "bootstrap": asdict(self.bootstrap),
            "correction": "holm",
            "rows": [_pair_json(each) for each in self.pairs],
            "not_comparable": dict(self.missing),
            "warnings": list(self.warnings),
        }


def mark(held: Held) -> Mark:
    """Return the verdict on one comparison."""
    value = held.difference.value
    if held.before is None or held.after is None or value is None:
        return Mark.NOT_COMPARABLE
    if held.same:
        return Mark.SAME
    if not held.difference.told_apart():
        return Mark.UNCLEAR
    return Mark.BETTER if value > 0 else Mark.WORSE


def paired(
    first: Mapping[str, Side], second: Mapping[str, Side]
) -> tuple[list[tuple[Side, Side]], dict[str, str]]:
    """Return which row is held against which, and rows that find no partner.

    One row against one, whatever they are called; otherwise rows with the same label. Raises
    ``CannotCompare`` when no two rows belong together.
    """
    if len(first) == len(second) == 1:
        return [(next(iter(first.values())), next(iter(second.values())))], {}
    found = [(first[label], second[label]) for label in first if label in second]
    if not found:
        raise CannotCompare("the two have no row in common; name one row of each, as RUN/LABEL")
    alone = {label: "only A has it" for label in first if label not in second}
    alone |= {label: "only B has it" for label in second if label not in first}
    # One row was asked for: the others of its run are not missing anywhere.
    return found, {} if 1 in (len(first), len(second)) else alone


def compare(
    metric: Metric,
    pages: Sequence[str],
    rows: Sequence[tuple[Side, Side]],
    labels: Mapping[str, Sequence[str | None]],
    bootstrap: Bootstrap = Bootstrap(),
) -> list[Pair]:
    """Return how the second of each two rows stands to the first.

    P-values are corrected over all rows, and those of slices over all slices of all rows. Only
    pages count that both rows have.
    """
    found = [_pair(metric, pages, each, labels, bootstrap) for each in rows]
    wholes = iter(holding.corrected([each.whole for each in found]))
    parts = iter(holding.corrected([held for each in found for held in each.slices]))
    return [
        replace(each, whole=next(wholes), slices=tuple(next(parts) for _ in each.slices))
        for each in found
    ]


def _pair(
    metric: Metric,
    pages: Sequence[str],
    rows: tuple[Side, Side],
    labels: Mapping[str, Sequence[str | None]],
    bootstrap: Bootstrap,
) -> Pair:
    there = rows[0].there & rows[1].there
    first, second = (_on(each, there) for each in rows)
    ids = [page for page, own in zip(pages, there, strict=True) if own]
    own_labels = {
        name: [label for label, own in zip(each, there, strict=True) if own]
        for name, each in labels.items()
    }
    where = holding.regions(len(ids), own_labels)
    (table,) = holding.hold(metric, ids, [first], [second], where, bootstrap)
    (changes,) = holding.page_changes(sides.joined(metric, ids, [first, second]))
    ordered = sorted(changes, key=lambda each: (-abs(each.change), each.page))
    return Pair(
        first, second, len(ids), table[0], tuple(table[1:]), tuple(ordered), _cpu(first, second)
    )


def _on(side: Side, there: sides.Flags) -> Side:
    return replace(
        side,
        outcomes=side.outcomes[there],
        columns={name: values[there] for name, values in side.columns.items()},
        cpu_s=side.cpu_s[there] if side.cpu_s.size else side.cpu_s,
    )


def _cpu(first: Side, second: Side) -> float | None:
    if not first.cpu_s.size or not second.cpu_s.size:
        return None
    both = ~first.failed & ~second.failed & (first.cpu_s > 0) & (second.cpu_s > 0)
    if both.sum() < MIN_PAGES:
        return None
    return float(np.median(second.cpu_s[both] / first.cpu_s[both]))


def _pair_json(pair: Pair) -> dict[str, Any]:
    return {
        "label": pair.label,
        "first": {"label": pair.first.label, "version": pair.first.version},
        "second": {"label": pair.second.label, "version": pair.second.version},
        "marks": [each.value for each in pair.marks],
        "pages": pair.pages,
        **_held_json(pair.whole),
        "newly_failing": pair.failing,
        "fixed": pair.fixed,
        "cpu_ratio": pair.cpu,
        "slices": [{"where": each.where, **_held_json(each)} for each in pair.slices],
        "changed_pages": [asdict(each) for each in pair.changes],
    }


def _held_json(held: Held) -> dict[str, Any]:
    return {
        "mark": mark(held).value,
        "changed": held.changed,
        "before": held.before,
        "after": held.after,
        "detectable": held.difference.detectable() if held.difference.std else None,
        **{"difference" if name == "value" else name: value
           for name, value in vars(held.difference).items() if name != "pages"},
        "counted": held.difference.pages,
    }  # fmt: skip
