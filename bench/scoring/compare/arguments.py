"""What a word on the command line means: a run, a row of one, or other people's outputs."""

from dataclasses import dataclass
from pathlib import Path

from bench.model import UsageError
from bench.runs.store import runs
from bench.runs.store.runs import RunFolder
from bench.scoring import predictions, stored_run
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


def find(word: str, results: Path) -> Source:
    """Return what a word names.

    A file or folder is predictions; ``RUN`` a run, by its id or the beginning of it; ``RUN/LABEL``
    a row of that run; any other word a row of the latest finished run: ``NAME``,
    ``NAME:VARIANT``, and either with ``@VERSION``. Raises ``UsageError`` for anything else.
    """
    if Path(word).exists():
        return Source(word, systems=tuple(predictions.read(Path(word))))
    run_id, slash, label = word.partition("/")
    if slash:
        return _row(word, stored_run.finished(results, run_id), label)
    if any(run.id.startswith(word) for run in runs.all_runs(results)):
        return Source(word, stored_run.finished(results, word))
    return _row(word, stored_run.finished(results), word)


def _row(word: str, run: RunFolder, label: str) -> Source:
    rows = run.manifest.rows
    named = [row for row in rows if label in (row.label, f"{row.label}@{row.version}")]
    # The bare name means the first variant, as on every command line.
    named = named or [row for row in rows if row.facts.name == label][:1]
    if len(named) == 1:
        return Source(word, run, named[0].label)
    known = [row.label for row in rows]
    first = f"it has {', '.join(known[:8])}{', …' if len(known) > 8 else ''}"
    raise UsageError(
        f"run {run.id} has no row {label!r}; {suggest.hint(label, known, first)}; "
        "`bench runs` lists other runs, RUN/LABEL names a row of one"
    )
