"""Quality against cost: two scatters with Pareto fronts, and what a million pages cost."""

from __future__ import annotations

from typing import Any

from bench.report import sentences
from bench.report.site import drawing
from bench.report.site.drawing import Scatter
from bench.report.site.evidence import Evidence, Row

PRICE = 0.05
"""Of a core-hour, in whatever currency the reader thinks in; the page lets it be changed."""
_MIB = 2**20


def facts(evidence: Evidence) -> dict[str, Any]:
    """Return what the page of costs shows."""
    main = evidence.board.metric.main
    title = f"{sentences.title(main)}, per cent"
    timed = [(row, row.line.cost) for row in evidence.competitors if row.line.cost]
    speed = drawing.scatter(
        [
            (row.label, row.file, cost.ms_per_page, row.line.figures[main].shown)
            for row, cost in timed
        ],
        "ms per page (median, log)",
        title,
    )
    memory = drawing.scatter(
        [
            (row.label, row.file, cost.rss_peak_bytes / _MIB, row.line.figures[main].shown)
            for row, cost in timed
            if cost.rss_peak_bytes
        ],
        "peak memory, MiB (log)",
        title,
    )
    quick, small = _front(speed), _front(memory)
    return {
        "main": main,
        "price": PRICE,
        "scatters": [
            (name, sheet)
            for name, sheet in (("Quality against time", speed), ("Quality against memory", memory))
            if sheet
        ],
        "rows": [
            {
                "row": row,
                "cost": row.line.cost,
                "number": number,
                "quick": row.label in quick,
                "small": row.label in small,
                "core_hours": core_hours(row),
            }
            for number, (row, _) in enumerate(timed, 1)
        ],
        "contended": not evidence.board.timings_ranked,
    }


def core_hours(row: Row) -> float | None:
    """Return the core-hours of a million pages: mean CPU time of a page × 10⁶ / 3,600 s."""
    cost = row.line.cost
    return cost.cpu_s / row.line.pages * 1e6 / 3600 if cost and row.line.pages else None


def _front(sheet: Scatter | None) -> set[str]:
    return {point.label for point in sheet.points if point.front} if sheet else set()
