"""The start page: every run's leaderboard, and the data with which its filters work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench.adapters import released
from bench.report import sentences
from bench.report.site.evidence import Evidence, Row
from bench.report.site.extractor import last_release
from bench.report.site.slices import Cut
from bench.stats.figure import Estimate
from bench.util.display import plain

_DIGITS = 4
_EARLY = ("precision", "recall")
"""Figures that stand beside the main one; the others come after the cost."""


def facts(evidence: Evidence, cuts: Sequence[Cut]) -> dict[str, Any]:
    """Return what a run's leaderboard shows."""
    board = evidence.board
    last = {row.file: last_release(row) for row in evidence.rows}
    others = [name for name in board.metric.figures if name != board.metric.main]
    return {
        "evidence": evidence,
        "board": board,
        "folder": evidence.folder,
        "heading": sentences.heading(board),
        "main": board.metric.main,
        "early": [name for name in others if name in _EARLY],
        "late": [name for name in others if name not in _EARLY],
        "rows": evidence.rows,
        "released": last,
        "released_as_of": released.as_of(last.values()),
        "later_releases": any(each and each.date and not each.asked for each in last.values()),
        "method": sentences.method(board),
        "notes": sentences.notes(board),
        "not_run": sentences.not_run(board),
        "figures": _figures(evidence),
        "cuts": [
            {
                "title": cut.title,
                "slices": [
                    {
                        "value": f"{cut.dimension}={own.name}",
                        "name": plain(own.name),
                        "n": own.pages,
                    }
                    for own in next(iter(cut.slices.values()))
                ],
            }
            for cut in cuts
        ],
        "data": data(evidence, cuts),
        "licences": sorted({row.licence for row in evidence.competitors}),
        "languages": sorted({row.language for row in evidence.competitors}),
    }


def _figures(evidence: Evidence) -> list[dict[str, Any]]:
    """Return every figure of every metric, the one that ranks first."""
    found = []
    for each in evidence.scores:
        metric = each.metric
        for name in sorted(metric.figures, key=lambda figure: figure != metric.main):
            found.append(
                {
                    "value": f"{metric.name}/{name}",
                    "name": f"{metric.name}: {sentences.title(name)}",
                    "main": name == metric.main,
                }
            )
    return found


def data(evidence: Evidence, cuts: Sequence[Cut]) -> dict[str, Any]:
    """Return value and interval of each row's figures, whole and by slice, for the script."""
    return {
        "rows": {row.file: _row(evidence, row) for row in evidence.rows},
        "slices": {
            f"{cut.dimension}={own.name}": {
                metric: [_three(own.estimates[row.at]) for row in evidence.rows]
                for metric in cut.slices
                for own in [cut.slices[metric][at]]
            }
            for cut in cuts
            for at, own in enumerate(next(iter(cut.slices.values())))
        },
        "order": [row.file for row in evidence.rows],
    }


def _row(evidence: Evidence, row: Row) -> dict[str, Any]:
    return {
        f"{each.metric.name}/{name}": _three(row.line.metrics[each.metric.name][name])
        for each in evidence.scores
        for name in each.metric.figures
    }


def _three(figure: Estimate) -> list[float | None]:
    return [
        None if each is None else round(each, _DIGITS)
        for each in (figure.value, figure.lo, figure.hi)
    ]
