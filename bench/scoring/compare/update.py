"""The baseline that follows from a run: floors rise by themselves and fall for a reason only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.scoring.compare import baseline as files
from bench.scoring.compare import held
from bench.scoring.compare import now as present
from bench.scoring.compare.baseline import Baseline, Row, Rules
from bench.scoring.compare.check import Checked
from bench.scoring.compare.held import Region
from bench.scoring.compare.now import Now
from bench.scoring.compare.rules import RowChecked


def lowered(checked: Checked) -> dict[str, list[str]]:
    """Return what writing the baseline anew would lower: for each such row, one line each.

    Beside regressions, these are figures that fell below the highest ever accepted, in steps too
    small or too few to be told apart.
    """
    lines = {row.label: _lowered(row) for row in checked.rows}
    return {label: own for label, own in lines.items() if own}


def updated(
    old: Baseline | None,
    now: Now,
    where: Sequence[Region],
    wanted: Sequence[str],
    settings: Rules,
    *,
    allowed: Mapping[str, Sequence[str]] | None = None,
    reason: str = "",
    when: str = "",
) -> Baseline:
    """Return the baseline with the ``wanted`` rows as they are now.

    Other rows stay, unless data set or metric is another. ``allowed`` is what may be lowered, row
    by row, for this ``reason``; both are kept in the history.
    """
    fresh = old is None or not present.same_ground(old, now)
    kept: dict[str, Row] = {} if old is None or fresh else dict(old.rows)
    history: list[Mapping[str, Any]] = [] if old is None else [*old.history]
    if old is not None and fresh:
        history.append(
            {
                "when": when,
                "what": "another data set or metric",
                "from": f"{old.gold} {old.fingerprint[:12]}, {old.metric.name}",
                "to": f"{now.gold} {now.fingerprint[:12]}, {now.metric.name}",
            }
        )
    if old is not None and old.rules != settings:
        changes = [
            f"{name}: {vars(old.rules)[name]} to {value}"
            for name, value in vars(settings).items()
            if vars(old.rules)[name] != value
        ]
        history.append({"when": when, "what": "other rules", "changes": changes})
    allowed = allowed or {}
    if allowed:
        lines = [f"{label}: {line}" for label, own in allowed.items() for line in own]
        history.append({"when": when, "what": "allowed", "reason": reason, "lowered": lines})
    for label in wanted:
        side = files.rounded(now.rows[label])
        floors = held.figures(now.metric, now.pages, side, where)
        cost = now.cost(label)
        before = kept.get(label)
        if before is not None:
            if label not in allowed:
                floors = {w: max(v, before.floors.get(w, v)) for w, v in floors.items()}
            cost = before.cost if cost is None else cost
        kept[label] = Row(side, floors, cost)
    return Baseline(
        gold=now.gold,
        fingerprint=now.fingerprint,
        metric=now.metric,
        pages=now.pages,
        rows=kept,
        rules=settings,
        measured=now.measured or (None if old is None or fresh else old.measured),
        history=history,
    )


def _lowered(row: RowChecked) -> list[str]:
    lines = [each.text for each in row.regressions]
    told = {each.where for each in row.regressions}
    lines += [
        f"{where}: {floor * 100:.2f} was accepted once, now {value * 100:.2f}"
        for where, (floor, value) in row.below_floor.items()
        if where not in told
    ]
    return lines
