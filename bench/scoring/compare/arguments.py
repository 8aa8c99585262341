"""What a word on the command line means: a run, a row of one, or other people's outputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.model import UsageError
from bench.runs.store import runs
from bench.runs.store.runs import RunFolder
from bench.scoring import export, predictions, stored_run
from bench.scoring.predictions import Predictions
from bench.util import suggest


@dataclass(frozen=True)
class Source:
    """What one of the two words names."""

    word: str
    run: RunFolder | None = None
    label: str | None = None
    """The one row that is meant; None for all."""
    systems: tuple[Predictions, ...] = ()

    @property
    def single(self) -> bool:
        """Whether it is one row."""
        return self.label is not None or len(self.systems) == 1

    def texts(self, label: str) -> Mapping[str, str]:
        """Return what one of its rows, or systems, returned for each page."""
        if self.run is not None:
            return export.texts_of(self.run, label)
        return next(system.texts for system in self.systems if system.name == label)


def find(words: Sequence[str], results: Path) -> list[Source]:
    """Return what each word names.

    A file or folder is predictions; ``RUN`` a run, by its id, the beginning of it or a tag;
    ``RUN/LABEL`` a row of that run; any other word a row: ``NAME``, ``NAME:VARIANT``, and either
    with ``@VERSION``. Rows are those of the newest run that has them all, else each of the newest
    that has it. Raises ``UsageError`` for anything else.
    """
    sources = {word: _explicit(word, results) for word in words}
    rows = [word for word, source in sources.items() if source is None]

    def has_all(run: RunFolder) -> bool:
        return all(stored_run.rows_named(run, row) for row in rows)

    # Where no row is to be looked for, a run that is damaged is no matter.
    shared = runs.latest(results, has_all) if rows else None
    return [
        source or _row(word, shared or _newest_with(word, results), word)
        for word in words
        for source in [sources[word]]
    ]


def _explicit(word: str, results: Path) -> Source | None:
    """Return the predictions, the run or the row of a run that a word names; None for a mere row."""
    if Path(word).is_file():
        return Source(word, systems=tuple(predictions.read(Path(word))))
    if word == runs.LATEST or runs.named(results, word):
        return Source(word, stored_run.finished(results, word))
    run, slash, label = word.partition("/")
    if run and slash and (run == runs.LATEST or runs.named(results, run)):
        return _row(word, stored_run.finished(results, run), label)
    if Path(word).is_dir() and not _has_row(word, results):
        return Source(word, systems=tuple(predictions.read(Path(word))))
    return None


def _has_row(row: str, results: Path) -> bool:
    return any(stored_run.rows_named(run, row) for run in runs.all_runs(results) if run.finished)


def _newest_with(row: str, results: Path) -> RunFolder:
    """Return the newest run that has a row. Raises ``UsageError`` where none has."""
    stored_run.finished(results)
    newest = runs.latest(results, lambda run: bool(stored_run.rows_named(run, row)))
    if newest is None:
        rows_of_runs = (run.manifest.rows for run in runs.all_runs(results) if run.finished)
        labels = dict.fromkeys(stored_row.label for rows in rows_of_runs for stored_row in rows)
        raise UsageError(f"no run has a row {row!r}; {suggest.hint(row, labels, most=3)}")
    return newest


def _row(word: str, run: RunFolder, label: str) -> Source:
    matches = stored_run.rows_named(run, label)
    # The bare name means the first variant, as on every command line.
    if len(matches) == 1 or (matches and matches[0].facts.name == label):
        return Source(word, run, matches[0].label)
    if matches:
        raise UsageError(
            f"{word} means {', '.join(row.label for row in matches)}; give one of them"
        )
    raise stored_run.no_row(run, label)
