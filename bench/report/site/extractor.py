"""An extractor's page: what it is, how its scores lie, its best and worst pages, its failures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bench.adapters.released import Released
from bench.model import Outcome
from bench.report.site import drawing
from bench.report.site.evidence import Evidence, Row, page_name
from bench.util.display import plain

EXTREMES = 10
_FAILURES = 100
_LONGEST = 600


def facts(evidence: Evidence, row: Row, place: int, samples: pd.DataFrame) -> dict[str, Any]:
    """Return what a row's page shows; ``place`` is its row in ``evidence.page_scores``."""
    scores = evidence.page_scores[place]
    known = np.flatnonzero(~np.isnan(scores))
    order = known[np.argsort(scores[known], kind="stable")]
    values = scores[known]
    return {
        "row": row,
        "released": last_release(row),
        "main": evidence.board.metric.main,
        "settings": json.dumps(row.stored.settings, ensure_ascii=False, indent=1),
        "description": plain(row.stored.facts.description),
        "pages": len(values),
        "histogram": drawing.histogram(values.tolist()),
        "quartiles": [float(each) for each in np.quantile(values, [0.25, 0.5, 0.75])]
        if values.size
        else [],
        "nothing_right": int((values <= 0).sum()),
        "all_right": int((values >= 1).sum()),
        "worst": [_page(evidence, at, scores) for at in order[:EXTREMES]],
        "best": [_page(evidence, at, scores) for at in order[::-1][:EXTREMES]],
        "failures": _failures(evidence, row),
        "usage": _usage(samples),
    }


def last_release(row: Row) -> Released | None:
    """Return the last release of what a row wraps, as known when it ran; None where none is known."""
    return row.stored.released if row.competes else None


def _page(evidence: Evidence, at: int, scores: Any) -> dict[str, Any]:
    page_id = evidence.scores[0].pages[at]
    return {"id": plain(page_id), "file": page_name(page_id), "score": float(scores[at])}


def _failures(evidence: Evidence, row: Row) -> dict[str, Any]:
    own = evidence.cells[evidence.cells["row"] == row.key]
    odd = own[own["outcome"] != Outcome.OK.value]
    # Failures before empty texts, which are answers.
    odd = odd.sort_values("outcome", key=lambda each: each == Outcome.EMPTY.value, kind="stable")
    shown = [
        {
            "id": plain(page),
            "file": page_name(page),
            "outcome": outcome,
            "diagnostics": shortened(diagnostics or ""),
        }
        for page, outcome, diagnostics in zip(
            odd["page"], odd["outcome"], odd["diagnostics"], strict=True
        )
    ]
    return {"count": len(shown), "shown": shown[:_FAILURES]}


def shortened(text: str) -> str:
    """Return the end of a long message, where a traceback says what happened."""
    return text if len(text) <= _LONGEST else f"…{text[-_LONGEST:]}"


def _usage(samples: pd.DataFrame) -> dict[str, Any] | None:
    """Return memory and CPU over time, None where nothing was sampled."""
    own = samples.sort_values("at_s")
    times: Sequence[float] = own["at_s"].tolist()
    memory = drawing.series(times, (own["rss_bytes"].fillna(0) / 2**20).tolist())
    if memory is None:
        return None
    step = own["at_s"].diff()
    # Where a worker was started again its CPU time begins anew.
    busy = (own["cpu_s"].diff().clip(lower=0) / step.where(step > 0)).fillna(0.0) * 100
    return {"memory": memory, "cpu": drawing.series(times, busy.tolist())}
