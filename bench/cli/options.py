"""Options and helpers that several verbs share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from bench import paths
from bench.metrics import shingles
from bench.report.text import plain
from bench.stats import bootstrap

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
ngram = click.option(
    "--ngram",
    "n",
    type=click.IntRange(1, 20),
    default=shingles.N,
    show_default=True,
    metavar="N",
    help="Length of the n-grams that are compared.",
)
resamples = click.option(
    "--resamples",
    type=click.IntRange(10, 1_000_000),
    default=bootstrap.RESAMPLES,
    show_default=True,
    help="Bootstrap resamples for the intervals.",
)
seed = click.option(
    "--seed", type=int, default=bootstrap.SEED, show_default=True, help="Seed of the bootstrap."
)


def scoring(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the scorer."""
    return ngram(resamples(seed(command)))


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
