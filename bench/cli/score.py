"""``bench score``: other people's outputs on the same leaderboard."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from bench.cli import options, progress
from bench.gold import catalogue
from bench.model import UsageError
from bench.report import terminal
from bench.scoring import leaderboard, ngram, predictions
from bench.scoring.predictions import Predictions


@click.command(
    epilog="Example: bench score --gold aeb --predictions output/ --json",
)
@options.gold
@click.option(
    "--predictions",
    "paths",
    multiple=True,
    required=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help='A file, or a folder of files, {id: {"articleBody": text}}; may be given again.',
)
@click.argument("more", nargs=-1, type=click.Path(exists=True, path_type=Path), metavar="[PATH]...")
@options.scoring
@options.as_json
def command(
    gold_name: str,
    paths: tuple[Path, ...],
    more: tuple[Path, ...],
    n: int,
    resamples: int,
    seed: int,
    as_json: bool,
) -> None:
    """Score other people's outputs against a data set's gold.

    A page without output counts as the empty text.
    """
    systems = [each for path in (*paths, *more) for each in predictions.read(path)]
    _refuse_doubles(systems)
    data_set = catalogue.open_gold(gold_name)
    with progress.pages("scoring", len(data_set)) as told:
        scores = ngram.score_predictions(systems, data_set, n, told)
    board = leaderboard.of_predictions(
        systems, data_set, scores, n=n, resamples=resamples, seed=seed
    )
    strangers = _strangers(systems, set(data_set.ids))
    for line in strangers:
        options.tell(line)
    if as_json:
        options.print_json(board.to_json())
    else:
        terminal.show(board, options.console())


def _refuse_doubles(systems: list[Predictions]) -> None:
    doubles = [name for name, count in Counter(s.name for s in systems).items() if count > 1]
    if doubles:
        raise UsageError(f"two prediction files are called {doubles[0]}; rename one")


def _strangers(systems: list[Predictions], ids: set[str]) -> list[str]:
    """Say which systems have pages that the data set has not: they are left out."""
    lines = []
    for system in systems:
        foreign = sorted(set(system.texts) - ids)
        if foreign:
            lines.append(
                f"{system.name}: {len(foreign)} pages are not in the data set and left out "
                f"(the first is {foreign[0]!r})"
            )
    return lines
