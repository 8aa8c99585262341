"""The page on agreement: overlap of texts and of scores, the union, and the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.report import sentences
from bench.report.site.evidence import Evidence
from bench.report.site.slices import shade
from bench.scoring import agreement
from bench.scoring.agreement import Gathered


def facts(evidence: Evidence, gathered: Gathered) -> dict[str, Any]:
    """Return what the page shows; ``gathered`` is over the competitors, in their order."""
    rows = evidence.competitors
    at = [place for place, row in enumerate(evidence.rows) if row.competes]
    scores = evidence.page_scores[at]
    found = agreement.oracle(scores)
    likeness = agreement.correlations(scores)
    return {
        "main": sentences.title(evidence.board.metric.main),
        "metric": evidence.board.metric,
        "rows": rows,
        "overlap": _table(gathered.overlap),
        "likeness": _table(likeness),
        "union": gathered.union,
        "common": gathered.common,
        "oracle": found,
        "best": rows[found.best] if found.best is not None else None,
        "chosen": [(rows[row], value) for row, value in found.chosen],
        "wins": sorted(
            (
                {"row": row, "alone": found.alone[place], "shared": found.shared[place]}
                for place, row in enumerate(rows)
            ),
            key=lambda each: (-each["alone"], -each["shared"], each["row"].label),
        ),
    }


def _table(values: agreement.Floats) -> list[list[dict[str, Any]]]:
    known = [[None if np.isnan(each) else float(each) for each in row] for row in values]
    return [[{"value": each, "shade": shade(each)} for each in row] for row in known]
