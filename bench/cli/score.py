"""``bench score``: stored texts of a run, or other people's outputs, under any metric."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bench.cli import options, printing, progress
from bench.cli.options import ScoreOptions
from bench.model import UsageError

if TYPE_CHECKING:
    from bench.scoring.leaderboard import Leaderboard


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
@options.ranking
@options.output
def command(
    words: tuple[str, ...],
    gold_name: str,
    paths: tuple[Path, ...],
    results: Path,
    scoring: ScoreOptions,
    output: options.Output,
) -> None:
    """Score the stored texts of RUN (the latest), or other people's outputs, under any metric.

    No extractor runs. RUN may be the beginning of an id. A page without output counts as the
    empty text.
    """
    from bench.report import leaderboard

    if paths:
        board = _of_predictions([*paths, *map(_existing, words)], gold_name, scoring)
    else:
        board = scoring.run(_only(words), results).board
    output.show(board, leaderboard.document)


def _of_predictions(paths: Sequence[Path], gold_name: str, scoring: ScoreOptions) -> Leaderboard:
    from bench import api

    scored = api.score(paths, gold_name, scoring.metrics, progress=progress.bar())
    board = scored.board  # outputs that cannot be scored are an error: nothing is said before it
    for name, pages in scored.left_out.items():
        printing.tell(
            f"{name}: {len(pages)} pages are not in the data set and left out "
            f"(the first is {pages[0]!r})"
        )
    return board


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
