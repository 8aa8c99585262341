"""Options and helpers that several verbs share."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.metrics.ngram import N
from bench.runs.supervise import Limits
from bench.scoring import metric_catalogue
from bench.stats.bootstrap import Bootstrap
from bench.util import paths
from bench.util.display import plain

NO_BUILD = "BENCH_NO_BUILD"
"""Environment variable that makes --no-build the default."""

gold = click.option(
    "--gold",
    "gold_name",
    default="starter",
    show_default=True,
    metavar="NAME",
    help="Data set: a name from `bench gold list`, or folder:PATH.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
results = click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default=lambda: paths.working("results"),
    show_default="results/",
    help="Where runs are kept.",
)
reports = click.option(
    "--reports",
    type=click.Path(path_type=Path, file_okay=False),
    default=lambda: paths.working("reports"),
    show_default="reports/",
    help="Where tables and charts are written.",
)
deadline = click.option(
    "--deadline",
    type=click.FloatRange(0.01),
    default=Limits.page_s,
    show_default=True,
    metavar="SECONDS",
    help="Time that one page may take.",
)
fresh = click.option(
    "--fresh", is_flag=True, help="Start over, take nothing over from earlier runs."
)
quiet = click.option("--quiet", "-q", is_flag=True, help="No progress.")
ngram = click.option(
    "--ngram",
    "n",
    type=click.IntRange(1, 20),
    default=N,
    show_default=True,
    metavar="N",
    help="Length of the n-grams that are compared.",
)
_resamples = click.option(
    "--resamples",
    type=click.IntRange(10, 1_000_000),
    default=Bootstrap.resamples,
    show_default=True,
    help="Bootstrap resamples for the intervals.",
)
_seed = click.option(
    "--seed", type=int, default=Bootstrap.seed, show_default=True, help="Seed of the bootstrap."
)


def bootstrap(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the bootstrap; the verb gets them as ``bootstrap``."""

    @functools.wraps(command)
    def with_bootstrap(*, resamples: int, seed: int, **others: Any) -> Any:
        return command(bootstrap=Bootstrap(resamples, seed), **others)

    return _resamples(_seed(with_bootstrap))


metric = click.option(
    "--metric",
    "metric_names",
    multiple=True,
    metavar="NAME[,NAME]",
    help="Metrics, the first ranks; the path of a file adds one: "
    f"{', '.join(metric_catalogue.shipped())}, ngram-N, rouge-N.  [default: ngram, or snippets]",
)


isolate = click.option(
    "--isolate", is_flag=True, help="Give every extractor an environment of its own."
)
build = click.option(
    "--build/--no-build",
    default=lambda: not os.environ.get(NO_BUILD),
    help="Make the environments that extractors need and that are not there yet.  [default: build]",
)


def environments(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of extractors' environments."""
    return isolate(build(command))


def prepared(
    rows: Sequence[Row], *, isolate: bool, build: bool, more: Sequence[str] = ()
) -> list[Row]:
    """Return the rows with the environments that they need, telling what is made."""
    # Imported here: finding and making environments is not needed by every verb.
    from bench.adapters.environments import assign as environments
    from bench.cli import progress

    bar = progress.bar()
    return environments.prepared(rows, isolate=isolate, build=build, more=more, progress=bar)


def scoring(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the scorer."""
    return metric(ngram(bootstrap(command)))


def _use_adapters(
    _context: click.Context, _option: click.Parameter, chosen: Sequence[Path]
) -> None:
    """Have the registry find the adapters that the user named; say which others they stand in for."""
    if chosen:
        for line in registry.use(chosen):
            tell(line)


adapter = click.option(
    "--adapter",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    expose_value=False,
    callback=_use_adapters,
    help="An adapter file (.py or .R), or a folder of them, beside those that ship; repeatable.",
)


def console(*, stderr: bool = False) -> Console:
    """Return the terminal: colours only on a terminal and without NO_COLOR, 100 columns elsewhere."""
    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal and "COLUMNS" not in made._environ:
        made.width = 100
    return made


def tell(line: str) -> None:
    """Say one line on standard error, whatever a stranger put into it."""
    click.echo(f"bench: {plain(line)}", err=True)


def short(path: Path) -> str:
    """Return a path as seen from here, if it is below."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def print_json(value: Any) -> None:
    """Print JSON on standard output."""
    json.dump(value, sys.stdout, indent=2, allow_nan=False)
    sys.stdout.write("\n")
