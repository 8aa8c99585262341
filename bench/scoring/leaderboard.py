"""The leaderboard: each row's figures with intervals, outcomes and cost, ranked by one of them.

``Leaderboard.to_json`` is what ``leaderboard.json`` holds; docs/leaderboard.md describes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.adapters.adapter import label
from bench.metrics.base import Metric
from bench.metrics.ngram import Ngram
from bench.model import Outcome
from bench.scoring import recommend
from bench.scoring.abstention import Abstention
from bench.scoring.cost import Cost
from bench.scoring.recommend import Recommendation
from bench.stats.estimate import ALPHA, LEVEL, POWER, Difference, Estimate, Standing

SCHEMA = 3

RANKED = "extractor"
UNRELIABLE = 0.05
"""Share of pages that failed, from which on a row is marked and not Pareto-optimal."""

Mix = Mapping[str, Mapping[str, float]]
"""The share of each label, by dimension of the pages."""


@dataclass(frozen=True)
class Line:
    """One row of the leaderboard."""

    name: str
    variant: str
    version: str | None
    kind: str
    language: str
    pages: int
    outcomes: Mapping[str, int]
    figures: Mapping[str, Estimate]
    """Of the metric that ranks."""
    cost: Cost | None
    network_attempts: int = 0
    flags: str = ""
    """What its worker did that figures cannot be trusted for: ``clock``, ``protocol``."""
    standing: Standing | None = None
    """Where it stands among those that compete; None for what does not: controls, ensembles, rules
    for certain sites, and variants of a program that competes already."""
    place: int | None = None
    """1 for the highest figure, 2 for the next, whatever of that is chance."""
    place_by_page_f1: int | None = None
    """The same by page F1, where the metric has it."""
    variant_of: str | None = None
    """Label of the row of the same program that competes in its place."""
    versus: Difference | None = None
    """Its figure less that row's."""
    metrics: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    """Figures under every chosen metric, by its name."""
    abstention: Abstention | None = None
    """What it does on pages without main content; None where there are none."""
    tuned_on: tuple[str, ...] = ()
    """``DATA_SET=URL``: what it was trained or tuned on, or whose authors it shares."""
    parser: str = ""
    """What turns the page's markup into a tree or events."""

    @property
    def label(self) -> str:
        """``name``, or ``name:variant``."""
        return label(self.name, self.variant)

    @property
    def rank(self) -> int | None:
        """1 for rows that none beats, one more than the rows that beat it; None without standing."""
        return self.standing.rank if self.standing else None

    @property
    def letters(self) -> str:
        """Rows that share a letter do not differ significantly."""
        return self.standing.text if self.standing else ""

    @property
    def competes(self) -> bool:
        """Whether it is an extractor like others, or a variant of one."""
        return self.kind == RANKED

    @property
    def unreliable(self) -> bool:
        """Whether so many pages failed that its cost is not that of doing the work."""
        return self.failed > UNRELIABLE * self.pages

    @property
    def cpu_ms(self) -> float | None:
        """Mean CPU time of an answered page in milliseconds; None where none was measured."""
        return self.cost.cpu_ms if self.cost else None

    @property
    def core_hours(self) -> float | None:
        """What a million pages take; None where no CPU time was measured."""
        return self.cost.core_hours if self.cost else None

    @property
    def failed(self) -> int:
        """Cells without an answer."""
        return sum(n for outcome, n in self.outcomes.items() if Outcome(outcome).failed)


@dataclass(frozen=True)
class Missing:
    """An extractor that could not be run, and how to fix that."""

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
    metric: Metric = field(default_factory=Ngram)
    """The one that ranks."""
    others: Sequence[Metric] = ()
    run: str | None = None
    mix: Mix | None = None
    """What the pages are weighed to; None where each page weighs the same."""
    detectable: float | None = None
    """Difference from the best that is found four times in five on these pages, as a share."""
    timings_ranked: bool = True
    """False where timings are contended, or of different machines."""
    warnings: Sequence[str] = ()
    contradictions: Mapping[str, Sequence[str]] | None = None
    """Pages on which an extractor's text changed from call to call; None where nobody looked."""
    machine: Mapping[str, Any] = field(default_factory=dict)
    machines: int = 1
    """Different ones on which cells were measured."""

    @property
    def labelled(self) -> int:
        """Pages that count for the figure that ranks."""
        return max((line.figures[self.metric.main].pages for line in self.lines), default=0)

    @property
    def recommendation(self) -> Recommendation | None:
        """Which row to take; None where nothing competes."""
        return recommend.of(self.lines, self.labelled)

    @property
    def moved_by_page_f1(self) -> list[tuple[str, int, int]]:
        """Label, place and place by page F1 of those whose places differ, most moved first."""
        moved = [
            (line.label, line.place, line.place_by_page_f1)
            for line in self.lines
            if line.place and line.place_by_page_f1 and line.place != line.place_by_page_f1
        ]
        return sorted(moved, key=lambda row: -abs(row[1] - row[2]))

    def to_json(self) -> dict[str, Any]:
        """Return the documented form, for machines."""
        return {
            "schema": SCHEMA,
            "run": self.run,
            "gold": dict(self.gold),
            "metric": {"name": self.metric.family, "n": self.metric.n, "figure": self.metric.main},
            "metrics": [_metric_json(metric) for metric in (self.metric, *self.others)],
            "weights": self.mix and {name: dict(own) for name, own in self.mix.items()},
            "level": LEVEL,
            "comparisons": {
                "alpha": round(ALPHA, 9),
                "correction": "holm",
                "power": POWER,
                "detectable": self.detectable,
            },
            "recommendation": self.recommendation and self.recommendation.to_json(),
            "timings_ranked": self.timings_ranked,
            "warnings": list(self.warnings),
            "contradictions": None if self.contradictions is None else dict(self.contradictions),
            "machine": dict(self.machine),
            "extractors": [_line_json(line) for line in self.lines],
            "unavailable": [asdict(missing) for missing in self.missing],
        }


def _metric_json(metric: Metric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "title": metric.title,
        "n": metric.n,
        "figures": list(metric.figures),
        "main": metric.main,
        "citation": metric.citation,
    }


def figures_json(figures: Mapping[str, Estimate]) -> dict[str, Any]:
    """Return figures for machines: value, standard error and interval of each."""
    return {
        name: {key: value for key, value in asdict(figure).items() if key != "pages"}
        for name, figure in figures.items()
    }


def _line_json(line: Line) -> dict[str, Any]:
    usage = asdict(line.cost) if line.cost else dict.fromkeys(Cost.__dataclass_fields__)
    return {
        "rank": line.rank,
        "best": line.standing and line.standing.best,
        "beaten_by": line.standing and line.standing.beaten_by,
        "letters": line.letters,
        "place": line.place,
        "place_by_page_f1": line.place_by_page_f1,
        "variant_of": line.variant_of,
        "versus": line.versus and asdict(line.versus),
        "name": line.name,
        "variant": line.variant,
        "label": line.label,
        "version": line.version,
        "kind": line.kind,
        "language": line.language,
        "pages": line.pages,
        "outcomes": dict(line.outcomes),
        **figures_json(line.figures),
        "metrics": {metric: figures_json(figures) for metric, figures in line.metrics.items()},
        "abstention": line.abstention and asdict(line.abstention),
        **usage,
        "network_attempts": line.network_attempts,
        "flags": line.flags,
        "tuned_on": " ".join(line.tuned_on),
    }
