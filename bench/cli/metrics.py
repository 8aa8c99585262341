"""``bench metrics``: every extractor's rank under every metric and data set, side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bench.cli import options, printing
from bench.cli.options import ScoreOptions
from bench.scoring import metric_catalogue

if TYPE_CHECKING:
    from bench.runs.store.runs import RunFolder
    from bench.scoring.stability import Column


@click.command(
    epilog="Examples: bench metrics · bench metrics --metric ngram,bow,lcs · "
    "bench metrics 20260101T12 20260102T09 --json · bench metrics --list"
)
@click.argument("run_ids", nargs=-1, metavar="[RUN]...")
@click.option("--list", "only_list", is_flag=True, help="List the metrics and what they cite.")
@options.results
@options.scoring
@click.option("--controls", is_flag=True, help="Rank the controls too.")
@options.output_or_markdown
def command(
    run_ids: tuple[str, ...],
    only_list: bool,
    results: Path,
    scoring: ScoreOptions,
    controls: bool,
    output: options.Output,
) -> None:
    """Rank the extractors of RUN... under every metric, and correlate the rankings.

    Without RUN, the latest finished run of each data set. Texts come from the store: no extractor
    runs.
    """
    if only_list:
        _list(as_json=output.as_json)
        return
    from bench.report import rankings
    from bench.scoring import stability

    columns: list[Column] = []
    for run_id in run_ids or _latest(results):
        run = _every_metric(results, run_id, scoring).run(run_id, results)
        ranked = [
            row
            for row in run.manifest.rows
            if row.label in run.keys and (controls or row.facts.counts_as == "extractor")
        ]
        labels, gold = [row.label for row in ranked], run.manifest.gold.name
        for scores in run.scored:
            places = [scores.place(row.key) for row in ranked]
            columns.append(stability.column(gold, scores, labels, places))
    output.show(stability.of(columns), rankings.document)


def _list(*, as_json: bool) -> None:
    metrics = metric_catalogue.every(printing.tell).values()
    if as_json:
        printing.print_json(
            [
                {
                    **{name: getattr(metric, name) for name in ("name", "title", "main", "needs")},
                    "figures": list(metric.figures),
                    "range": [0.0, 1.0],
                    "citation": metric.citation,
                }
                for metric in metrics
            ]
        )
        return
    for metric in metrics:
        click.echo(f"{metric.name:<17} {metric.title}\n{'':<17} {metric.citation}")


def _latest(results: Path) -> list[str]:
    """Return the latest finished run of each data set."""
    from bench.runs.store import runs

    def on(gold: str) -> RunFolder | None:
        return runs.latest(results, lambda run: run.manifest.gold.name == gold)

    names = dict.fromkeys(run.manifest.gold.name for run in runs.all_runs(results) if run.finished)
    return [run.id for run in map(on, names) if run] or [runs.find(results, None).id]


def _every_metric(results: Path, run_id: str, scoring: ScoreOptions) -> ScoreOptions:
    """Ask for every metric that the gold of a run's data set will do for, unless some are named."""
    if scoring.metric_names:
        return scoring
    golds = [item.gold for item in scoring.run(run_id, results).data_set]
    metrics = metric_catalogue.every(printing.tell).values()
    names = [metric.name for metric in metrics if any(map(metric.applies, golds))]
    return replace(scoring, metric_names=tuple(names))
