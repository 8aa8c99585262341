"""``bench compare``: two runs, two rows, or other people's outputs, held against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from bench.cli import options, progress
from bench.datasets import catalogue
from bench.datasets.catalogue import DataSet
from bench.metrics.base import Metric
from bench.model import UsageError
from bench.report import comparison as report
from bench.report import markdown, terminal
from bench.scoring import metric_catalogue, page_slices, scores, stored_run
from bench.scoring.compare import rows as comparing
from bench.scoring.compare import sides, words
from bench.scoring.compare.marks import CannotCompare
from bench.scoring.compare.rows import Comparison
from bench.scoring.compare.sides import Side
from bench.scoring.compare.words import Source
from bench.stats.bootstrap import Bootstrap

BY = ("page_type", "language", "length")


@click.command(
    epilog="Examples: bench compare trafilatura readability · bench compare 20260101 20260201 · "
    "bench compare 20260101/trafilatura 20260201/trafilatura:precision --pages 20 · "
    "bench compare --gold aeb output/trafilatura.json output/readability.json --markdown"
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@options.gold
@options.scoring
@click.option(
    "--by",
    multiple=True,
    metavar="DIMENSION",
    help="Slices to look at, may be given again.  [default: page_type, language, length]",
)
@click.option("--all-rows", is_flag=True, help="Show rows that do not differ as well.")
@click.option(
    "--pages",
    "pages_shown",
    type=click.IntRange(0),
    default=report.PAGES,
    show_default=True,
    metavar="N",
    help="Show N pages that changed for each row.",
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@options.results
@options.as_json
def command(
    first: str,
    second: str,
    gold_name: str,
    scoring: options.ScoreOptions,
    by: tuple[str, ...],
    all_rows: bool,
    pages_shown: int,
    as_markdown: bool,
    results: Path,
    as_json: bool,
) -> None:
    """Hold B against A: what is better, worse, or cannot be told apart, and on which pages.

    A and B are runs (an id or the beginning of one; rows with the same label are compared), rows
    (NAME[:VARIANT][@VERSION] of the latest run, or RUN/LABEL), or files and folders of
    predictions on --gold. Only pages that both have count.
    """
    if as_json and as_markdown:
        raise UsageError("give --json or --markdown, not both")
    sources = [words.find(word, results) for word in (first, second)]
    data_set = _data_set(sources, gold_name)
    chosen = metric_catalogue.for_data_set(data_set, scoring.metrics)
    if len(chosen) > 1:
        raise UsageError("a comparison is by one metric; give one with --metric")
    found = _compared(sources, data_set, chosen[0], by, scoring.bootstrap)
    blocks = report.document(found, pages=pages_shown, all_rows=all_rows)
    if as_json:
        options.print_json(found.to_json())
    elif as_markdown:
        click.echo(markdown.render(blocks), nl=False)
    else:
        terminal.show(blocks, options.console())


def _data_set(sources: Sequence[Source], gold_name: str) -> DataSet:
    """Return the one data set of both. Raises ``CannotCompare`` where theirs differ."""
    stored = [each.run for each in sources if each.run is not None]
    if not stored:
        return catalogue.open_gold(gold_name)
    facts = [each.manifest.gold for each in stored]
    if len({each.fingerprint for each in facts}) > 1:
        told = " and ".join(f"{each.name} ({each.fingerprint[:12]})" for each in facts)
        raise CannotCompare(
            f"the two are on different pages or gold: {told}; run one of them again on the "
            "other's data set"
        )
    return stored_run.data_set(stored[0])


def _compared(
    sources: Sequence[Source],
    data_set: DataSet,
    metric: Metric,
    by: Sequence[str],
    bootstrap: Bootstrap,
) -> Comparison:
    first, second = (_sides(each, data_set, metric) for each in sources)
    if not sources[0].single and sources[1].single:
        first = _same_row(first, second, sources[0])
    elif sources[0].single and not sources[1].single:
        second = _same_row(second, first, sources[1])
    pairs, missing = comparing.paired(first, second)
    for one, other in pairs:
        if not (one.there & other.there).any():
            raise CannotCompare(f"{one.label} and {other.label} have no page in common")
    if by:
        labels = {name: page_slices.of(data_set, name, progress.bar()) for name in by}
    else:
        known = page_slices.dimensions(data_set, progress.bar())
        labels = {name: known[name] for name in BY if name in known}
    return Comparison(
        first=_title(sources[0], first),
        second=_title(sources[1], second),
        gold=data_set.facts,
        metric=metric,
        pages=len(data_set),
        pairs=tuple(comparing.compare(metric, tuple(data_set.ids), pairs, labels, bootstrap)),
        missing=missing,
        warnings=tuple(_warnings(sources)),
        bootstrap=bootstrap,
    )


def _sides(source: Source, data_set: DataSet, metric: Metric) -> dict[str, Side]:
    if source.run is None:
        (found,) = scores.of_predictions(source.systems, data_set, [metric], progress.bar())
        return sides.of_predictions(
            found,
            {each.name: each.version for each in source.systems},
            {each.name: list(each.texts) for each in source.systems},
        )
    (found,) = scores.of_run(source.run, data_set, [metric], progress.bar())
    known = sides.of_run(source.run, found)
    if source.label is None:
        return known
    if source.label not in known:
        reason = sides.facts_of_missing(source.run).get(source.label, "it has no cells")
        raise CannotCompare(f"{source.label} could not be run in {source.run.id}: {reason}")
    return {source.label: known[source.label]}


def _same_row(many: dict[str, Side], one: dict[str, Side], source: Source) -> dict[str, Side]:
    """Return the row of a run that has the label of the only row of the other side."""
    (label,) = one
    if label not in many:
        raise UsageError(f"{source.word} has no row {label!r}; name the one to hold it against")
    return {label: many[label]}


def _title(source: Source, rows: dict[str, Side]) -> str:
    if source.run is None:
        version = next(iter(rows.values())).version if source.single else None
        return f"{source.word}{f', version {version}' if version else ''}"
    if source.label is None:
        return f"run {source.run.id}, {len(rows)} rows"
    side = next(iter(rows.values()))
    return f"{side.label} {side.version or ''}, run {source.run.id}"


def _warnings(sources: Sequence[Source]) -> list[str]:
    """Return why usage is hard to compare; quality does not depend on the machine."""
    manifests = [each.run.manifest for each in sources if each.run is not None]
    if len(manifests) < 2:
        return []
    found = []
    one, other = manifests
    if one.machine_id != other.machine_id:
        found.append(
            f"measured on different machines ({one.machine_id}; {other.machine_id}), do not "
            "compare CPU times"
        )
    if one.machine.python != other.machine.python:
        found.append(f"measured under Python {one.machine.python} and {other.machine.python}")
    ours, theirs = ({**asdict(each.conditions), "repeats": each.repeats} for each in manifests)
    changed = [name for name, value in ours.items() if theirs[name] != value]
    if changed:
        found.append(f"measured under different conditions ({', '.join(changed)})")
    if any(each.conditions.jobs > 1 for each in manifests):
        found.append("workers ran side by side, CPU times are contended")
    return found
