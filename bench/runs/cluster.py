"""The shards of a plan on the workers of a dask cluster, each run there as ``bench run --shard`` is.

Dask places shards and does them again where a worker is lost; what is in this module says what a
shard is, and keeps those that are finished. See docs/scale.md.
"""

import contextlib
import logging
import math
import platform
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bench.adapters import registry
from bench.adapters.adapter import own_version
from bench.adapters.environments import assign
from bench.datasets import catalogue
from bench.datasets.catalogue import DataSet
from bench.datasets.fingerprint import Hashes
from bench.datasets.readers.base import Reader
from bench.model import BenchError, GoldPage, Sample, UsageError
from bench.runs import machine, new_run, runner, shards, worker_home
from bench.runs.plan import Plan
from bench.runs.shards import Shard
from bench.runs.store import manifest as manifests
from bench.runs.store import runs
from bench.runs.store.manifest import GoldFacts
from bench.runs.store.runs import RunFolder
from bench.util import paths
from bench.util.atomic import unfinished, writing_to
from bench.util.locks import locked
from bench.util.progress import SILENT, Progress

if TYPE_CHECKING:
    from distributed import Client, Future

_FILES = (manifests.FILE, "cells.parquet", "samples.parquet")
_SHARDS_PER_WORKER = 2
"""At least, so that all are busy until the end."""
_PAGES = 6000
"""Of a shard at most: what is lost with a worker."""
_AHEAD = 2
"""Shards for each worker that are handed to the scheduler: one runs, one waits."""
_CONNECT_S = 30
_DASK = {
    # A hundred stacks a second, fifty looks at the event loop: which nobody looks at.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "2s",
    "distributed.admin.system-monitor.interval": "10s",
    # By default also what would have every large page's memory given back and asked for again.
    "distributed.nanny.pre-spawn-environ": dict.fromkeys(worker_home.ONE_THREAD_EACH, 1),
}
"""What workers on this machine leave out, as it takes time from extractors."""


@dataclass(frozen=True)
class Preparation:
    """How rows become ready to run on a machine; see ``environments.assign.prepared``."""

    adapters: Sequence[Path] = ()
    """Files that the user named."""
    isolate: bool = False
    build: bool = True


class ShardScorer(Protocol):
    """What computes a shard's scores where it ran."""

    @property
    def files(self) -> list[str]:
        """Where it keeps them, relative to the shard."""

    def only(self, pages: Sequence[str]) -> "ShardScorer":
        """Return what scores some of the pages."""

    def score(self, shard: RunFolder, data_set: DataSet) -> None:
        """Compute the scores of a finished shard, and keep them with it."""


@dataclass(frozen=True)
class Wanted:
    """What comes back of a shard beside its cells."""

    scorer: ShardScorer | None = None
    """None for no scores."""
    texts: bool = True

    @property
    def files(self) -> list[str]:
        """Files of a run that it must have, relative to its folder."""
        return ["texts.parquet"] * self.texts + (self.scorer.files if self.scorer else [])

    def has(self, run: RunFolder) -> bool:
        """Whether a finished run has it all."""
        return all((run.path / name).exists() for name in self.files)


@dataclass(frozen=True)
class _Task:
    """A shard in words that mean the same on every machine."""

    bench_version: str
    rows: Mapping[str, tuple[str, str | None]]
    """Key and version by what names a row."""
    preparation: Preparation
    gold: GoldFacts
    settings: Mapping[str, Any]
    """Of the plan."""
    key: str
    shard: Shard
    wanted: Wanted
    fresh: bool


class _SentPages(Reader):
    """Some pages of a data set, out of memory; ids are those of the whole."""

    def __init__(self, ids: Sequence[str], items: Sequence[GoldPage], *, has_gold: bool) -> None:
        super().__init__(Path(tempfile.gettempdir()))
        self.ids = ids
        self.has_gold = has_gold
        self._items = {item.page.id: item for item in items}

    def read(self, page_id: str) -> GoldPage:
        """Return one page."""
        return self._items[page_id]


# -- on the machine that asks -----------------------------------------------------------------------


def carry_out(
    plan: Plan,
    results: Path,
    where: str,
    preparation: Preparation,
    wanted: Wanted = Wanted(),
    *,
    fresh: bool = False,
    progress: Progress = SILENT,
) -> RunFolder:
    """Run a plan on a cluster and return the merged run; finished shards in ``results`` are found.

    ``where`` is ``local:N`` for N workers on this machine, or the address of a scheduler. Raises
    ``UsageError`` for any other, ``BenchError`` where the cluster is lost or a shard cannot be run.
    """
    done = {} if fresh else _finished(plan, results, wanted)
    of = Shard.parse(next(iter(done))).of if done else 0
    if not done or len(done) < of:
        with _connected(where) as client:
            of = of or _number(plan, client)
            progress.start(f"shards on {where}", of)
            progress.advance(len(done))
            every = [Shard(number, of) for number in range(1, of + 1)]
            missing = [shard for shard in every if str(shard) not in done]
            for run in _run(client, plan, missing, results, preparation, wanted, fresh=fresh):
                done[run.manifest.shard] = run
                progress.advance()
    merged = shards.merge(results, list(done.values()))
    for run in done.values():
        runs.remove(run)
    return merged


def _finished(plan: Plan, results: Path, wanted: Wanted) -> dict[str, RunFolder]:
    """Return the finished shards of a plan, all of as many parts as the newest one."""
    shards_by_name: dict[str, RunFolder] = {}
    for run in runs.all_runs(results, words=[plan.key]):
        shard = run.manifest.shard
        ours = (run.manifest.plan, run.manifest.bench_version) == (plan.key, own_version())
        if ours and shard and run.manifest.status in shards.DONE and wanted.has(run):
            newest = next(iter(shards_by_name), shard)
            if Shard.parse(shard).of == Shard.parse(newest).of:
                shards_by_name.setdefault(shard, run)
    return shards_by_name


def _number(plan: Plan, client: "Client") -> int:
    pages = len(plan.pages)
    at_least = _SHARDS_PER_WORKER * len(client.nthreads())
    return min(pages, max(at_least, math.ceil(pages / _PAGES)))


@contextlib.contextmanager
def _connected(where: str) -> Iterator["Client"]:
    """Give a client of the cluster that has a worker. Raises ``UsageError`` for what is no cluster."""
    kind, _, rest = where.partition(":")
    local = kind == "local" and rest.isdecimal() and int(rest) > 0
    if not local and not where.startswith(("tcp://", "tls://")):
        raise UsageError(f"{where!r} is no cluster; fix: --cluster local:4 or tcp://HOST:8786")
    try:
        import dask
        import distributed
    except ImportError as error:
        raise BenchError(
            "--cluster needs dask.distributed; fix: pip install 'extractor-bench[cluster]'"
        ) from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with contextlib.ExitStack() as stack:
        address: Any = where
        if local:
            stack.enter_context(dask.config.set(_DASK))
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-dask-"))
            address = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=int(rest),
                    threads_per_worker=1,
                    processes=True,
                    memory_limit=0,  # extractors have a limit of their own
                    local_directory=folder,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                )
            )
        try:
            client = stack.enter_context(distributed.Client(address, timeout=_CONNECT_S))
            client.wait_for_workers(1, timeout=_CONNECT_S)
        except (OSError, TimeoutError) as error:
            raise BenchError(
                f"no worker answers at {where} ({error}); fix: dask scheduler, then dask worker "
                "--nthreads 1 with its address on every machine"
            ) from error
        yield client


def _run(
    client: "Client",
    plan: Plan,
    missing: Sequence[Shard],
    results: Path,
    preparation: Preparation,
    wanted: Wanted,
    *,
    fresh: bool,
) -> Iterator[RunFolder]:
    """Yield each shard when it is kept in ``results``; few are on their way at any time."""
    import distributed

    waiting = iter(missing)
    running: dict[Future[Any], Shard] = {}

    def submit(shard: Shard, sent: DataSet | None = None) -> "Future[Any]":
        task = _task(plan, shard, preparation, wanted, fresh=fresh)
        future = client.submit(_run_shard, task, sent, pure=False)
        running[future] = shard
        return future

    first = islice(waiting, _AHEAD * len(client.nthreads()))
    completed = distributed.as_completed([submit(shard) for shard in first])
    try:
        for future in completed:
            shard = running.pop(future)
            files = future.result()
            if files is None:
                completed.add(submit(shard, _to_send(plan.data_set, shard)))
                continue
            future.release()
            for following in islice(waiting, 1):
                completed.add(submit(following))
            yield _kept(files, plan, results, wanted)
    except distributed.scheduler.KilledWorker as error:
        raise BenchError(
            f"shard {shard} was running each time a worker was lost; fix: look at that machine's "
            "memory and disk, then give the same command again: finished shards are kept"
        ) from error
    except (CancelledError, OSError, TimeoutError) as error:
        raise BenchError(
            "the cluster was lost; finished shards are kept: the same command goes on with the others"
        ) from error
    except ImportError as error:
        raise BenchError(
            f"a worker cannot import what a shard needs ({error}); fix: install the same "
            "extractor-bench[cluster] on every machine"
        ) from error


def _task(
    plan: Plan, shard: Shard, preparation: Preparation, wanted: Wanted, *, fresh: bool
) -> _Task:
    names = {f"{row.adapter.name}:{row.variant}": row for row in plan.rows}
    return _Task(
        bench_version=own_version(),
        rows={name: (row.key, row.adapter.version) for name, row in names.items()},
        preparation=preparation,
        gold=plan.gold,
        settings={
            "repeats": plan.repeats,
            "jobs": plan.jobs,
            "limits": plan.limits,
            "pin": plan.pin,
            "decode": plan.decode,
        },
        key=plan.key,
        shard=shard,
        wanted=replace(
            wanted, scorer=wanted.scorer and wanted.scorer.only(shard.pages(plan.pages))
        ),
        fresh=fresh,
    )


def _to_send(data_set: DataSet, shard: Shard) -> DataSet:
    """Return the data set with the pages of a shard, in memory."""
    pages = shard.pages(data_set.ids)
    items = [
        replace(item, page=replace(item.page, meta=dict(item.page.meta)))
        for item in map(data_set.read, pages)
    ]
    reader = _SentPages(data_set.ids, items, has_gold=data_set.reader.has_gold)
    sent = replace(data_set, reader=reader)
    own = {page_id: data_set.hashes.pages[page_id] for page_id in pages}
    vars(sent)["hashes"] = Hashes(data_set.hashes.fingerprint, own)
    return sent


def _kept(files: Mapping[str, bytes], plan: Plan, results: Path, wanted: Wanted) -> RunFolder:
    """Return the shard in ``results``, where it appears whole or not at all."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(writing_to(results))
        results.mkdir(parents=True, exist_ok=True)
        arrived = stack.enter_context(unfinished(results / "shard")) / "run"
        (arrived / "scores").mkdir(parents=True)
        for name in files.keys() & {*_FILES, *wanted.files}:
            (arrived / name).write_bytes(files[name])
        run = RunFolder(arrived)
        # Where the data set lies there is nobody's business here.
        gold = replace(run.manifest.gold, root=str(plan.data_set.reader.root))
        run.write_manifest(replace(run.manifest, gold=gold))
        return RunFolder(arrived.rename(results / run.manifest.id))


# -- on a worker ------------------------------------------------------------------------------------


def _run_shard(task: _Task, sent: DataSet | None = None) -> dict[str, bytes] | None:
    """Run a shard on this machine and return its files by name; None where its pages are not here.

    ``sent`` is the data set with its pages, once they were not.

    A shard that was stopped here goes on where it was. Raises ``BenchError`` where this machine's
    bench or rows are not those of the machine that asks.
    """
    here = platform.node()
    if task.bench_version != own_version():
        raise BenchError(
            f"{here} has bench {own_version()}, not {task.bench_version}; fix: install the same there"
        )
    data_set = _installed(task) if sent is None else sent
    if data_set is None:
        return None
    registry.use(task.preparation.adapters)
    rows = assign.prepared(
        registry.rows(task.rows), isolate=task.preparation.isolate, build=task.preparation.build
    )
    plan = Plan(rows, data_set, shard=task.shard, **task.settings)
    for row in plan.rows:
        key, version = task.rows[f"{row.adapter.name}:{row.variant}"]
        if row.key != key:
            raise BenchError(
                f"{here} has another {row.label} (version {row.adapter.version or 'none'}, asked for "
                f"{version or 'none'}); fix: install the same there; {row.adapter.problem}"
            )
    wanted = task.wanted
    keep_texts = wanted.texts or wanted.scorer is not None or any(row.members for row in plan.rows)
    name = f"{plan.key}-{task.shard.number}-of-{task.shard.of}" + "-with-texts" * keep_texts
    work = paths.home() / "shards" / machine.host() / name
    # Whoever was asked first may be at it still, for a client that is gone.
    with locked(work.with_name(f"{name}.lock")):
        if task.fresh:
            shutil.rmtree(work, ignore_errors=True)
        folder = new_run.find_same(plan, work) or new_run.start(plan, work, reuse=False)
        if folder.manifest.status not in shards.DONE:
            runner.execute(plan, folder, _Unwatched(), keep_texts=keep_texts)
        if wanted.scorer and folder.finished:
            wanted.scorer.score(folder, data_set)
        paths_by_name = {name: folder.path / name for name in (*_FILES, *wanted.files)}
        files = {name: path.read_bytes() for name, path in paths_by_name.items() if path.exists()}
        shutil.rmtree(work)
    return files


def _installed(task: _Task) -> DataSet | None:
    """Return the data set where it is on this machine with the same content."""
    name = catalogue.name_again(task.gold.name, Path(task.gold.root))
    with contextlib.suppress(BenchError):
        data_set = _opened(name, task.gold.sample, tuple(task.gold.left_out.items()))
        if data_set.hashes.fingerprint == task.gold.fingerprint:
            return data_set
        _opened.cache_clear()
    return None


@lru_cache(maxsize=1)
def _opened(name: str, sample: Sample | None, left_out: tuple[tuple[str, str], ...]) -> DataSet:
    """Open a data set, once for all the shards that run in this process."""
    return catalogue.open_gold(name).sampled(sample).without(dict(left_out))


class _Unwatched:
    """A run's events, which nobody hears there."""

    def row_started(self, row: object) -> None:
        """Ignore it."""

    def cell_done(self, row: object, page_id: str) -> None:
        """Ignore it."""

    def row_unavailable(self, row: object, reason: str) -> None:
        """Ignore it: the manifest says so."""
