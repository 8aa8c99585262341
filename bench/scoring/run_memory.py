"""What was found out about a finished run, remembered until anything changes that it depends on.

It is read back into the same dataclasses without the libraries that computed it.
"""

import hashlib
import inspect
import json
import sys
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from bench.adapters import answers
from bench.datasets.catalogue import DataSet
from bench.datasets.facts import Stated
from bench.metrics.base import Metric
from bench.runs.store import manifest
from bench.runs.store.runs import RunFolder
from bench.scoring.leaderboard import Leaderboard
from bench.util.atomic import reading_from
from bench.util.remembered import remembered

_T = TypeVar("_T")
_CODE = Path(__file__).parents[1]


def leaderboard(
    run: RunFolder,
    data_set: DataSet,
    metrics: Sequence[Metric],
    options: Sequence[object],
    find: Callable[[], Leaderboard],
) -> Leaderboard:
    """Return the leaderboard of a run under these metrics and options (JSON), or find it."""
    depends_on = [
        data_set.hashes.fingerprint,
        repr(data_set.card),
        _hash_of(data_set.stated.values()),
        [[metric.name, metric.scorer, metric.main] for metric in metrics],
        [answers.state_of(inspect.getfile(type(metric))) for metric in metrics],
        options,
    ]
    return of_run(run, "leaderboards", find, Leaderboard, depends_on, metrics)


def of_run(
    run: RunFolder,
    kind: str,
    find: Callable[[], _T],
    of_type: type[_T],
    depends_on: Sequence[object] = (),
    metrics: Sequence[Metric] = (),
) -> _T:
    """Return what is remembered of a run, or find it.

    It is a dataclass, or what else ``msgspec`` reads; ``metrics`` are those that stand in it.
    ``depends_on`` is what it depends on beside run and code, as JSON.
    """
    state = json.dumps([_state(run), depends_on])
    by_name = {metric.name: metric for metric in metrics}
    answer: _T = remembered(
        kind,
        hashlib.sha256(state.encode()).hexdigest(),
        find,
        dump=msgspec.json.Encoder(enc_hook=lambda metric: metric.name).encode,
        load=msgspec.json.Decoder(of_type, dec_hook=lambda _, name: by_name[name]).decode,
    )
    return answer


def _hash_of(pages: Iterable[Stated]) -> str:
    """Return the hash of what is said of pages: of many, all of it would be long."""
    digest = hashlib.sha256()
    for page in pages:
        digest.update(repr(page).encode())
    return digest.hexdigest()


def _state(run: RunFolder) -> list[Any]:
    """Return what changes when a run does, or the code that looks at it."""
    with reading_from(run.path):
        # Scores can be computed again, but not where the texts are elsewhere.
        files = sorted(run.path.glob("*.parquet" if run.has_texts else "**/*.parquet"))
        stats = [file.stat() for file in files]
        facts = hashlib.sha256((run.path / manifest.FILE).read_bytes()).hexdigest()
    return [
        run.id,
        facts,
        # The time of change as well: whoever edits a file can put back that of modification.
        [[file.st_size, file.st_mtime_ns, file.st_ctime_ns] for file in stats],
        list(map(answers.state_of, sorted(map(str, _CODE.rglob("*.py"))))),
        # It changes when a package is installed, such as one that computes.
        [sys.version, answers.state_of(sysconfig.get_path("purelib"))],
    ]
