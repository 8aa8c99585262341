"""``bench metrics``: every extractor's rank under every metric and data set, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from bench.api import Run
from bench.cli import options
from bench.cli.options import ScoreOptions
from bench.report import markdown, rankings, terminal
from bench.runs.store import runs
from bench.scoring import metric_catalogue, stability
from bench.scoring.stability import Column
from bench.stats.bootstrap import Bootstrap


@click.command(
    epilog="Examples: bench metrics · bench metrics --metric ngram,bow,lcs · "
    "bench metrics 20260101T12 20260102T09 --json · bench metrics --list"
)
@click.argument("run_ids", nargs=-1, metavar="[RUN]...")
@click.option("--list", "only_list", is_flag=True, help="List the metrics and what they cite.")
@options.results
@options.scoring
@click.option("--controls", is_flag=True, help="Rank the controls too.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@options.as_json
def command(
    run_ids: tuple[str, ...],
    only_list: bool,
    results: Path,
    scoring: ScoreOptions,
    controls: bool,
    as_markdown: bool,
    as_json: bool,
) -> None:
    """Rank the extractors of RUN... under every metric, and correlate the rankings.

    Without RUN, the latest finished run of each data set. Texts come from the store: no extractor
    runs.
    """
    if only_list:
        _list(as_json=as_json)
        return
    columns = [
        column
        for run_id in run_ids or _latest(results)
        for column in _columns(
            _every_metric(results, run_id, scoring).run(run_id, results),
            controls=controls,
            bootstrap=scoring.bootstrap,
        )
    ]
    found = stability.of(columns)
    if as_json:
        options.print_json(found.to_json())
    elif as_markdown:
        click.echo(markdown.render(rankings.document(found)), nl=False)
    else:
        terminal.show(rankings.document(found), options.console())


def _list(*, as_json: bool) -> None:
    every = metric_catalogue.every(options.tell).values()
    if as_json:
        options.print_json(
            [
                {
                    **{name: getattr(each, name) for name in ("name", "title", "main", "needs")},
                    "figures": list(each.figures),
                    "range": [0.0, 1.0],
                    "citation": each.citation,
                }
                for each in every
            ]
        )
        return
    for each in every:
        click.echo(f"{each.name:<17} {each.title}\n{'':<17} {each.citation}")


def _latest(results: Path) -> list[str]:
    """Return the latest finished run of each data set."""
    found: dict[str, str] = {}
    for run in runs.all_runs(results):
        if run.finished:
            found.setdefault(run.manifest.gold.name, run.id)
    return list(found.values()) or [runs.find(results, None).id]


def _every_metric(results: Path, run_id: str, scoring: ScoreOptions) -> ScoreOptions:
    """Ask for every metric that the gold of a run's data set will do for, unless some are named."""
    if scoring.metric_names:
        return scoring
    golds = [item.gold for item in scoring.run(run_id, results).data_set]
    metrics = metric_catalogue.every(options.tell).values()
    names = [metric.name for metric in metrics if any(map(metric.applies, golds))]
    return replace(scoring, metric_names=tuple(names))


def _columns(run: Run, *, controls: bool, bootstrap: Bootstrap) -> Iterator[Column]:
    kinds = {row.label: row.facts.kind for row in run.manifest.rows}
    labels = [label for label in run.keys if controls or kinds[label] == "extractor"]
    gold = run.manifest.gold.name
    for scores in run.scored:
        rows = [scores.place(run.keys[label]) for label in labels]
        yield stability.column(gold, scores, labels, rows, bootstrap)
