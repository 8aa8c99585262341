"""The leaderboard: each row's figures with intervals, outcomes and cost, ranked by F1.

``Leaderboard.to_json`` is what ``leaderboard.json`` holds; docs/leaderboard.md describes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import pandas as pd

from bench import registry
from bench.gold.catalogue import DataSet
from bench.metrics import figures, shingles
from bench.model import Outcome
from bench.scoring import cost, ngram
from bench.scoring.cost import Cost
from bench.scoring.predictions import Predictions
from bench.stats import bootstrap
from bench.store.runs import RunFolder

SCHEMA = 1


@dataclass(frozen=True)
class Figure:
    """A figure over the data set with its bootstrap standard deviation and 95 % interval."""

    value: float
    std: float
    lo: float
    hi: float


@dataclass(frozen=True)
class Line:
    """One row of the leaderboard."""

    rank: int | None
    """1 is best; None for controls, which are no competitors."""
    name: str
    variant: str
    version: str | None
    kind: str
    language: str
    pages: int
    outcomes: Mapping[str, int]
    figures: Mapping[str, Figure]
    cost: Cost | None
    network_attempts: int = 0

    @property
    def label(self) -> str:
        """``name``, or ``name:variant``."""
        return registry.label(self.name, self.variant)

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
    n: int = shingles.N
    resamples: int = bootstrap.RESAMPLES
    seed: int = bootstrap.SEED
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
        ranked = [line for line in self.lines if line.rank is not None]
        by_page = sorted(ranked, key=lambda line: -line.figures["page_f1"].value)
        places = [(each.label, ranked.index(each) + 1, at) for at, each in enumerate(by_page, 1)]
        moved = [each for each in places if each[1] != each[2]]
        return sorted(moved, key=lambda each: -abs(each[1] - each[2]))

    def to_json(self) -> dict[str, Any]:
        """Return the documented form, for machines."""
        return {
            "schema": SCHEMA,
            "run": self.run,
            "gold": dict(self.gold),
            "metric": {"name": "ngram", "n": self.n},
            "bootstrap": {
                "resamples": self.resamples,
                "seed": self.seed,
                "level": bootstrap.LEVEL,
            },
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
    scores: pd.DataFrame,
    *,
    n: int = shingles.N,
    resamples: int = bootstrap.RESAMPLES,
    seed: int = bootstrap.SEED,
) -> Leaderboard:
    """Return the leaderboard of a finished run from its cells and scores."""
    manifest = run.manifest
    cells = run.cells()
    facts = {each["key"]: each for each in manifest["rows"]}
    keys = [key for key in facts if key in set(scores["row"])]
    values = _figures(scores, keys, data_set.ids, resamples, seed)
    lines = []
    by_row = dict(iter(cells.groupby("row", sort=False)))
    for key in keys:
        own = by_row[key]
        lines.append(
            Line(
                rank=None,
                name=facts[key]["name"],
                variant=facts[key]["variant"],
                version=facts[key]["version"],
                kind=facts[key]["kind"],
                language=facts[key]["language"],
                pages=len(data_set),
                outcomes=_outcomes(own[own["repeat"] == 0]["outcome"]),
                figures=values[key],
                cost=cost.of_row(own, facts[key], manifest["machine"]["memory_bytes"]),
                network_attempts=max(
                    int(own["network_attempts"].sum()), facts[key]["network_attempts"]
                ),
            )
        )
    missing = [
        Missing(each["label"], each["problem"], each["remedy"])
        for each in manifest["rows"]
        if each["key"] not in keys
    ]
    return Leaderboard(
        gold={name: fact for name, fact in manifest["gold"].items() if name != "root"},
        lines=_ranked(lines),
        missing=missing,
        n=n,
        resamples=resamples,
        seed=seed,
        run=run.id,
        timings_ranked=manifest["conditions"]["jobs"] == 1,
        warnings=manifest["warnings"],
        contradictions=_contradictions(manifest.get("determinism")),
        machine=manifest["machine"],
    )


def of_predictions(
    systems: Sequence[Predictions],
    data_set: DataSet,
    scores: pd.DataFrame,
    *,
    n: int = shingles.N,
    resamples: int = bootstrap.RESAMPLES,
    seed: int = bootstrap.SEED,
) -> Leaderboard:
    """Return the leaderboard of other people's outputs: no usage."""
    names = [system.name for system in systems]
    values = _figures(scores, names, data_set.ids, resamples, seed)
    outcomes = {name: part["outcome"] for name, part in scores.groupby("row", sort=False)}
    lines = [
        Line(
            rank=None,
            name=system.name,
            variant="default",
            version=system.version,
            kind="extractor",
            language="",
            pages=len(data_set),
            outcomes=_outcomes(outcomes[system.name]),
            figures=values[system.name],
            cost=None,
        )
        for system in systems
    ]
    return Leaderboard(
        gold=data_set.facts, lines=_ranked(lines), n=n, resamples=resamples, seed=seed
    )


def _figures(
    scores: pd.DataFrame, rows: Sequence[str], pages: Sequence[str], resamples: int, seed: int
) -> dict[str, dict[str, Figure]]:
    each = ngram.arrays(scores, rows, pages)
    values = figures.of_data_set(each)
    draws = figures.of_data_set(each, bootstrap.weights(len(pages), resamples, seed))
    return {
        row: {
            name: Figure(float(values[name][at]), *bootstrap.interval(draws[name][:, at]))
            for name in figures.NAMES
        }
        for at, row in enumerate(rows)
    }


def _contradictions(found: Sequence[Mapping[str, str]] | None) -> dict[str, list[str]] | None:
    if found is None:
        return None
    pages: dict[str, list[str]] = {}
    for each in found:
        pages.setdefault(each["label"], []).append(f"{each['page_id']} ({each['how']})")
    return pages


def _ranked(lines: Sequence[Line]) -> list[Line]:
    """Best F1 first, then accuracy, then name; controls last and without a rank."""

    def order(line: Line) -> tuple[bool, float, float, str]:
        control = line.kind == "control"
        return (control, -line.figures["f1"].value, -line.figures["accuracy"].value, line.label)

    places = sorted(lines, key=order)
    return [
        Line(**{**vars(line), "rank": None if line.kind == "control" else place})
        for place, line in enumerate(places, 1)
    ]


def _outcomes(column: pd.Series[str]) -> dict[str, int]:
    counts = column.value_counts()
    return {each.value: int(counts.get(each.value, 0)) for each in Outcome}


def _line_json(line: Line) -> dict[str, Any]:
    usage = asdict(line.cost) if line.cost else dict.fromkeys(Cost.__dataclass_fields__)
    return {
        "rank": line.rank,
        "name": line.name,
        "variant": line.variant,
        "label": line.label,
        "version": line.version,
        "kind": line.kind,
        "language": line.language,
        "pages": line.pages,
        "outcomes": dict(line.outcomes),
        **{name: asdict(figure) for name, figure in line.figures.items()},
        **usage,
        "network_attempts": line.network_attempts,
    }
