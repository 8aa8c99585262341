"""The leaderboard: each row's figures with intervals, outcomes and cost, ranked by one of them.

``Leaderboard.to_json`` is what ``leaderboard.json`` holds; docs/leaderboard.md describes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pandas as pd

from bench.adapters.adapter import label
from bench.datasets.catalogue import DataSet
from bench.metrics.base import Metric
from bench.metrics.ngram import Ngram
from bench.model import Outcome
from bench.runs.store.manifest import Difference as Unstable
from bench.runs.store.runs import RunFolder
from bench.runs.store.tables import Texts
from bench.scoring import abstention, cost, recommend
from bench.scoring.abstention import Abstention
from bench.scoring.cost import Cost
from bench.scoring.mix import Mix
from bench.scoring.predictions import Predictions
from bench.scoring.recommend import Recommendation
from bench.scoring.scores import Scores
from bench.stats import groups, paired
from bench.stats.figure import ALPHA, LEVEL, Estimate, estimates
from bench.stats.groups import Standing
from bench.stats.paired import Difference

SCHEMA = 3

RANKED = "extractor"
_ORDER = (RANKED, "site-specific", "ensemble", "control")
"""Kinds of rows, from top to bottom."""
CLOCK = "clock"
BUSY = 0.01
"""Share of cells whose answers may lie waiting on a busy machine, so that their clock is flagged."""
UNRELIABLE = 0.05
"""Share of pages that failed, from which on a row is marked and not Pareto-optimal."""


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
            "metrics": [_metric_json(each) for each in (self.metric, *self.others)],
            "weights": self.mix and {name: dict(own) for name, own in self.mix.items()},
            "level": LEVEL,
            "comparisons": {
                "alpha": round(ALPHA, 9),
                "correction": "holm",
                "power": paired.POWER,
                "detectable": self.detectable,
            },
            "recommendation": self.recommendation and self.recommendation.to_json(),
            "timings_ranked": self.timings_ranked,
            "warnings": list(self.warnings),
            "contradictions": None if self.contradictions is None else dict(self.contradictions),
            "machine": dict(self.machine),
            "extractors": [_line_json(line) for line in self.lines],
            "unavailable": [asdict(each) for each in self.missing],
        }


def of_run(
    run: RunFolder,
    data_set: DataSet,
    scores: Sequence[Scores],
    *,
    variants: bool = False,
    mix: Mix | None = None,
) -> Leaderboard:
    """Return the leaderboard of a finished run from its cells and scores; the first metric ranks.

    With ``variants``, those of one program compete with each other and with all others. ``mix`` is
    what the scores are weighed to.
    """
    manifest = run.manifest
    cells = run.cells()
    facts = manifest.rows_by_key
    keys = [key for key in scores[0].rows if key in facts]
    values = _figures(scores)
    lines = []
    by_row = dict(iter(cells.groupby("row", sort=False)))
    texts = Texts(run.path)

    def texts_of(key: str, pages: Sequence[str]) -> list[str]:
        own = by_row[key]
        hashes = own[own["page"].isin(pages) & (own["repeat"] == 0)]["text_hash"]
        by_hash = texts.get(hashes)
        return [by_hash[name] for name in hashes]

    abstained = abstention.of_rows(scores[0], data_set, texts_of)
    for key in keys:
        own = by_row[key]
        lines.append(
            Line(
                name=facts[key].facts.name,
                variant=facts[key].variant,
                version=facts[key].version,
                kind=facts[key].facts.counts_as,
                language=facts[key].facts.language,
                pages=len(data_set),
                outcomes=_outcomes(own[own["repeat"] == 0]["outcome"]),
                figures=values[key][scores[0].metric.name],
                metrics=values[key],
                cost=cost.of_row(own, facts[key], manifest.machine.memory_bytes),
                network_attempts=max(
                    int(own["network_attempts"].sum()), facts[key].network_attempts
                ),
                flags=_flags(facts[key].flags, own["flags"]),
                tuned_on=facts[key].facts.tuned_on,
                parser=facts[key].facts.parser_of(facts[key].variant),
                abstention=abstained.get(key),
            )
        )
    missing = [
        Missing(row.label, row.problem, row.remedy) for row in manifest.rows if row.key not in keys
    ]
    lines, smallest = _ranked(lines, keys, scores[0], variants=variants)
    return Leaderboard(
        gold=manifest.gold.public(),
        lines=lines,
        detectable=smallest,
        missing=missing,
        metric=scores[0].metric,
        others=[each.metric for each in scores[1:]],
        run=run.id,
        mix=mix,
        timings_ranked=manifest.timings_compare,
        warnings=manifest.warnings,
        contradictions=_contradictions(manifest.determinism),
        machine=asdict(manifest.machine),
        machines=len(manifest.machines),
    )


def of_predictions(
    systems: Sequence[Predictions],
    data_set: DataSet,
    scores: Sequence[Scores],
) -> Leaderboard:
    """Return the leaderboard of other people's outputs: no usage."""
    values = _figures(scores)
    by_name = {system.name: system.texts for system in systems}
    abstained = abstention.of_rows(
        scores[0], data_set, lambda name, pages: [by_name[name][page] for page in pages]
    )
    lines = [
        Line(
            name=system.name,
            variant="default",
            version=system.version,
            kind="extractor",
            language="",
            pages=len(data_set),
            outcomes=_outcomes(pd.Series(scores[0].outcomes[at])),
            figures=values[system.name][scores[0].metric.name],
            metrics=values[system.name],
            cost=None,
            abstention=abstained.get(system.name),
        )
        for at, system in enumerate(systems)
    ]
    names = [system.name for system in systems]
    lines, smallest = _ranked(lines, names, scores[0], variants=True)
    return Leaderboard(
        gold=data_set.facts,
        lines=lines,
        detectable=smallest,
        metric=scores[0].metric,
        others=[each.metric for each in scores[1:]],
    )


def _figures(scores: Sequence[Scores]) -> dict[str, dict[str, dict[str, Estimate]]]:
    """Return row → metric → figure."""
    values: dict[str, dict[str, dict[str, Estimate]]] = {row: {} for row in scores[0].rows}
    for of_metric in scores:
        for name, figure in of_metric.figures.items():
            for row, own in zip(of_metric.rows, estimates(figure), strict=True):
                values[row].setdefault(of_metric.metric.name, {})[name] = own
    return values


def _contradictions(found: Sequence[Unstable] | None) -> dict[str, list[str]] | None:
    if found is None:
        return None
    pages: dict[str, list[str]] = {}
    for each in found:
        pages.setdefault(each.label, []).append(f"{each.page_id} ({each.how})")
    return pages


def _ranked(
    lines: Sequence[Line], keys: Sequence[str], scores: Scores, *, variants: bool
) -> tuple[list[Line], float | None]:
    """Return lines best first, and the difference from the best that is found four times in five.

    They are ordered by the main figure, then accuracy, then name; what does not compete comes last,
    and a program's variants right after the row that competes for it.
    """

    def order(line: Line) -> tuple[int, float, float, str]:
        ties = line.figures.get("accuracy")
        main = line.figures[scores.metric.main].shown
        return (_ORDER.index(line.kind), -main, -ties.shown if ties else 0.0, line.label)

    places = {line.label: scores.place(key) for line, key in zip(lines, keys, strict=True)}
    rivals = [line for line in lines if line.competes]
    leads = {} if variants else {line.label: _lead(line, rivals).label for line in rivals}
    ranked = sorted((r for r in rivals if leads.get(r.label, r.label) == r.label), key=order)
    standings = groups.of_figure(scores.main.take([places[line.label] for line in ranked]))
    others = [line for line in rivals if line not in ranked]
    against = paired.differences(
        scores.main, [(places[line.label], places[leads[line.label]]) for line in others]
    )
    followers = [
        replace(line, variant_of=leads[line.label], versus=difference)
        for line, difference in zip(others, against, strict=True)
    ]
    by_page: Sequence[Line] = ()
    if "page_f1" in scores.metric.figures:
        by_page = sorted(ranked, key=lambda line: -line.figures["page_f1"].shown)
    placed: list[Line] = []
    for place, (line, standing) in enumerate(zip(ranked, standings.rows, strict=True), 1):
        by_page_f1 = by_page.index(line) + 1 if by_page else None
        placed.append(replace(line, place=place, place_by_page_f1=by_page_f1, standing=standing))
        placed += sorted((own for own in followers if own.variant_of == line.label), key=order)
    return [
        *placed,
        *sorted((line for line in lines if not line.competes), key=order),
    ], standings.detectable


def _lead(line: Line, rivals: Sequence[Line]) -> Line:
    """Return the row that competes for a line's program: the default's, else the first that ran."""
    program = [rival for rival in rivals if rival.name == line.name]
    return next((rival for rival in program if rival.label == rival.name), program[0])


def _flags(of_row: Sequence[str], of_cells: "pd.Series[str]") -> str:
    """Return what a row is marked for: by its sums, or by more cells than a busy machine explains."""
    counts = of_cells.str.split().explode().value_counts()
    shares = {str(flag): count / len(of_cells) for flag, count in counts.items()}
    of_cells_too = {flag for flag, share in shares.items() if flag != CLOCK or share > BUSY}
    return " ".join(sorted({*of_row, *of_cells_too}))


def _outcomes(column: "pd.Series[str]") -> dict[str, int]:
    counts = column.value_counts()
    return {each.value: int(counts.get(each.value, 0)) for each in Outcome}


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
