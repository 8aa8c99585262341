"""``bench score``: stored texts of a run, or other people's outputs, under any metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from bench.cli import options, progress
from bench.cli.options import ScoreOptions
from bench.cli.scored import stored
from bench.datasets import catalogue
from bench.model import UsageError
from bench.report import leaderboard as report
from bench.report import terminal
from bench.scoring import leaderboard, predictions, scores
from bench.scoring.leaderboard import Leaderboard
from bench.scoring.predictions import Predictions


@click.command(
    epilog="Examples: bench score --metric bow,rouge-lsum · bench score 2026 --metric levenshtein · "
    "bench score --gold aeb --predictions output/ --json",
)
@click.argument("words", nargs=-1, metavar="[RUN]")
@options.gold
@click.option(
    "--predictions",
    "paths",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="A file, or a folder of files, in AEB's, WCXB's or the SIGIR study's form; may be given "
    "again.",
)
@options.results
@options.scoring
@options.as_json
def command(
    words: tuple[str, ...],
    gold_name: str,
    paths: tuple[Path, ...],
    results: Path,
    scoring: ScoreOptions,
    as_json: bool,
) -> None:
    """Score the stored texts of RUN (the latest), or other people's outputs, under any metric.

    No extractor runs. RUN may be the beginning of an id. A page without output counts as the
    empty text.
    """
    if paths:
        board = _of_predictions([*paths, *map(_existing, words)], gold_name, scoring)
    else:
        board = stored(results, _only(words), scoring).board(scoring.bootstrap)
    if as_json:
        options.print_json(board.to_json())
    else:
        terminal.show(report.document(board), options.console())


def _of_predictions(
    paths: Sequence[Path],
    gold_name: str,
    scoring: ScoreOptions,
) -> Leaderboard:
    systems = [each for path in paths for each in predictions.read(path)]
    _refuse_doubles(systems)
    data_set = catalogue.open_gold(gold_name)
    metrics = scoring.metrics(data_set)
    found = scores.of_predictions(systems, data_set, metrics, progress.bar())
    for line in _strangers(systems, set(data_set.ids)):
        options.tell(line)
    return leaderboard.of_predictions(systems, data_set, found, scoring.bootstrap)


def _existing(word: str) -> Path:
    path = Path(word)
    if not path.exists():
        raise UsageError(f"there is no file or folder {word} with predictions")
    return path


def _only(words: Sequence[str]) -> str | None:
    if len(words) > 1:
        raise UsageError("give one run, or files of other people's outputs with --predictions")
    if words and Path(words[0]).exists():
        raise UsageError(f"{words[0]} is a file or folder; score it with --predictions {words[0]}")
    return words[0] if words else None


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
