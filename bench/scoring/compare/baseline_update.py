"""The baseline that follows from a run: floors rise by themselves and fall for a reason only."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.model import BenchError
from bench.scoring.compare import baseline, changes, current_run, kept_texts
from bench.scoring.compare.baseline import AcceptedRow, Baseline, rounded
from bench.scoring.compare.changes import Region
from bench.scoring.compare.check import Check, Checked
from bench.scoring.compare.current_run import CurrentRun
from bench.scoring.compare.regressions import RowChecked
from bench.scoring.compare.rules import Rules
from bench.scoring.compare.verdicts import CannotCompare


class WouldLower(BenchError):
    """Updating the baseline would accept what is worse, and nobody said why."""


def lowered(checked: Checked) -> dict[str, list[str]]:
    """Return what updating the baseline would lower: for each such row, one line each.

    Beside regressions, these are figures that fell below the highest ever accepted, in steps too
    small or too few to be significant.
    """
    lines = {row.label: _lowered(row) for row in checked.rows}
    return {label: row_lines for label, row_lines in lines.items() if row_lines}


def accepted(
    path: Path, check: Check, checked: Checked | None, reason: str | None, when: str
) -> Baseline:
    """Return what is to be written to ``path``: the baseline with the rows of a check.

    Raises ``CannotCompare`` where rows are missing, ``WouldLower`` where a floor would fall and
    nobody gives a ``reason``.
    """
    for label, why in check.missing.items():
        raise CannotCompare(f"{path} is left as it is: {label} could not be run: {why}")
    lower = {} if checked is None else lowered(checked)
    if lower and reason is None:
        lines = [f"{label}: {line}" for label, row_lines in lower.items() for line in row_lines]
        more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
        raise WouldLower(
            f"{path} is left as it is; it would be lowered: {lines[0]}{more}. If that is meant: "
            "--update --allow-regression 'REASON'"
        )
    old = check.baseline
    dropped = [] if old is None else [label for label in old.rows if label not in check.wanted]
    if old is not None and dropped and current_run.mismatch(old, check.current):
        raise CannotCompare(
            f"{path} is of another data set or metric, so all of it is replaced; name "
            f"{', '.join(dropped)} too, or no extractor at all"
        )
    return updated(
        old,
        check.current,
        check.where,
        check.wanted,
        check.rules,
        allowed=lower,
        reason=reason or "",
        when=when,
    )


def write(path: Path, new: Baseline, check: Check, *, with_texts: bool = False) -> list[Path]:
    """Write a baseline, and the texts of its rows if asked or if it has kept them so far."""
    written = [path]
    if with_texts or kept_texts.path_of(path).exists():
        kept = {} if check.baseline is None else kept_texts.read(path)
        rows = {**kept, **check.texts()}
        kept_texts.write(path, {label: texts for label, texts in rows.items() if label in new.rows})
        written.append(kept_texts.path_of(path))
    baseline.write(path, new)
    return written


def updated(
    old: Baseline | None,
    current: CurrentRun,
    where: Sequence[Region],
    wanted: Sequence[str],
    rules: Rules,
    *,
    allowed: Mapping[str, Sequence[str]] | None = None,
    reason: str = "",
    when: str = "",
) -> Baseline:
    """Return the baseline with the ``wanted`` rows as they are now.

    Other rows stay, unless data set or metric is another. ``allowed`` is what may be lowered, row
    by row, for this ``reason``; both are kept in the history.
    """
    fresh = old is None or bool(current_run.mismatch(old, current))
    kept: dict[str, AcceptedRow] = {} if old is None or fresh else dict(old.rows)
    history: list[Mapping[str, Any]] = [] if old is None else [*old.history]
    if old is not None and fresh:
        history.append(
            {
                "when": when,
                "what": "another data set or metric",
                "from": f"{old.gold} {old.fingerprint[:12]}, {old.metric.name}",
                "to": f"{current.gold} {current.fingerprint[:12]}, {current.metric.name}",
            }
        )
    if old is not None and old.rules != rules:
        others = [
            f"{name}: {vars(old.rules)[name]} to {value}"
            for name, value in vars(rules).items()
            if vars(old.rules)[name] != value
        ]
        history.append({"when": when, "what": "other rules", "changes": others})
    allowed = allowed or {}
    if allowed:
        lines = [f"{label}: {line}" for label, row_lines in allowed.items() for line in row_lines]
        history.append({"when": when, "what": "allowed", "reason": reason, "lowered": lines})
    for label in wanted:
        row = rounded(current.rows[label])
        floors = changes.figures(current.metric, current.pages, row, where)
        cost = current.cost(label)
        before = kept.get(label)
        if before is not None:
            if label not in allowed:
                floors = {w: max(v, before.floors.get(w, v)) for w, v in floors.items()}
            cost = before.cost if cost is None else cost
        kept[label] = AcceptedRow(row, floors, cost)
    return Baseline(
        gold=current.gold,
        fingerprint=current.fingerprint,
        metric=current.metric,
        pages=current.pages,
        rows=kept,
        score_key=current.score_key,
        rules=rules,
        measured=current.measured or (None if old is None or fresh else old.measured),
        history=history,
    )


def _lowered(row: RowChecked) -> list[str]:
    lines = [regression.text for regression in row.regressions]
    blamed = {regression.where for regression in row.regressions}
    lines += [
        f"{where}: {floor * 100:.2f} was accepted once, now {value * 100:.2f}"
        for where, (floor, value) in row.below_floor.items()
        if where not in blamed
    ]
    return lines
