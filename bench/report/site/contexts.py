"""What each template is filled in with: a function for every kind of page but page views."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.adapters import released
from bench.model import Outcome
from bench.report import sentences
from bench.report.site import svg
from bench.report.site.evidence import Evidence, Row, page_name
from bench.report.site.svg import Scatter
from bench.scoring import agreement as agreeing
from bench.scoring.agreement import Gathered
from bench.scoring.cost import Cost
from bench.stats.figure import Estimate, Floats
from bench.util.display import plain

if TYPE_CHECKING:
    import pandas as pd

Context = dict[str, Any]

PRICE = 0.05
"""Of a core-hour, in whatever currency the reader thinks in; the page lets it be changed."""
_DIGITS = 4
"""Of the shares with which the start page's filters work."""
_EARLY = ("precision", "recall")
"""Figures that stand beside the main one; the others come after the cost."""
_MIB = 2**20
_SHADES = 10
_EXTREMES = 10
_FAILURES = 100
_LONGEST = 2000
_ELSEWHERE = {"rows", "packages", "warnings", "gold", "determinism"}
"""Parts of a manifest that are shown in their own place."""


# -- the start page --------------------------------------------------------------------------


def start(every: Sequence[Evidence]) -> Context:
    """Return what the start page shows: every run's leaderboard."""
    competitors = [row for evidence in every for row in evidence.competitors]
    return {
        "here": "leaderboard",
        "boards": [_board(evidence) for evidence in every],
        "data_sets": list(dict.fromkeys(evidence.data_set for evidence in every)),
        "licences": sorted({row.licence for row in competitors}),
        "languages": sorted({row.language for row in competitors}),
    }


def _board(evidence: Evidence) -> Context:
    board = evidence.board
    others = [name for name in board.metric.figures if name != board.metric.main]
    releases = [row.released for row in evidence.rows]
    return {
        "evidence": evidence,
        "heading": sentences.heading(board),
        "main": board.metric.main,
        "early": [name for name in others if name in _EARLY],
        "late": [name for name in others if name not in _EARLY],
        "released_as_of": released.as_of(releases),
        "later_releases": any(each and each.date and not each.asked for each in releases),
        "method": sentences.method(board),
        "notes": sentences.notes(board),
        "not_run": sentences.not_run(board),
        "figures": [
            {
                "value": f"{scores.metric.name}/{name}",
                "name": f"{scores.metric.name}: {sentences.title(name)}",
                "main": name == scores.metric.main,
            }
            for scores in evidence.scores
            for name in sorted(
                scores.metric.figures, key=lambda figure: figure != scores.metric.main
            )
        ],
        "cuts": [
            {
                "title": cut.title,
                "slices": [
                    {
                        "value": f"{cut.dimension}={own.name}",
                        "name": plain(own.name),
                        "n": own.pages,
                    }
                    for own in cut.slices[board.metric.name]
                ],
            }
            for cut in evidence.cuts
        ],
        "data": _data(evidence),
    }


def _data(evidence: Evidence) -> Context:
    """Return value and interval of each row's figures, whole and by slice, for the script."""
    return {
        "rows": {
            row.file: {
                f"{metric}/{name}": _rounded(figure)
                for metric, figures in row.line.metrics.items()
                for name, figure in figures.items()
            }
            for row in evidence.rows
        },
        "slices": {
            f"{cut.dimension}={own.name}": {
                metric: [
                    _rounded(cut.slices[metric][at].estimates[row.at]) for row in evidence.rows
                ]
                for metric in cut.slices
            }
            for cut in evidence.cuts
            for at, own in enumerate(cut.slices[evidence.board.metric.name])
        },
        "order": [row.file for row in evidence.rows],
    }


def _rounded(figure: Estimate) -> list[float | None]:
    values = (figure.value, figure.lo, figure.hi)
    return [None if value is None else round(value, _DIGITS) for value in values]


# -- a run's own pages -----------------------------------------------------------------------


def cost(evidence: Evidence) -> Context:
    """Return what the page of costs shows: two scatters, and what a million pages cost."""
    speed = _scatter(evidence, "ms per page (median, log)", lambda own: own.ms_per_page)
    memory = _scatter(
        evidence, "peak memory, MiB (log)", lambda own: (own.rss_peak_bytes or 0) / _MIB
    )
    scatters = {"Quality against time": speed, "Quality against memory": memory}
    quick, small = (
        {point.label for point in scatter.points if point.front} if scatter else set()
        for scatter in (speed, memory)
    )
    timed = [(row, row.line.cost) for row in evidence.competitors if row.line.cost]
    return {
        "main": evidence.board.metric.main,
        "price": PRICE,
        "scatters": [(name, scatter) for name, scatter in scatters.items() if scatter],
        "rows": [
            {
                "row": row,
                "cost": own,
                "number": number,
                "quick": row.label in quick,
                "small": row.label in small,
                # Mean CPU time of a page × 10⁶ / 3,600 s.
                "core_hours": own.cpu_s / row.line.pages * 1e6 / 3600,
            }
            for number, (row, own) in enumerate(timed, 1)
        ],
        "contended": not evidence.board.timings_ranked,
    }


def _scatter(evidence: Evidence, title: str, value: Callable[[Cost], float]) -> Scatter | None:
    main = evidence.board.metric.main
    named = [
        (row.label, row.file, value(row.line.cost), row.line.figures[main].shown)
        for row in evidence.competitors
        if row.line.cost and value(row.line.cost)
    ]
    return svg.scatter(named, title, f"{sentences.title(main)}, per cent")


def slices(evidence: Evidence) -> Context:
    """Return what the heat maps show."""
    metric = evidence.board.metric
    return {
        "metric": metric,
        "maps": [
            {
                "title": cut.title,
                "slices": [
                    {"name": plain(own.name), "pages": own.pages} for own in cut.slices[metric.name]
                ],
                "rows": [
                    {
                        "row": row,
                        "cells": [
                            {"figure": figure, "shade": _shade(figure.value)}
                            for figure in (
                                row.line.figures[metric.main],
                                *(own.estimates[row.at] for own in cut.slices[metric.name]),
                            )
                        ],
                    }
                    for row in evidence.rows
                ],
            }
            for cut in evidence.cuts
        ],
    }


def _shade(value: float | None) -> str:
    """Return the class of a cell's colour, by its value from 0 to 1."""
    return "" if value is None else f"h{min(_SHADES, max(0, round(value * _SHADES)))}"


def agreement(evidence: Evidence, gathered: Gathered) -> Context:
    """Return overlap of texts and of scores, the union, and the oracle, over the competitors."""
    rows = evidence.competitors
    scores = evidence.page_scores(rows)
    oracle = agreeing.oracle(scores)
    wins = [
        {"row": row, "alone": alone, "shared": shared}
        for row, alone, shared in zip(rows, oracle.alone, oracle.shared, strict=True)
    ]
    return {
        "rows": rows,
        "overlap": _matrix(gathered.overlap),
        "likeness": _matrix(agreeing.correlations(scores)),
        "union": gathered.union,
        "common": gathered.common,
        "oracle": oracle,
        "best": rows[oracle.best] if oracle.best is not None else None,
        "chosen": [(rows[row], value) for row, value in oracle.chosen],
        "wins": sorted(wins, key=lambda win: (-win["alone"], -win["shared"], win["row"].label)),
    }


def _matrix(values: Floats) -> list[list[Context]]:
    known = [[None if np.isnan(value) else float(value) for value in row] for row in values]
    return [[{"value": value, "shade": _shade(value)} for value in row] for row in known]


def pages(evidence: Evidence) -> Context:
    """Return every page with its best and mean score over the competitors."""
    dimensions, rows = evidence.dimensions, evidence.competitors
    scores = evidence.page_scores(rows)
    listed = []
    for at, page_id in enumerate(evidence.pages.ids):
        own = scores[:, at]
        known = own[~np.isnan(own)]
        best = float(known.max()) if known.size else None
        listed.append(
            {
                "id": plain(page_id),
                "file": page_name(page_id),
                "kind": plain(dimensions["page_type"][at] or ""),
                "language": plain(dimensions["language"][at] or ""),
                "words": dimensions.stated[at].gold_words,
                "mean": float(known.mean()) if known.size else None,
                "best": best,
                "row": next(
                    (row for row, score in zip(rows, own, strict=True) if score == best), None
                ),
            }
        )
    return {
        "pages": listed,
        "kinds": sorted({page["kind"] for page in listed if page["kind"]}),
        "tongues": sorted({page["language"] for page in listed if page["language"]}),
    }


def method(evidence: Evidence) -> Context:
    """Return formulas, the data set's card, the manifest, the warnings."""
    card, manifest = evidence.pages.data_set.card, evidence.manifest
    left_out = manifest.gold.left_out.items()
    stated = {
        "name": card.name,
        "title": card.title,
        "description": card.description,
        "licence": card.licence,
        "to cite": card.citation,
        "source": card.source,
        "revision": card.revision,
        "version": card.version,
        "pages in this run": f"{len(evidence.pages.ids):,}",
        "fingerprint in this run": manifest.gold.fingerprint,
        "fingerprint as published": card.fingerprint,
        "left out": "; ".join(f"{plain(page)}: {plain(why)}" for page, why in left_out)[:_LONGEST],
    }
    return {
        "board": evidence.board,
        "method": sentences.method(evidence.board),
        "notes": sentences.notes(evidence.board),
        "not_run": sentences.not_run(evidence.board),
        "metrics": [scores.metric for scores in evidence.scores],
        "card": [(name, plain(value)) for name, value in stated.items()],
        "isolation": [
            (what, f"{facts['state']}, by {facts['how']}" if facts["how"] != "open" else "open")
            for what, facts in manifest.isolation.items()
        ],
        "manifest": [
            (name, _shown(value))
            for name, value in manifest.to_json().items()
            if name not in _ELSEWHERE
        ],
        "packages": [plain(package) for package in manifest.packages],
    }


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    return text[:_LONGEST] + ("…" if len(text) > _LONGEST else "")


# -- an extractor's page ---------------------------------------------------------------------


def extractor(evidence: Evidence, row: Row, samples: pd.DataFrame) -> Context:
    """Return what a row is, how its scores lie, its best and worst pages, and its failures."""
    (scores,) = evidence.page_scores([row])
    known = np.flatnonzero(~np.isnan(scores))
    order = known[np.argsort(scores[known], kind="stable")]
    values = scores[known]

    def extremes(places: Sequence[int]) -> list[Context]:
        ids = evidence.scores[0].pages
        return [
            {"id": plain(ids[at]), "file": page_name(ids[at]), "score": float(scores[at])}
            for at in places[:_EXTREMES]
        ]

    return {
        "row": row,
        "settings": json.dumps(row.stored.settings, ensure_ascii=False, indent=1),
        "description": plain(row.stored.facts.description),
        "pages": len(values),
        "histogram": svg.histogram(values.tolist()),
        "quartiles": np.quantile(values, [0.25, 0.5, 0.75]).tolist() if values.size else [],
        "nothing_right": int((values <= 0).sum()),
        "all_right": int((values >= 1).sum()),
        "worst": extremes(order.tolist()),
        "best": extremes(order[::-1].tolist()),
        "failures": _failures(evidence, row),
        "usage": _usage(samples),
    }


def _failures(evidence: Evidence, row: Row) -> Context:
    cells = evidence.cells
    odd = cells[(cells["row"] == row.key) & (cells["outcome"] != Outcome.OK.value)]
    # Failures before empty texts, which are answers.
    odd = odd.sort_values("outcome", key=lambda each: each == Outcome.EMPTY.value, kind="stable")
    shown = odd.iloc[:_FAILURES]
    return {
        "count": len(odd),
        "shown": [
            {
                "id": plain(page),
                "file": page_name(page),
                "outcome": outcome,
                "diagnostics": said or "",
            }
            for page, outcome, said in zip(
                shown["page"], shown["outcome"], shown["diagnostics"], strict=True
            )
        ],
    }


def _usage(samples: pd.DataFrame) -> Context | None:
    """Return memory and CPU over time, None where nothing was sampled."""
    own = samples.sort_values("at_s")
    times: Sequence[float] = own["at_s"].tolist()
    memory = svg.series(times, (own["rss_bytes"].fillna(0) / _MIB).tolist())
    if memory is None:
        return None
    step = own["at_s"].diff()
    # Where a worker was started again its CPU time begins anew.
    busy = (own["cpu_s"].diff().clip(lower=0) / step.where(step > 0)).fillna(0.0) * 100
    return {"memory": memory, "cpu": svg.series(times, busy.tolist())}
