"""What each row of a run would do at scale: rates, cost, memory, and what is lost at a deadline.

All of it is of one run: of how the times of its pages are distributed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from bench.metrics.base import Metric
from bench.model import FAILED, Outcome
from bench.runs.store.manifest import Manifest
from bench.runs.store.runs import RunFolder
from bench.scoring import cost
from bench.scoring.leaderboard import Leaderboard
from bench.scoring.scores import Scores
from bench.stats.estimate import Estimate
from bench.stats.figure import Figure, estimates
from bench.stats.proportion import exact_interval

DEADLINES_S = (0.1, 1.0, 5.0, 30.0)
QUANTILES = (0.5, 0.9, 0.99, 1.0)
MILLION = 1_000_000
_HOURS = MILLION / 3600
"""From seconds a page to hours a million."""


@dataclass(frozen=True)
class PerMillion:
    """Failures per million pages, with the exact 95 % interval."""

    value: float
    lo: float
    hi: float


@dataclass(frozen=True)
class ScaleLine:
    """One row at scale."""

    label: str
    rank: int | None
    pages_per_s_per_core: float | None
    """Pages over CPU time; None where pages are too quick for it."""
    core_hours: float | None
    """Of CPU time for a million pages."""
    memory_bytes: Mapping[float, int]
    """Quantiles over pages of the largest size of the worker's processes; empty where unknown."""
    lost: Mapping[float, float | None]
    """Share of pages without an answer within a deadline in seconds; None where the run was not
    patient enough to tell."""
    failures: PerMillion
    """Pages without an answer, timeouts of the run included."""
    at_deadline: Estimate | None
    """Mean quality of a page at the chosen deadline, lost pages counting 0; None without gold."""
    core_hours_at_deadline: float
    """For a million pages, of which none may take more CPU time than the deadline."""

    def to_json(self, price: float) -> dict[str, Any]:
        """Return the form for machines."""
        price_per_million = None if self.core_hours is None else self.core_hours * price
        return {**asdict(self), "cost_per_million": price_per_million}


@dataclass(frozen=True)
class Scale:
    """Every row of a run at scale, in the leaderboard's order."""

    manifest: Manifest
    board: Leaderboard | None
    """None for pages without gold."""
    lines: Sequence[ScaleLine]
    deadline_s: float
    price: float
    """Of a core-hour."""

    def to_json(self) -> dict[str, Any]:
        """Return the form for machines."""
        return {
            "run": self.manifest.id,
            "gold": self.manifest.gold.public(),
            "timings_ranked": self.manifest.timings_compare,
            "deadline_s": self.deadline_s,
            "figure_at_deadline": self.figure,
            "price": self.price,
            "extractors": [line.to_json(self.price) for line in self.lines],
        }

    @property
    def figure(self) -> str | None:
        """The figure that is shown at the deadline."""
        return _figure(self.board.metric) if self.board else None

    @property
    def board_at_deadline(self) -> Leaderboard:
        """The leaderboard with quality and CPU time at the deadline in place of its own."""
        board = self.board
        if board is None:
            raise ValueError("pages without gold have no leaderboard")
        figure = _figure(board.metric)
        lines = []
        for line, at_scale in zip(board.lines, self.lines, strict=True):
            cpu_s = at_scale.core_hours_at_deadline / _HOURS
            own = line.cost and replace(line.cost, cpu_s=cpu_s * line.cost.answered)
            quality = at_scale.at_deadline or line.figures[figure]
            lines.append(replace(line, figures={**line.figures, figure: quality}, cost=own))
        return replace(board, lines=lines, metric=board.metric.ranked_by(figure))


def of_run(
    run: RunFolder,
    scored: tuple[Leaderboard, Mapping[str, str], Scores] | None,
    *,
    deadline_s: float,
    price: float,
) -> Scale:
    """Return what the rows of a run would do at scale.

    ``scored``: its leaderboard, the rows' keys by label, and the scores that rank; None for pages
    without gold. ``price`` is that of a core-hour.
    """
    cells = run.cells("decode_s", *cost.OF)
    manifest = run.manifest
    if scored:
        board, keys, scores = scored
        rows = [(line.label, line.rank, keys[line.label]) for line in board.lines]
        figure = scores.figures[_figure(board.metric)]
    else:
        board = None
        rows = [(row.label, None, row.key) for row in manifest.rows if row.available]
    lines = []
    for label, rank, key in rows:
        every = cells[cells["row"] == key]
        first = every[every["repeat"] == 0].sort_values("page")
        took_s = (first["decode_s"] + first["wall_s"]).to_numpy(np.float64)
        failed = first["outcome"].isin(FAILED).to_numpy()
        quality = None
        if scored:
            by_page = figure.by_page[[scores.place(key)]]
            late = (failed | (took_s > deadline_s)) & ~np.isnan(by_page)
            quality = estimates(Figure((np.where(late, 0.0, by_page),), sites=figure.sites))[0]
        spent = cost.of_row(every, manifest.rows_by_key[key], manifest.machine.memory_bytes)
        peaks = first["rss_peak_bytes"].dropna().to_numpy(np.float64)
        # A run that gave up on pages knows nothing of what a longer deadline would have brought.
        timeouts = bool((first["outcome"] == Outcome.TIMEOUT).any())
        patience_s = manifest.conditions.page_s if timeouts else np.inf
        count, pages = int(failed.sum()), len(first)
        shares = (count / pages, *exact_interval(count, pages))
        cpu_s = np.minimum(first["cpu_s"].to_numpy(np.float64), deadline_s)
        lines.append(
            ScaleLine(
                label=label,
                rank=rank,
                pages_per_s_per_core=spent.pages_per_s_per_core,
                core_hours=spent.core_hours,
                memory_bytes={q: int(np.quantile(peaks, q)) for q in QUANTILES if len(peaks)},
                lost={
                    limit_s: float((failed | (took_s > limit_s)).mean())
                    if limit_s <= patience_s
                    else None
                    for limit_s in DEADLINES_S
                },
                failures=PerMillion(*(share * MILLION for share in shares)),
                at_deadline=quality,
                core_hours_at_deadline=float(cpu_s.mean()) * _HOURS,
            )
        )
    return Scale(manifest, board, lines, deadline_s, price)


def _figure(metric: Metric) -> str:
    """Return the figure to which a lost page can count 0: page F1 where the metric has it."""
    return "page_f1" if "page_f1" in metric.figures else metric.main
