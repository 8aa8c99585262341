"""The leaderboard: each row's figures with intervals, outcomes and cost, ranked by one of them.

``Leaderboard.to_json`` is what ``leaderboard.json`` holds; docs/leaderboard.md describes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pandas as pd

from bench.adapters.adapter import label
from bench.datasets.catalogue import DataSet
from bench.metrics.base import Metric
from bench.metrics.ngram import Ngram
from bench.model import Outcome
from bench.runs.store.manifest import Difference
from bench.runs.store.runs import RunFolder
from bench.scoring import cost
from bench.scoring.cost import Cost
from bench.scoring.predictions import Predictions
from bench.scoring.scores import Scores
from bench.stats import groups, paired
from bench.stats.bootstrap import LEVEL, Bootstrap
from bench.stats.figure import Estimate, estimates

SCHEMA = 2

RANKED = "extractor"
_ORDER = (RANKED, "site-specific", "ensemble", "control")
"""Kinds of rows, from top to bottom."""


@dataclass(frozen=True)
class Line:
    """One row of the leaderboard."""

    rank: int | None
    """1 is best, shared by rows that were not told apart; None for what does not compete: controls
    and rules for certain sites."""
    name: str
    variant: str
    version: str | None
    kind: str
    language: str
    pages: int
    outcomes: Mapping[str, int]
    figures: Mapping[str, Estimate]
    """Of the metric that ranks."""
    cost: Cost | None
    network_attempts: int = 0
    flags: str = ""
    """What its worker did that figures cannot be trusted for: ``clock``, ``protocol``."""
    place: int | None = None
    """1 for the highest figure, 2 for the next, whether or not they are told apart."""
    letters: str = ""
    """Rows that share a letter were not told apart."""
    metrics: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    """Figures under every chosen metric, by its name."""
    tuned_on: tuple[str, ...] = ()
    """``DATA_SET=URL``: what it was trained or tuned on, or whose authors it shares."""

    @property
    def label(self) -> str:
        """``name``, or ``name:variant``."""
        return label(self.name, self.variant)

    @property
    def failed(self) -> int:
        """Cells without an answer."""
        return sum(n for outcome, n in self.outcomes.items() if Outcome(outcome).failed)


@dataclass(frozen=True)
class Missing:
    """An extractor that could not be run, and how to mend that."""

    label: str
    reason: str
    remedy: str


@dataclass(frozen=True)
class Leaderboard:
    """Every row over one data set, best first, controls last."""

    gold: Mapping[str, Any]
    """Name, title, fingerprint, page count, and whether it is a smoke set."""
    lines: Sequence[Line]
    missing: Sequence[Missing] = ()
    metric: Metric = field(default_factory=Ngram)
    """The one that ranks."""
    others: Sequence[Metric] = ()
    bootstrap: Bootstrap = Bootstrap()
    run: str | None = None
    timings_ranked: bool = True
    """False where workers ran at the same time, so that timings are contended."""
    warnings: Sequence[str] = ()
    contradictions: Mapping[str, Sequence[str]] | None = None
    """Pages on which an extractor's text changed from call to call; None where nobody looked."""
    machine: Mapping[str, Any] = field(default_factory=dict)

    @property
    def moved_by_page_f1(self) -> list[tuple[str, int, int]]:
        """Label, place by F1 and place by page F1 of those whose places differ, most moved first."""
        if "page_f1" not in self.metric.figures:
            return []
        ranked = [line for line in self.lines if line.rank is not None]
        by_page = sorted(ranked, key=lambda line: -line.figures["page_f1"].shown)
        places = [(each.label, ranked.index(each) + 1, at) for at, each in enumerate(by_page, 1)]
        moved = [each for each in places if each[1] != each[2]]
        return sorted(moved, key=lambda each: -abs(each[1] - each[2]))

    def to_json(self) -> dict[str, Any]:
        """Return the documented form, for machines."""
        return {
            "schema": SCHEMA,
            "run": self.run,
            "gold": dict(self.gold),
            "metric": {"name": self.metric.family, "n": self.metric.n, "figure": self.metric.main},
            "metrics": [_metric_json(each) for each in (self.metric, *self.others)],
            "bootstrap": {**asdict(self.bootstrap), "level": LEVEL},
            "groups": {"alpha": round(paired.ALPHA, 9), "correction": "holm"},
            "timings_ranked": self.timings_ranked,
            "warnings": list(self.warnings),
            "contradictions": None if self.contradictions is None else dict(self.contradictions),
            "machine": dict(self.machine),
            "extractors": [_line_json(line) for line in self.lines],
            "unavailable": [asdict(each) for each in self.missing],
        }


def of_run(
    run: RunFolder,
    data_set: DataSet,
    scores: Sequence[Scores],
    bootstrap: Bootstrap = Bootstrap(),
) -> Leaderboard:
    """Return the leaderboard of a finished run from its cells and scores; the first metric ranks."""
    manifest = run.manifest
    cells = run.cells()
    facts = manifest.rows_by_key
    keys = [key for key in scores[0].rows if key in facts]
    values = _figures(scores, bootstrap)
    lines = []
    by_row = dict(iter(cells.groupby("row", sort=False)))
    for key in keys:
        own = by_row[key]
        lines.append(
            Line(
                rank=None,
                name=facts[key].facts.name,
                variant=facts[key].variant,
                version=facts[key].version,
                kind=facts[key].facts.counts_as,
                language=facts[key].facts.language,
                pages=len(data_set),
                outcomes=_outcomes(own[own["repeat"] == 0]["outcome"]),
                figures=values[key][scores[0].metric.name],
                metrics=values[key],
                cost=cost.of_row(own, facts[key], manifest.machine.memory_bytes),
                network_attempts=max(
                    int(own["network_attempts"].sum()), facts[key].network_attempts
                ),
                flags=" ".join(sorted({*facts[key].flags, *own["flags"]} - {""})),
                tuned_on=facts[key].facts.tuned_on,
            )
        )
    missing = [
        Missing(row.label, row.problem, row.remedy) for row in manifest.rows if row.key not in keys
    ]
    return Leaderboard(
        gold=manifest.gold.public(),
        lines=_ranked(lines, keys, scores[0], bootstrap),
        missing=missing,
        metric=scores[0].metric,
        others=[each.metric for each in scores[1:]],
        bootstrap=bootstrap,
        run=run.id,
        timings_ranked=manifest.conditions.jobs == 1,
        warnings=manifest.warnings,
        contradictions=_contradictions(manifest.determinism),
        machine=asdict(manifest.machine),
    )


def of_predictions(
    systems: Sequence[Predictions],
    data_set: DataSet,
    scores: Sequence[Scores],
    bootstrap: Bootstrap = Bootstrap(),
) -> Leaderboard:
    """Return the leaderboard of other people's outputs: no usage."""
    values = _figures(scores, bootstrap)
    lines = [
        Line(
            rank=None,
            name=system.name,
            variant="default",
            version=system.version,
            kind="extractor",
            language="",
            pages=len(data_set),
            outcomes=_outcomes(pd.Series(scores[0].outcomes[at])),
            figures=values[system.name][scores[0].metric.name],
            metrics=values[system.name],
            cost=None,
        )
        for at, system in enumerate(systems)
    ]
    return Leaderboard(
        gold=data_set.facts,
        lines=_ranked(lines, [system.name for system in systems], scores[0], bootstrap),
        metric=scores[0].metric,
        others=[each.metric for each in scores[1:]],
        bootstrap=bootstrap,
    )


def _figures(
    scores: Sequence[Scores], bootstrap: Bootstrap
) -> dict[str, dict[str, dict[str, Estimate]]]:
    """Return row → metric → figure."""
    found: dict[str, dict[str, dict[str, Estimate]]] = {row: {} for row in scores[0].rows}
    for each in scores:
        for name, figure in each.figures.items():
            known = estimates(figure, bootstrap)
            for row, own in zip(each.rows, known, strict=True):
                found[row].setdefault(each.metric.name, {})[name] = own
    return found


def _contradictions(found: Sequence[Difference] | None) -> dict[str, list[str]] | None:
    if found is None:
        return None
    pages: dict[str, list[str]] = {}
    for each in found:
        pages.setdefault(each.label, []).append(f"{each.page_id} ({each.how})")
    return pages


def _ranked(
    lines: Sequence[Line], keys: Sequence[str], scores: Scores, bootstrap: Bootstrap
) -> list[Line]:
    """Best first by the main figure, then accuracy, then name; without a rank what is not ranked."""

    def order(each: tuple[Line, str]) -> tuple[int, float, float, str]:
        line, _ = each
        ties = line.figures.get("accuracy")
        main = line.figures[scores.metric.main].shown
        return (_ORDER.index(line.kind), -main, -ties.shown if ties else 0.0, line.label)

    placed = sorted(zip(lines, keys, strict=True), key=order)
    ranked = [(line, key) for line, key in placed if line.kind == RANKED]
    figure = scores.main.take([scores.place(key) for _, key in ranked])
    standing = groups.of_figure(figure, bootstrap)
    return [
        *(
            replace(line, place=place, rank=group.rank, letters=group.text)
            for place, ((line, _), group) in enumerate(zip(ranked, standing, strict=True), 1)
        ),
        *(line for line, _ in placed if line.kind != RANKED),
    ]


def _outcomes(column: pd.Series[str]) -> dict[str, int]:
    counts = column.value_counts()
    return {each.value: int(counts.get(each.value, 0)) for each in Outcome}


def _metric_json(metric: Metric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "title": metric.title,
        "n": metric.n,
        "figures": list(metric.figures),
        "main": metric.main,
        "citation": metric.citation,
    }


def figures_json(figures: Mapping[str, Estimate]) -> dict[str, Any]:
    """Return figures for machines: value, standard deviation and interval of each."""
    return {
        name: {key: value for key, value in asdict(figure).items() if key != "pages"}
        for name, figure in figures.items()
    }


def _line_json(line: Line) -> dict[str, Any]:
    usage = asdict(line.cost) if line.cost else dict.fromkeys(Cost.__dataclass_fields__)
    return {
        "rank": line.rank,
        "letters": line.letters,
        "place": line.place,
        "name": line.name,
        "variant": line.variant,
        "label": line.label,
        "version": line.version,
        "kind": line.kind,
        "language": line.language,
        "pages": line.pages,
        "outcomes": dict(line.outcomes),
        **figures_json(line.figures),
        "metrics": {metric: figures_json(figures) for metric, figures in line.metrics.items()},
        **usage,
        "network_attempts": line.network_attempts,
        "flags": line.flags,
        "tuned_on": " ".join(line.tuned_on),
    }
