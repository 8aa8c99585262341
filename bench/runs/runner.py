"""Carries out a plan: every cell once, each on disk before the next is asked for.

Ensembles come after all others, whose texts are what they are handed.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from typing import Protocol

from bench.adapters.adapter import Row
from bench.model import BenchError, Cell, GoldPage, Outcome, Usage
from bench.runs import doubts
from bench.runs import surroundings as environment
from bench.runs.ensemble_inputs import Inputs, in_all
from bench.runs.plan import Plan
from bench.runs.prepare import find_same, start
from bench.runs.process import CLOCK, PROTOCOL
from bench.runs.sampler import Sampler
from bench.runs.store.journal import Journal, record
from bench.runs.store.manifest import Status
from bench.runs.store.runs import RunFolder
from bench.runs.supervise import LoadFailed, Worker

__all__ = ["Events", "execute", "find_same", "start"]


class Events(Protocol):
    """What a run tells while it goes on; called from the threads that run workers."""

    def row_started(self, row: Row) -> None:
        """The row's worker is about to start."""

    def cell_done(self, row: Row, cell: Cell) -> None:
        """A cell is on disk."""

    def row_unavailable(self, row: Row, reason: str) -> None:
        """The row's extractor cannot be loaded."""


def execute(plan: Plan, folder: RunFolder, events: Events) -> None:
    """Run all cells of a plan that the folder does not hold yet, then fold the journals.

    Interrupted in any way, the folder keeps every finished cell, and executing the same plan
    over it goes on. Raises ``BenchError`` when the disk refuses, or another process is at it.
    """
    with folder.alone():
        _Run(plan, folder, events).carry_out()


class _Run:
    def __init__(self, plan: Plan, folder: RunFolder, events: Events) -> None:
        self._plan = plan
        self._folder = folder
        self._events = events
        self._manifest = folder.manifest
        self._facts = self._manifest.rows_by_key
        self._places = {page_id: place for place, page_id in enumerate(plan.data_set.ids)}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._journals: dict[str, Journal] = {}
        self._workers: dict[str, Worker] = {}
        self._inputs: dict[str, Inputs] = {}
        self._damage: list[str] = []
        self._token = environment.run_token(folder.path)

    def carry_out(self) -> None:
        plan, manifest = self._plan, self._manifest
        # What a killed parent left behind of this very run.
        environment.sweep(self._token)
        manifest.status = Status.RUNNING
        self._note_machine()
        samples = self._folder.journal("samples")
        self._sampler = Sampler(samples.append, on_tick=self._sync)
        try:
            with samples, self._sampler:
                ordinary = [row for row in plan.rows if not row.members]
                if plan.interleaved:
                    self._take_turns(ordinary)
                else:
                    self._whole_rows(ordinary)
                self._whole_rows([row for row in plan.rows if row.members])
        except BaseException:
            manifest.status = Status.INTERRUPTED
            raise
        finally:
            self._close()
            environment.sweep(self._token)
            self._note_machine()
            manifest.sampler.append(self._sampler.lateness)
            manifest.warnings = [*doubts.warnings(plan, manifest), *self._damage]
            if manifest.status == Status.INTERRUPTED:
                with contextlib.suppress(BenchError):
                    self._folder.write_manifest(manifest)
        self._folder.fold(manifest, self._places)

    def _note_machine(self) -> None:
        """Note load and frequency, at start and end."""
        self._manifest.load.append(environment.load_average())
        self._manifest.frequency_mhz.append(environment.frequency_mhz())

    def _close(self) -> None:
        self._stopping.set()
        for key in list(self._workers):
            self._stop_worker(key)
        for journal in self._journals.values():
            with contextlib.suppress(BenchError):
                journal.close()
        self._journals.clear()

    # -- orders -----------------------------------------------------------------------------

    def _whole_rows(self, rows: Sequence[Row]) -> None:
        """One row after the other, or several at once."""
        if self._plan.jobs > 1:
            self._side_by_side(rows)
        else:
            for row in rows:
                self._whole_row(row)

    def _whole_row(self, row: Row) -> None:
        """All pages of one row, in one worker."""
        done = self._done(row)
        repeats, page_ids = range(self._plan.repeats), self._plan.data_set.ids
        every = ((page_id, repeat) for repeat in repeats for page_id in page_ids)
        todo = [each for each in every if each not in done]
        if not todo or not self._open(row):
            return
        pages = _Pages(self._plan)
        following = [None] if self._plan.interleaved else [page_id for page_id, _ in todo[1:]]
        for (page_id, repeat), after in zip_longest(todo, following):
            self._cell(row, pages.take(page_id), repeat, lambda: pages.fetch(after))  # noqa: B023
            if self._stopping.is_set():
                return
        self._stop_worker(row.key)
        self._inputs.pop(row.key, None)

    def _take_turns(self, every: Sequence[Row]) -> None:
        """Rows take turns on every page, all workers alive: what disturbs one disturbs all."""
        done = {row.key: self._done(row) for row in every}
        everything = self._plan.repeats * len(self._plan.data_set)
        rows = [r for r in every if len(done[r.key]) < everything and self._open(r)]
        for repeat in range(self._plan.repeats):
            for page_id in self._plan.data_set.ids:
                item = self._plan.data_set.read(page_id)
                for row in rows:
                    if (page_id, repeat) not in done[row.key]:
                        self._cell(row, item, repeat)
        for row in rows:
            self._stop_worker(row.key)

    def _side_by_side(self, rows: Sequence[Row]) -> None:
        """Several rows at once, each in its own worker."""
        waiting: queue.SimpleQueue[Row] = queue.SimpleQueue()
        for row in rows:
            waiting.put(row)

        def work() -> None:
            with contextlib.suppress(queue.Empty):
                while not self._stopping.is_set():
                    self._whole_row(waiting.get_nowait())

        with ThreadPoolExecutor(self._plan.jobs) as pool:
            futures = [pool.submit(work) for _ in range(self._plan.jobs)]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                self._stopping.set()
                # A thread that waits for a page notices when its worker is gone.
                for worker in list(self._workers.values()):
                    worker.abort()
                raise

    # -- one row ----------------------------------------------------------------------------

    def _done(self, row: Row) -> set[tuple[str, int]]:
        damaged: list[None] = []
        records = self._folder.journalled(row.key, lambda: damaged.append(None))
        done = {(record["page"], record["repeat"]) for record in records}
        if damaged:
            self._damage.append(
                f"{len(damaged)} damaged lines of {row.label}'s journal were left out; cells that "
                "they held were run again"
            )
        return done

    @contextlib.contextmanager
    def _busy(self, row: Row) -> Iterator[None]:
        """Count the time that this row keeps us: what no phase accounts for is shown as untracked."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._facts[row.key].busy_s += time.perf_counter() - began

    def _open(self, row: Row) -> bool:
        """Start a row's worker and journal; False, noted in the manifest, if it cannot be loaded."""
        facts = self._facts[row.key]
        if not row.adapter.available:
            self._events.row_unavailable(row, row.adapter.problem)
            return False
        if row.members and not self._has_inputs(row):
            return False
        self._events.row_started(row)
        worker = Worker(
            row,
            self._plan.limits.hiding(self._plan.data_set.reader.root, self._folder.path.parent),
            self._sampler,
            token=f"{self._token}-{row.key[:8]}",
            pin=self._plan.pin,
        )
        self._workers[row.key] = worker
        try:
            with self._busy(row):
                worker.start()
        except LoadFailed as error:
            if self._stopping.is_set():
                return False
            del self._workers[row.key]
            facts.available = False
            facts.problem = f"cannot be loaded: {error.reason}"
            facts.remedy = (
                f"install the module {error.missing}"
                if error.missing
                else f"bench run {row.label} --fresh after mending it; it said: {error.diagnostics}"
            )
            self._events.row_unavailable(row, facts.problem)
            return False
        # Where an earlier try of this run could not load it, the manifest still says so.
        facts.available, facts.problem, facts.remedy = True, "", ""
        self._journals[row.key] = self._folder.journal(row.key)
        return True

    def _has_inputs(self, row: Row) -> bool:
        """Find an ensemble's inputs; False, noted in the manifest, if a member has not all of them."""
        inputs = Inputs(self._plan, self._folder, row)
        missing = inputs.missing
        if missing is None:
            self._inputs[row.key] = inputs
            return True
        member, facts = self._facts[missing.key], self._facts[row.key]
        facts.available = False
        facts.problem = f"its member {missing.label} is not available: {member.problem}"
        facts.remedy = member.remedy
        self._events.row_unavailable(row, facts.problem)
        return False

    def _stop_worker(self, key: str) -> None:
        worker = self._workers.pop(key, None)
        if worker is None:
            return
        worker.stop()
        facts = self._facts[key]
        with self._lock:
            facts.starts += worker.starts
            for start in worker.starts:
                if start.network not in self._manifest.network:
                    self._manifest.network.append(start.network)
            facts.cpu_total_s += worker.cpu_total_s
            facts.network_attempts += worker.network_attempts
            if worker.spoke_unasked:
                facts.flags = sorted({*facts.flags, PROTOCOL})
            if worker.hid_cpu_time:
                facts.flags = sorted({*facts.flags, CLOCK})

    def _cell(
        self,
        row: Row,
        item: GoldPage,
        repeat: int,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        """Run one cell and put it on disk."""
        with self._busy(row):
            self._run_cell(row, item, repeat, meanwhile)

    def _run_cell(
        self, row: Row, item: GoldPage, repeat: int, meanwhile: Callable[[], None]
    ) -> None:
        if self._sampler.failure is not None:
            raise BenchError(f"sampling stopped: {self._sampler.failure}")
        page, inputs = item.page, self._inputs.get(row.key)
        payload = row.handed(item, inputs.texts(page.id) if inputs else None)
        try:
            result = self._workers[row.key].extract(
                payload, page.url, page.encoding, meanwhile=meanwhile
            )
            outcome, text, usage = result.outcome, result.text, result.usage
            diagnostics, attempts = result.diagnostics, result.network_attempts
            flags = result.flags
        except LoadFailed as error:
            # It could be loaded before: this is an accident, and counts as one.
            outcome, text, usage, attempts = Outcome.CRASH, "", Usage(0.0, 0.0), 0
            flags = ""
            diagnostics = f"the worker could not be started again: {error.reason}"
        if inputs:
            members = inputs.usages(page.id, repeat)
            usage = in_all([usage, *members])
            self._facts[row.key].busy_s += sum(each.wall_s for each in members)
        if self._stopping.is_set():
            return
        cell = Cell(
            row=row.key,
            page_id=page.id,
            page_hash=self._plan.page_hash(row, page.id),
            repeat=repeat,
            outcome=outcome,
            text=text,
            usage=usage,
            diagnostics=diagnostics,
            network_attempts=attempts,
            flags=flags,
        )
        self._journals[row.key].append(record(cell))
        self._events.cell_done(row, cell)

    def _sync(self) -> None:
        """Have what is journalled survive a power cut too (called by the sampler's thread)."""
        for journal in list(self._journals.values()):
            journal.sync()


class _Pages:
    """Reads a page while the one before it is with the worker.

    In a measured pass nothing is read ahead: there the machine belongs to the extractor.
    """

    def __init__(self, plan: Plan) -> None:
        self._data_set = plan.data_set
        self._ahead: GoldPage | None = None

    def take(self, page_id: str) -> GoldPage:
        """Return a page, whether it was read ahead or not."""
        item, self._ahead = self._ahead, None
        return item if item and item.page.id == page_id else self._data_set.read(page_id)

    def fetch(self, page_id: str | None) -> None:
        """Read a page ahead. One that cannot be read is found out about when it is taken."""
        if page_id is not None:
            with contextlib.suppress(BenchError):
                self._ahead = self._data_set.read(page_id)
