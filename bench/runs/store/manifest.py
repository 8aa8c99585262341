"""``manifest.json``: what a run was, typed; the one place that reads and writes it.

Reading is strict: a field that is missing or of another type is one line that names file and field.
Manifests of older schemas are upgraded step by step, fields of newer ones that are not known here
are left out.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from bench.adapters.released import Released
from bench.extractor import KINDS
from bench.model import BenchError, ExtractorFacts, Sample
from bench.util.atomic import write_text
from bench.worker import isolation

FILE = "manifest.json"
RUN = "run"
"""The verb whose runs are the latest before those of any other."""
VERSION = 2
CONTROL_GROUP, SAMPLES = "control group", "samples"
_SHOWN = ExtractorFacts("").shown().keys()


class Status(StrEnum):
    """How far a run is."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"
    FAILED = "failed"
    """Nothing could be run: there is no cell."""


@dataclass
class GoldFacts:
    """The data set, as it was when the run began."""

    name: str
    title: str
    licence: str
    smoke: bool
    fingerprint: str
    as_published: bool | None
    """Whether the content is what the card pins; None where it pins nothing."""
    pages: int
    root: str
    left_out: dict[str, str] = field(default_factory=dict)
    """Why pages of the published set are not in the run, by id."""
    sample: Sample | None = None
    """What was drawn of it, where the run is not on all pages."""

    def public(self) -> dict[str, Any]:
        """Return what a leaderboard says of it: where it lies on this disk is nobody's business."""
        facts = asdict(self)
        del facts["root"]
        for name in ("left_out", "sample"):
            if not facts[name]:
                del facts[name]
        return facts


@dataclass(frozen=True)
class Conditions:
    """What a cell's outcome and usage depend on beside row and page."""

    page_s: float
    memory_bytes: int
    interleaved: bool
    """Whether rows took turns on every page."""
    jobs: int
    """Workers that ran at the same time."""
    pin: int | None
    """The CPU that workers were bound to."""
    decode: str = ""
    """Who decoded pages where the adapter did not say: ``harness`` or ``library``."""


@dataclass(frozen=True)
class Machine:
    """What the figures depend on beside the conditions."""

    cpu: str
    cores: int
    threads: int
    memory_bytes: int
    os: str
    python: str
    python_build: str

    @property
    def id(self) -> str:
        """What two machines share whose usage compares."""
        return f"{self.cpu} × {self.threads}, {self.memory_bytes}"


@dataclass(frozen=True)
class Commit:
    """The project's own commit; empty where it is not run from a checkout."""

    revision: str = ""
    dirty: bool = False
    """Whether files differ from it."""


@dataclass(frozen=True)
class Start:
    """What it took to get a worker going, in seconds, and where that left it."""

    start_s: float
    import_s: float
    load_s: float
    warm_up_s: float
    cpu_s: float
    rss_bytes: int | None
    python: str
    network: str
    kernel_peak: bool
    packages: tuple[str, ...]
    """``name==version`` of what a bridge loaded in another language."""
    files: str = isolation.OPEN
    processes: str = isolation.OPEN
    """By what it was kept from others' files and processes (``bench.worker.isolation``)."""
    memory: str = isolation.OPEN
    """By what its memory was counted and capped."""

    @property
    def total_s(self) -> float:
        """From nothing to the first page."""
        return self.start_s + self.import_s + self.load_s + self.warm_up_s


@dataclass(frozen=True)
class Lateness:
    """How late the sampler's rounds were, in seconds."""

    interval_s: float
    rounds: int
    late_mean_s: float
    late_max_s: float


@dataclass(frozen=True)
class ShardFacts:
    """One of the runs that a merged run was made of."""

    shard: str
    """Which of how many: ``2/8``."""
    run: str
    machine: Machine
    host: str
    started: str
    finished: str


@dataclass(frozen=True)
class Difference:
    """A page on which an extractor contradicted itself."""

    label: str
    page_id: str
    how: str
    """``called again`` (twice in a row, one worker) or ``another order`` (against the run)."""


@dataclass
class RowFacts:
    """One row: what its extractor was, and what became of it."""

    facts: ExtractorFacts
    """As they were when the run began; on disk they stand beside the fields below."""
    key: str
    label: str
    variant: str
    version: str | None
    released: Released | None
    """The last release of what it wraps, as known when the run began."""
    settings: dict[str, Any]
    members: list[str]
    """Labels of the rows that an ensemble is made of."""
    source_hash: str
    python: str
    """The interpreter of its environment; empty for the one that runs bench."""
    environment: str
    packages: list[str]
    available: bool
    problem: str
    remedy: str
    starts: list[Start] = field(default_factory=list)
    """One for each time its worker was started."""
    busy_s: float = 0.0
    """Wall time that the row kept the harness."""
    cpu_total_s: float = 0.0
    """CPU time of its workers from start to end."""
    network_attempts: int = 0
    put_off: list[str] = field(default_factory=list)
    """Pages that it was at when the run was stopped: they come last."""
    flags: list[str] = field(default_factory=list)
    """As those of a cell: ``clock`` where the kernel saw more CPU time than the worker reported,
    ``protocol`` where it said more than it was asked."""


@dataclass
class Manifest:
    """What a run was: plan, machine, versions, warnings."""

    id: str
    status: Status
    started: str
    finished: str | None
    plan: str
    """Hash of everything that makes two runs the same run."""
    bench_version: str
    commit: Commit
    gold: GoldFacts
    repeats: int
    conditions: Conditions
    machine: Machine
    machine_id: str
    rows: list[RowFacts]
    packages: list[str]
    """``name==version`` of what workers without an environment of their own can import."""
    load: list[float] = field(default_factory=list)
    """Load average at start and end of each sitting."""
    frequency_mhz: list[float | None] = field(default_factory=list)
    sampler: list[Lateness] = field(default_factory=list)
    """One for each sitting."""
    network: list[str] = field(default_factory=list)
    """Ways in which workers were kept off it."""
    warnings: list[str] = field(default_factory=list)
    determinism: list[Difference] | None = None
    """None where nobody looked."""
    verb: str = RUN
    """The verb that made it."""
    host: str = ""
    """Tells the machine from another like it, see ``machine.host``."""
    shard: str = ""
    """Which part of the plan's pages it is of (``2/8``); empty for all of them."""
    shards: list[ShardFacts] = field(default_factory=list)
    """What it was merged of."""

    @property
    def isolation(self) -> dict[str, dict[str, str]]:
        """What workers were kept from, in the weakest of their starts: ``state`` and ``how``."""
        starts = [start for row in self.rows for start in row.starts]
        facts = {}
        for what in _KEPT_FROM:
            ways = [getattr(start, what) for start in starts] or [isolation.OPEN]
            how = max(ways, key=_WEAKER.index)
            facts[what] = {"state": _STATES.get((what, how), "open"), "how": how}
        return facts

    @property
    def machines(self) -> list[str]:
        """Ids of the machines on which cells were measured."""
        return sorted({shard.machine.id for shard in self.shards}) or [self.machine_id]

    @property
    def timings_compare(self) -> bool:
        """Whether its cells' timings can be quoted: one at a time, all on identical machines."""
        return self.conditions.jobs == 1 and len(self.machines) == 1

    @property
    def rows_by_key(self) -> dict[str, RowFacts]:
        """The rows, by key."""
        return {row.key: row for row in self.rows}

    def to_json(self) -> dict[str, Any]:
        """Return what is on disk."""
        facts = {"schema": VERSION, **asdict(self), "isolation": self.isolation}
        for row, fields in zip(self.rows, facts["rows"], strict=True):
            fields.update({**row.facts.shown(), **fields})
            del fields["facts"]
        return facts


_KEPT_FROM = ("files", "processes", "network", "memory")
_WEAKER = (
    isolation.NAMESPACE, isolation.LANDLOCK, isolation.REFUSED, CONTROL_GROUP, SAMPLES,
    isolation.OPEN,
)  # fmt: skip
_STATES = {
    ("files", isolation.NAMESPACE): "isolated",
    ("files", isolation.LANDLOCK): "contents only",
    ("processes", isolation.NAMESPACE): "isolated",
    ("network", isolation.NAMESPACE): "isolated",
    ("network", isolation.REFUSED): "Python only",
    ("memory", CONTROL_GROUP): "capped",
    ("memory", SAMPLES): "watched",
}
"""What is promised of each by what keeps extractors from it; docs/trust.md says more."""


def now() -> str:
    """Return the time in UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def read(folder: Path, words: Collection[str] = ()) -> Manifest | None:
    """Return the manifest of a run; None where there is none, or it has none of the words.

    That is found out without taking it apart. Raises ``BenchError`` naming the file and what is
    wrong with it.
    """
    path = folder / FILE
    try:
        data = path.read_bytes()
        if words and not any(word.encode() in data for word in words):
            return None
        facts = msgspec.json.decode(data)
        version = facts["schema"]
        if version > VERSION:
            raise BenchError(
                f"{path} was written by a newer bench (schema {version}); update bench"
            )
        for step in range(version, VERSION):
            _UPGRADES[step](facts)
        for row in facts["rows"]:
            row["facts"] = {name: row[name] for name in _SHOWN if name in row}
        return _known_words(msgspec.convert(facts, Manifest))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise BenchError(f"{path} cannot be read ({error}); remove the folder") from error


def _known_words(manifest: Manifest) -> Manifest:
    """Return a manifest. Raises ``ValueError`` for kinds, or ways of isolation, that there are not."""
    words = {row.facts.kind for row in manifest.rows} - {*KINDS}
    for start in (start for row in manifest.rows for start in row.starts):
        words |= {getattr(start, what) for what in _KEPT_FROM} - {*_WEAKER}
    if words:
        raise ValueError(f"it has the unknown words {', '.join(sorted(words))}")
    return manifest


def write(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest, whole or not at all."""
    text = json.dumps(manifest.to_json(), indent=2, allow_nan=False)
    write_text(folder / FILE, f"{text}\n")


def _from_1(facts: dict[str, Any]) -> None:
    """Fill in what the first writers of version 1 did not know yet."""
    facts.setdefault("packages", [])
    for row in facts["rows"]:
        for name, value in (("released", None), ("python", ""), ("environment", "")):
            row.setdefault(name, value)
        for name in ("members", "packages"):
            row.setdefault(name, [])
        for start in row["starts"]:
            start.setdefault("packages", [])


_UPGRADES: Mapping[int, Callable[[dict[str, Any]], None]] = {1: _from_1}
