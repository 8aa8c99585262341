"""Rows compared with rows, significantly different or not: what ``bench compare`` shows."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from bench.datasets import catalogue
from bench.datasets.catalogue import DataSet
from bench.metrics.base import Metric
from bench.model import UsageError
from bench.scoring import metric_catalogue, page_slices, scores, stored_run
from bench.scoring.compare import changes, row_scores
from bench.scoring.compare.arguments import Source
from bench.scoring.compare.changes import RegionChange, RowChange
from bench.scoring.compare.relative_cost import ENOUGH_PAGES
from bench.scoring.compare.row_scores import RowScores
from bench.scoring.compare.verdicts import CannotCompare, Verdict
from bench.stats.figure import Ints
from bench.util.progress import SILENT, Progress

SCHEMA = 1
DIMENSIONS = ("page_type", "language", "length")
"""Whose slices are looked at where nobody names others."""


@dataclass(frozen=True)
class Pair(RowChange):
    """One row compared with another; the pages that differ, the most changed first."""

    pages: int
    """Pages that both have: only these count."""

    @property
    def label(self) -> str:
        """What the pair is called: one label, or both."""
        if self.before.label == self.after.label:
            return self.before.label
        return f"{self.before.label} → {self.after.label}"

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All that there is to say of the pair, the verdict on the figure first."""
        more = [(Verdict.FAILING, self.failing), (Verdict.FIXED, self.fixed)]
        return (self.whole.verdict, *(verdict for verdict, pages in more if pages))

    @property
    def cpu(self) -> float | None:
        """Median over pages of the second's CPU time over the first's; None where not measured."""
        before, after = self.before, self.after
        if not before.cpu_s.size or not after.cpu_s.size:
            return None
        both = ~before.failed & ~after.failed & (before.cpu_s > 0) & (after.cpu_s > 0)
        if both.sum() < ENOUGH_PAGES:
            return None
        return float(np.median(after.cpu_s[both] / before.cpu_s[both]))


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
    pairs: Sequence[Pair]
    missing: Mapping[str, str]
    """Rows that only one side has, and what is the matter."""
    warnings: Sequence[str]
    """What makes usage hard to compare."""

    def to_json(self) -> dict[str, Any]:
        """Return the documented form, for machines."""
        return {
            "schema": SCHEMA,
            "first": self.first,
            "second": self.second,
            "gold": dict(self.gold),
            "metric": {"name": self.metric.name, "figure": self.metric.main},
            "correction": "holm",
            "rows": [_pair_json(pair) for pair in self.pairs],
            "not_comparable": dict(self.missing),
            "warnings": list(self.warnings),
        }


def compare(
    first: Source,
    second: Source,
    gold: str,
    metrics: Sequence[str] = (),
    by: Sequence[str] = (),
    progress: Progress = SILENT,
) -> Comparison:
    """Compare two runs, rows or systems on the pages that both have.

    ``gold`` is the data set of systems; a run has its own. Raises ``CannotCompare`` where the two
    have no common ground, ``UsageError`` for a metric or dimension that there is not.
    """
    sources = (first, second)
    data_set = data_set_of(sources, gold)
    chosen = metric_catalogue.for_data_set(data_set, metrics)
    if len(chosen) > 1:
        raise UsageError("a comparison is by one metric; give one with --metric")
    rows, others = (_rows(source, data_set, chosen[0], progress) for source in sources)
    if second.single and not first.single:
        rows = _same_row(rows, others, first)
    elif first.single and not second.single:
        others = _same_row(others, rows, second)
    pairs, missing = _paired(rows, others)
    if by:
        labels = {name: page_slices.of(data_set, name, progress) for name in by}
    else:
        known = page_slices.Dimensions(data_set, progress)
        labels = {name: known[name] for name in DIMENSIONS if name in known}
    sites = scores.sites(data_set)
    compared = [_compared(chosen[0], data_set.ids, pair, labels, sites) for pair in pairs]
    return Comparison(
        first=_title(first, rows),
        second=_title(second, others),
        gold=data_set.facts,
        metric=chosen[0],
        pages=len(data_set),
        pairs=_corrected(compared),
        missing=missing,
        warnings=_warnings(sources),
    )


# -- what is compared -------------------------------------------------------------------------------


def data_set_of(sources: Sequence[Source], gold: str) -> DataSet:
    """Return the one data set of both. Raises ``CannotCompare`` where theirs differ."""
    stored = [source.run for source in sources if source.run is not None]
    if not stored:
        return catalogue.open_gold(gold)
    facts = [run.manifest.gold for run in stored]
    if len({gold_facts.fingerprint for gold_facts in facts}) > 1:
        both = " and ".join(
            f"{gold_facts.name} ({gold_facts.fingerprint[:12]})" for gold_facts in facts
        )
        raise CannotCompare(
            f"the two are on different pages or gold: {both}; run one of them again on the "
            "other's data set"
        )
    return stored_run.data_set(stored[0])


def _rows(
    source: Source, data_set: DataSet, metric: Metric, progress: Progress
) -> dict[str, RowScores]:
    if source.run is None:
        (scored,) = scores.of_predictions(source.systems, data_set, [metric], progress)
        return row_scores.of_predictions(scored, source.systems)
    (scored,) = scores.of_run(source.run, data_set, [metric], progress)
    rows = row_scores.of_run(source.run, scored)
    if source.label is None:
        return rows
    if source.label not in rows:
        reason = row_scores.problems(source.run).get(source.label, "it has no cells")
        raise CannotCompare(f"{source.label} could not be run in {source.run.id}: {reason}")
    return {source.label: rows[source.label]}


def _same_row(
    many: dict[str, RowScores], one: dict[str, RowScores], source: Source
) -> dict[str, RowScores]:
    """Return the row of a run that has the label of the only row of the other side."""
    (label,) = one
    if label not in many:
        raise UsageError(f"{source.word} has no row {label!r}; name the one to compare it with")
    return {label: many[label]}


def _paired(
    first: Mapping[str, RowScores], second: Mapping[str, RowScores]
) -> tuple[list[tuple[RowScores, RowScores]], dict[str, str]]:
    """Return which row is compared with which, and rows that find no partner.

    One row against one, whatever they are called; otherwise rows with the same label. Raises
    ``CannotCompare`` when no two rows belong together, or have no page in common.
    """
    pairs = [(first[label], second[label]) for label in first if label in second]
    if len(first) == len(second) == 1:
        pairs = list(zip(first.values(), second.values(), strict=True))
    if not pairs:
        raise CannotCompare("the two have no row in common; name one row of each, as RUN/LABEL")
    for one, other in pairs:
        if not (one.present & other.present).any():
            raise CannotCompare(f"{one.label} and {other.label} have no page in common")
    if 1 in (len(first), len(second)):
        # One row was asked for: the others of its run are not missing anywhere.
        return pairs, {}
    alone = {label: "only A has it" for label in first if label not in second}
    return pairs, alone | {label: "only B has it" for label in second if label not in first}


def _compared(
    metric: Metric,
    ids: Sequence[str],
    rows: tuple[RowScores, RowScores],
    labels: Mapping[str, Sequence[str | None]],
    sites: Ints | None,
) -> Pair:
    """Return two rows compared on the pages that both have; p-values are not corrected."""
    common = rows[0].present & rows[1].present
    before, after = (row.on(common) for row in rows)
    pages = list(np.array(ids, object)[common])
    common_labels = {
        name: list(np.array(page_labels, object)[common]) for name, page_labels in labels.items()
    }
    where = changes.regions(len(pages), common_labels)
    common_sites = None if sites is None else sites[common]
    ((whole, *slices),) = changes.by_region(metric, pages, [before], [after], where, common_sites)
    (differ,) = changes.by_page(row_scores.joined(metric, pages, [before, after]))
    ordered = sorted(differ, key=lambda change: (-abs(change.change), change.page))
    return Pair(before, after, whole, tuple(slices), tuple(ordered), len(pages))


def _corrected(pairs: Sequence[Pair]) -> list[Pair]:
    """Return pairs with verdicts: corrected over all rows, and over all slices of all rows."""
    wholes = iter(changes.corrected([pair.whole for pair in pairs]))
    slices = iter(changes.corrected([change for pair in pairs for change in pair.slices]))
    return [
        replace(pair, whole=next(wholes), slices=tuple(next(slices) for _ in pair.slices))
        for pair in pairs
    ]


# -- what is said of it -----------------------------------------------------------------------------


def _title(source: Source, rows: Mapping[str, RowScores]) -> str:
    row = next(iter(rows.values()))
    if source.run is None:
        version = row.version if source.single else None
        return f"{source.word}{f', version {version}' if version else ''}"
    if source.label is None:
        return f"run {source.run.id}, {len(rows)} rows"
    return f"{row.label} {row.version or ''}, run {source.run.id}"


def _warnings(sources: Sequence[Source]) -> list[str]:
    """Return why usage is hard to compare; quality does not depend on the machine."""
    manifests = [source.run.manifest for source in sources if source.run is not None]
    if len(manifests) < 2:
        return []
    warnings = []
    first, second = manifests
    if first.machine_id != second.machine_id:
        warnings.append(
            f"measured on different machines ({first.machine_id}; {second.machine_id}), do not "
            "compare CPU times"
        )
    if first.machine.python != second.machine.python:
        warnings.append(f"measured under Python {first.machine.python} and {second.machine.python}")
    first_conditions, second_conditions = (
        {**asdict(manifest.conditions), "repeats": manifest.repeats} for manifest in manifests
    )
    changed = [name for name, value in first_conditions.items() if second_conditions[name] != value]
    if changed:
        warnings.append(f"measured under different conditions ({', '.join(changed)})")
    if any(manifest.conditions.jobs > 1 for manifest in manifests):
        warnings.append("workers ran side by side, CPU times are contended")
    return warnings


def _pair_json(pair: Pair) -> dict[str, Any]:
    return {
        "label": pair.label,
        "first": {"label": pair.before.label, "version": pair.before.version},
        "second": {"label": pair.after.label, "version": pair.after.version},
        "marks": [verdict.value for verdict in pair.verdicts],
        "pages": pair.pages,
        **_region_json(pair.whole),
        "newly_failing": len(pair.failing),
        "fixed": len(pair.fixed),
        "cpu_ratio": pair.cpu,
        "slices": [{"where": part.where, **_region_json(part)} for part in pair.slices],
        "changed_pages": [asdict(change) for change in pair.changes],
    }


def _region_json(change: RegionChange) -> dict[str, Any]:
    rest = dict(vars(change.difference))
    value, pages = rest.pop("value"), rest.pop("pages")
    return {
        "mark": change.verdict.value,
        "changed": change.changed,
        "before": change.before,
        "after": change.after,
        "detectable": change.difference.detectable() if change.difference.se else None,
        "difference": value,
        **rest,
        "counted": pages,
    }
