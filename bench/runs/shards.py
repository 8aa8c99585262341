"""A plan in parts for several machines, and the run that its finished parts make together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.model import BenchError, UsageError
from bench.runs import machine
from bench.runs.store import runs
from bench.runs.store.manifest import Manifest, RowFacts, ShardFacts, Status
from bench.runs.store.runs import RunFolder

if TYPE_CHECKING:
    import pyarrow as pa

DONE = (Status.FINISHED, Status.FAILED)
"""Shards that can be merged: in a failed one no row could be run."""
_AT_ONCE = 8192
"""Cells that are put in order together."""
_SHOWN = 8
"""Shards that an error lists."""


@dataclass(frozen=True)
class Shard:
    """One of the parts of a plan: every row on each ``of``-th page, so that all take as long."""

    number: int
    """From 1 to ``of``."""
    of: int

    @classmethod
    def parse(cls, word: str) -> "Shard":
        """Return the shard that ``2/8`` means. Raises ``UsageError`` for what means none."""
        number, _, of = word.partition("/")
        if number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of):
            return cls(int(number), int(of))
        raise UsageError(f"{word!r} is no shard; fix: --shard I/N, as in 1/4 to 4/4")

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def pages(self, ids: Sequence[str]) -> Sequence[str]:
        """Return its pages. Raises ``UsageError`` where there are none left for it."""
        if self.of > len(ids):
            raise UsageError(
                f"{len(ids)} pages cannot be cut into {self.of} shards; fix: --shard "
                f"I/{len(ids)} at most"
            )
        return ids[self.number - 1 :: self.of]


def merge(results: Path, shards: Sequence[RunFolder]) -> RunFolder:
    """Put the shards of a plan together into one run in ``results``; of equal ones one counts.

    The merged run is the plan's own: whoever runs that plan finds it finished. Raises
    ``UsageError`` for runs that are not shards of one plan, ``BenchError`` naming what is missing.
    """
    every = _complete(shards)
    manifest = _merged([run.manifest for run in every])
    folder = runs.create(results, manifest.gold.name)
    manifest = replace(manifest, id=folder.id)
    # Its manifest comes last: without one a folder is no run.
    _write_tables(folder, manifest, every)
    folder.write_manifest(manifest)
    return folder


def _complete(shards: Sequence[RunFolder]) -> list[RunFolder]:
    """Return one finished run of each shard, in order."""
    by_shard: dict[str, RunFolder] = {}
    first = shards[0].manifest
    for run in shards:
        manifest = run.manifest
        if not manifest.shard:
            raise UsageError(f"{run.id} is no shard; fix: bench run … --shard I/N makes them")
        _refuse_others(first, manifest)
        if manifest.status in DONE:
            best = by_shard.setdefault(manifest.shard, run)
            if _available(best.manifest) < _available(manifest):
                by_shard[manifest.shard] = run
    of = Shard.parse(first.shard).of
    wanted = [str(Shard(number, of)) for number in range(1, of + 1)]
    if missing := [shard for shard in wanted if shard not in by_shard]:
        more = ", …" if len(missing) > _SHOWN else ""
        raise BenchError(
            f"{len(missing)} of {of} shards are missing or not finished: "
            f"{', '.join(missing[:_SHOWN])}{more}; fix: the same bench run with --shard "
            f"{missing[0]}, then merge again"
        )
    every = [by_shard[shard] for shard in wanted]
    there = set().union(*(_available(run.manifest) for run in every))
    for run in every:
        for row in run.manifest.rows:
            if row.key in there and not row.available:
                raise BenchError(
                    f"shard {run.manifest.shard} ({run.id}) lacks {row.label}: {row.problem}; "
                    f"fix: {row.remedy or 'install it there'}, then run that shard again"
                )
    return every


def _available(manifest: Manifest) -> set[str]:
    return {row.key for row in manifest.rows if row.available}


def _refuse_others(first: Manifest, second: Manifest) -> None:
    """Raise ``UsageError`` where two runs are not of one plan, naming the first thing that differs."""
    one, other = _identity(first), _identity(second)
    for what in {**one, **other}:
        if one.get(what) != other.get(what):
            raise UsageError(
                f"{first.id} and {second.id} are not shards of one plan: they differ in {what} "
                f"({one.get(what, 'none')}; {other.get(what, 'none')}); fix: merge shards of one"
            )


def _identity(manifest: Manifest) -> dict[str, Any]:
    """Return what all shards of a plan have in common, by the words for it."""
    gold = manifest.gold
    facts = {
        "the data set": f"{gold.name} {gold.fingerprint[:12]}",
        "the version of bench": manifest.bench_version,
        "the number of shards": Shard.parse(manifest.shard).of if manifest.shard else 1,
        "repeats": manifest.repeats,
        "conditions": manifest.conditions,
    }
    for row in manifest.rows:
        facts |= {
            f"the version of {row.label}": row.version,
            f"the settings of {row.label}": row.settings,
            f"the adapter source of {row.label}": row.source_hash[:12],
            f"the environment of {row.label}": row.environment,
            f"{row.label}": row.key,
        }
    return {**facts, "the plan": manifest.plan}


def _merged(parts: Sequence[Manifest]) -> Manifest:
    """Return the manifest of the shards' whole."""
    first = parts[0]
    shards = [
        ShardFacts(
            part.shard,
            part.id,
            part.machine,
            part.host,
            part.started,
            part.finished or part.started,
        )
        for part in parts
    ]
    rows = [_whole([part.rows_by_key[row.key] for part in parts]) for row in first.rows]
    here = [part.gold for part in parts if Path(part.gold.root).exists()]
    checked = all(part.determinism is not None for part in parts)
    whole = replace(
        first,
        started=min(part.started for part in parts),
        finished=max(shard.finished for shard in shards),
        conditions=replace(first.conditions, jobs=_most_at_once(shards) * first.conditions.jobs),
        machine_id=" and ".join(sorted({part.machine_id for part in parts})),
        gold=here[0] if here else first.gold,
        rows=rows,
        load=[load for part in parts for load in part.load],
        frequency_mhz=[mhz for part in parts for mhz in part.frequency_mhz],
        sampler=[lateness for part in parts for lateness in part.sampler],
        network=list(dict.fromkeys(way for part in parts for way in part.network)),
        determinism=[difference for part in parts for difference in part.determinism or ()]
        if checked
        else None,
        shard="",
        shards=shards,
    )
    warnings = [line for part in parts for line in part.warnings]
    lines = [*machine.incomparable(whole), *warnings, *_other_packages(parts)]
    return replace(whole, warnings=list(dict.fromkeys(lines)))


def _whole(parts: Sequence[RowFacts]) -> RowFacts:
    """Return what became of one row in all shards."""
    return replace(
        parts[0],
        starts=[start for part in parts for start in part.starts],
        busy_s=sum(part.busy_s for part in parts),
        cpu_total_s=sum(part.cpu_total_s for part in parts),
        network_attempts=sum(part.network_attempts for part in parts),
        put_off=[page_id for part in parts for page_id in part.put_off],
        flags=sorted({flag for part in parts for flag in part.flags}),
    )


def _most_at_once(shards: Sequence[ShardFacts]) -> int:
    """Return how many shards ran at the same time on one host, at most."""
    return max(
        sum(
            one.host == other.host and other.started <= one.started < other.finished
            for other in shards
        )
        or 1
        for one in shards
    )


def _other_packages(parts: Sequence[Manifest]) -> Iterator[str]:
    """Yield a line on packages of which the machines had different versions."""
    lists = [
        {f"Python=={part.machine.python}", f"bench@{part.commit.revision[:12]}", *part.packages}
        for part in parts
    ]
    if shown := sorted(
        {name for some in lists for name in some for own in lists if name not in own}
    ):
        more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        yield (
            f"not all machines had the same packages ({', '.join(shown[:_SHOWN])}{more}), and texts "
            "may depend on them; install the same everywhere"
        )


def _write_tables(folder: RunFolder, manifest: Manifest, shards: Sequence[RunFolder]) -> None:
    """Write the tables of a merged run, in the order of rows, pages and repeats.

    Raises ``BenchError`` when a shard's cells are not those that its manifest promises.
    """
    from bench.runs.store import tables

    keys = [row.key for row in manifest.rows if row.available]
    cells = chain.from_iterable(_cells(shards, key, manifest) for key in keys)
    tables.write_parts(folder.path / "cells.parquet", tables.CELLS, cells)
    if all(run.has_texts for run in shards):
        tables.write_parts(folder.path / "texts.parquet", tables.TEXTS, _different_texts(shards))
    for path in shards[0].path.glob("scores/*.parquet"):
        parts = [run.path / "scores" / path.name for run in shards]
        tables.merge_scores(parts, folder.path / "scores" / path.name, keys)
    samples = (tables.read(run.path / "samples.parquet", tables.SAMPLES) for run in shards)
    tables.write_parts(folder.path / "samples.parquet", tables.SAMPLES, samples)


def _cells(shards: Sequence[RunFolder], row: str, whole: Manifest) -> Iterator["pa.Table"]:
    """Yield a row's cells in order: those of one row at a time are held."""
    import pyarrow as pa

    from bench.runs.store import tables

    of_shards = [tables.read(run.path / "cells.parquet", tables.CELLS, row=row) for run in shards]
    cells = pa.concat_tables(of_shards)
    different = cells.group_by(["page", "repeat"], use_threads=False).aggregate([]).num_rows
    wanted = whole.gold.pages * whole.repeats
    if not different == len(cells) == wanted:
        raise BenchError(
            f"the shards hold {different:,} different cells of {wanted:,} of row {row}; fix: run "
            "them again with --fresh"
        )
    # Each shard has every n-th page: the first few of all are the first of the whole.
    few = max(1, _AT_ONCE // (len(shards) * whole.repeats)) * whole.repeats
    for start in range(0, len(of_shards[0]), few):
        part = pa.concat_tables(own.slice(start, few) for own in of_shards)
        yield part.sort_by([("page", "ascending"), ("repeat", "ascending")])


def _different_texts(shards: Sequence[RunFolder]) -> Iterator["pa.Table"]:
    """Yield the shards' texts a few at a time, each once."""
    import pyarrow as pa

    from bench.runs.store import tables

    written: set[str] = set()
    for run in shards:
        for part in tables.in_parts(run.path / "texts.parquet"):
            hashes = list(map(str, part["text_hash"].to_pylist()))
            yield part.filter(pa.array([name not in written for name in hashes], pa.bool_()))
            written.update(hashes)
