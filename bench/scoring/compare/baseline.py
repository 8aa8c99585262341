"""The baseline file: what a check compares a run with, small and readable, committed with the code.

JSON, one line for each row and page, so that a change of it reads well in a review. Scores are
rounded to six decimals on both sides of every comparison: the same text gives the same numbers.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from bench.metrics.base import Metric
from bench.model import UsageError
from bench.scoring import metric_catalogue
from bench.scoring.compare.row_scores import RowScores
from bench.scoring.compare.rules import Rules
from bench.scoring.compare.verdicts import CannotCompare
from bench.stats.figure import Floats
from bench.util.atomic import write_text

SCHEMA = 2
DIGITS = 6
COST_DIGITS = 4
_COST = "cost"
_OK = "ok"


@dataclass(frozen=True)
class AcceptedRow:
    """One row as it was accepted."""

    scores: RowScores
    floors: Mapping[str, float]
    """The highest figure ever accepted, on all pages and by slice."""
    cost: Floats | None = None
    """CPU time over the control's on each page; None where it was not measured."""


@dataclass(frozen=True)
class Measurement:
    """What scores, and costs, were measured with: data set, metric, machine."""

    gold: str
    fingerprint: str
    metric: Metric
    pages: tuple[str, ...]
    score_key: str = field(default="", kw_only=True)
    """What scores depend on beside texts and gold (``scores.key``); empty in files of schema 1."""
    measured: Mapping[str, Any] | None = field(default=None, kw_only=True)
    """Control, repeats, machine and Python of the costs; None without costs."""


@dataclass(frozen=True)
class Baseline(Measurement):
    """What was accepted: the scores of each row on every page, and how they are judged."""

    rows: Mapping[str, AcceptedRow]
    rules: Rules = field(default_factory=Rules)
    history: Sequence[Mapping[str, Any]] = ()
    """Regressions that were allowed, and why; changes of the data set."""


def rounded(row: RowScores) -> RowScores:
    """Return a row with its scores as the file holds them."""
    return replace(row, columns={k: np.round(v, DIGITS) for k, v in row.columns.items()})


def write(path: Path, baseline: Baseline) -> None:
    """Write the file, whole or not at all."""
    rows = {label: _row_json(row, baseline.pages) for label, row in baseline.rows.items()}
    names = list(baseline.metric.columns)
    head = {
        "schema": SCHEMA,
        "gold": {
            "name": baseline.gold,
            "fingerprint": baseline.fingerprint,
            "pages": len(baseline.pages),
        },
        "metric": {
            "name": baseline.metric.name,
            "figure": baseline.metric.main,
            "scorer": baseline.metric.scorer,
            "key": baseline.score_key,
        },
        "rules": {**vars(baseline.rules), "by": list(baseline.rules.by)},
        "cost": None if baseline.measured is None else dict(baseline.measured),
        "columns": [*names, *([_COST] if baseline.measured else [])],
        "history": [dict(entry) for entry in baseline.history],
    }
    text = json.dumps(head, indent=2, ensure_ascii=False, allow_nan=False)
    body = ",\n".join(f"    {_line(label)}: {_block(row)}" for label, row in rows.items())
    write_text(path, f'{text[:-2]},\n  "rows": {{\n{body}\n  }}\n}}\n')


def read(path: Path) -> Baseline:
    """Read the file.

    Raises ``UsageError`` where there is none, ``CannotCompare`` where it is damaged, of a newer
    schema, or of another version of its metric.
    """
    if not path.exists():
        raise UsageError(
            f"there is no baseline {path}; `bench check NAME… --baseline {path} --update` makes it"
        )
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        schema = int(content["schema"])
    except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        raise CannotCompare(
            f"{path} cannot be read as a baseline ({error}); get it back from version control, "
            "or remove it and write it with --update"
        ) from error
    if schema > SCHEMA:
        raise CannotCompare(f"{path} was written by a newer bench (schema {schema}); update bench")
    try:
        baseline = _of_json(content)
    except (UsageError, ValueError, TypeError, LookupError, AttributeError) as error:
        raise CannotCompare(
            f"{path} is damaged ({type(error).__name__}: {error}); get it back from version "
            "control, or remove it and write it with --update"
        ) from error
    scorer = baseline.metric.scorer
    if content["metric"]["scorer"] != scorer:
        raise CannotCompare(
            f"{path} holds scores of another version of the metric {baseline.metric.name} "
            f"({content['metric']['scorer']}, now {scorer}); remove it and write it with "
            "--update, on the code that it was written for"
        )
    return baseline


# -- rows -----------------------------------------------------------------------------------------


def _row_json(row: AcceptedRow, pages: Sequence[str]) -> dict[str, Any]:
    values = [row.scores.columns[name] for name in row.scores.columns]
    scores = {
        page: [_number(values_of_column[at]) for values_of_column in values]
        + ([] if row.cost is None else [_significant(row.cost[at])])
        for at, page in enumerate(pages)
    }
    outcomes = {
        page: str(outcome)
        for page, outcome in zip(pages, row.scores.outcomes, strict=True)
        if outcome != _OK
    }
    return {
        "version": row.scores.version,
        "floors": {where: round(value, DIGITS) for where, value in row.floors.items()},
        "outcomes": outcomes,
        "scores": scores,
    }


def _of_json(content: Mapping[str, Any]) -> Baseline:
    metric = metric_catalogue.find(content["metric"]["name"])
    metric = metric.ranked_by(content["metric"]["figure"])
    names = list(metric.columns)
    columns = [name for name in content["columns"] if name != _COST]
    if columns != names:
        raise ValueError(f"its columns are {columns}, the metric's {names}")
    rows = content["rows"]
    pages = tuple(next(iter(rows.values()))["scores"]) if rows else ()
    rules = {**content["rules"], "by": tuple(content["rules"]["by"])}
    return Baseline(
        gold=str(content["gold"]["name"]),
        fingerprint=str(content["gold"]["fingerprint"]),
        metric=metric,
        pages=pages,
        rows={str(label): _row_of(str(label), row, pages, names) for label, row in rows.items()},
        score_key=str(content["metric"].get("key", "")),
        rules=_checked(Rules(**rules)),
        measured=content["cost"],
        history=[dict(entry) for entry in content["history"]],
    )


def _row_of(
    label: str, row: Mapping[str, Any], pages: Sequence[str], names: Sequence[str]
) -> AcceptedRow:
    scores = row["scores"]
    if tuple(scores) != tuple(pages):
        raise ValueError(f"{label} has other pages than the first row")
    widths = {len(values) for values in scores.values()}
    if not widths <= {len(names), len(names) + 1} or len(widths) > 1:
        raise ValueError(f"{label} has lines of {sorted(widths)} numbers, not {len(names)}")
    table = np.array([[math.nan if v is None else float(v) for v in scores[p]] for p in pages])
    outcomes = np.array([row["outcomes"].get(page, _OK) for page in pages], object)
    version = row["version"]
    row_scores = RowScores(
        label=label,
        version=None if version is None else str(version),
        outcomes=outcomes,
        columns={name: table[:, at] for at, name in enumerate(names)},
    )
    floors = {str(where): float(value) for where, value in row["floors"].items()}
    cost = cast(Floats, table[:, len(names)]) if widths == {len(names) + 1} else None
    return AcceptedRow(row_scores, floors, cost)


def _checked(rules: Rules) -> Rules:
    numbers = {field.name for field in fields(Rules)} - {"by"}
    for name in sorted(numbers):
        if not 0 <= float(getattr(rules, name)) < math.inf:
            raise ValueError(f"{name} is {getattr(rules, name)!r}")
    return rules


# -- text -----------------------------------------------------------------------------------------


def _block(row: Mapping[str, Any]) -> str:
    """Return a row with one line for each page."""
    scores = ",\n".join(f"        {_line(page)}: {_line(v)}" for page, v in row["scores"].items())
    head = ",\n".join(
        f"      {_line(name)}: {_line(row[name])}" for name in ("version", "floors", "outcomes")
    )
    return f'{{\n{head},\n      "scores": {{\n{scores}\n      }}\n    }}'


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _number(value: float) -> float | int | None:
    if math.isnan(value):
        return None
    short = round(float(value), DIGITS)
    return int(short) if short == int(short) else short


def _significant(value: float) -> float | None:
    return float(f"{value:.{COST_DIGITS}g}") if math.isfinite(value) else None
