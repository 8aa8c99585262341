"""Makes leaderboards, of a run's cells and scores or of other people's outputs: figures, cost, ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from bench.datasets.catalogue import DataSet
from bench.model import Outcome
from bench.scoring import abstention, cost
from bench.scoring.leaderboard import RANKED, Leaderboard, Line, Missing, Mix
from bench.scoring.predictions import Predictions
from bench.scoring.scores import Scores
from bench.stats import groups, paired
from bench.stats.estimate import Estimate
from bench.stats.figure import estimates

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.store.manifest import Difference as Unstable
    from bench.runs.store.runs import RunFolder

_ORDER = (RANKED, "site-specific", "ensemble", "control")
"""Kinds of rows, from top to bottom."""
_CLOCK = "clock"
_BUSY = 0.01
"""Share of cells whose answers may lie waiting on a busy machine, so that their clock is flagged."""


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
    # Not at the top: outputs of other people are ranked without pandas and Parquet.
    from bench.runs.store.tables import Texts

    manifest = run.manifest
    facts = manifest.rows_by_key
    keys = [key for key in scores[0].rows if key in facts]
    values = _figures(scores)
    texts = Texts(run.path)

    def texts_of(key: str, pages: Sequence[str]) -> list[str]:
        if not pages or not run.has_texts:
            return []
        own = run.cells("page", "text_hash", row=key, repeat=0)
        hashes = own[own["page"].isin(pages)]["text_hash"]
        by_hash = texts.get(hashes)
        return [by_hash[name] for name in hashes]

    abstained = abstention.of_rows(scores[0], data_set, texts_of)
    lines = [
        Line(
            name=row.facts.name,
            variant=row.variant,
            version=row.version,
            kind=row.facts.counts_as,
            language=row.facts.language,
            pages=len(data_set),
            outcomes=_outcomes(cells[cells["repeat"] == 0]["outcome"]),
            figures=values[row.key][scores[0].metric.name],
            metrics=values[row.key],
            cost=cost.of_row(cells, row, manifest.machine.memory_bytes),
            network_attempts=max(int(cells["network_attempts"].sum()), row.network_attempts),
            flags=_flags(row.flags, cells["flags"]),
            tuned_on=row.facts.tuned_on,
            parser=row.facts.parser_of(row.variant),
            abstention=abstained.get(row.key),
        )
        for row in map(facts.__getitem__, keys)
        for cells in [run.cells("network_attempts", "flags", *cost.OF, row=row.key)]
    ]
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
        others=[own.metric for own in scores[1:]],
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
            outcomes=_outcomes(scores[0].outcomes[at]),
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
        others=[own.metric for own in scores[1:]],
    )


def _figures(scores: Sequence[Scores]) -> dict[str, dict[str, dict[str, Estimate]]]:
    """Return row → metric → figure."""
    values: dict[str, dict[str, dict[str, Estimate]]] = {row: {} for row in scores[0].rows}
    for of_metric in scores:
        for name, figure in of_metric.figures.items():
            for row, own in zip(of_metric.rows, estimates(figure), strict=True):
                values[row].setdefault(of_metric.metric.name, {})[name] = own
    return values


def _contradictions(unstable: Sequence[Unstable] | None) -> dict[str, list[str]] | None:
    if unstable is None:
        return None
    pages: dict[str, list[str]] = {}
    for answer in unstable:
        pages.setdefault(answer.label, []).append(f"{answer.page_id} ({answer.how})")
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


def _flags(of_row: Sequence[str], of_cells: pd.Series[str]) -> str:
    """Return what a row is marked for: by its sums, or by more cells than a busy machine explains."""
    counts = of_cells.str.split().explode().value_counts()
    shares = {str(flag): count / len(of_cells) for flag, count in counts.items()}
    of_cells_too = {flag for flag, share in shares.items() if flag != _CLOCK or share > _BUSY}
    return " ".join(sorted({*of_row, *of_cells_too}))


def _outcomes(of_cells: Iterable[str]) -> dict[str, int]:
    counts = Counter(of_cells)
    return {outcome.value: counts[outcome.value] for outcome in Outcome}
