"""Carries out a plan: every cell once, each on disk before the next is asked for.

Ensembles come after all others, whose texts are what they are handed.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import lru_cache, partial
from itertools import zip_longest
from typing import Protocol, TypeAlias

from bench.adapters.adapter import Row
from bench.model import BenchError, GoldPage, Outcome, Usage
from bench.runs import machine, worker_home
from bench.runs.ensemble_inputs import Inputs, in_all
from bench.runs.plan import Plan
from bench.runs.process import CLOCK, PROTOCOL, LoadFailed, Result
from bench.runs.sampler import Sampler
from bench.runs.store.journal import CellRecord, Journal, text_hash
from bench.runs.store.manifest import Status
from bench.runs.store.runs import RunFolder
from bench.runs.supervise import Worker

_Cell: TypeAlias = tuple[str, int]
"""Page and repeat."""


class Events(Protocol):
    """What a run tells while it goes on; called from the threads that run workers."""

    def row_started(self, row: Row) -> None:
        """The row's worker is about to start."""

    def cell_done(self, row: Row, page_id: str) -> None:
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
    """One execution of a plan."""

    def __init__(self, plan: Plan, folder: RunFolder, events: Events) -> None:
        self.plan = plan
        self.folder = folder
        self.events = events
        self.facts = folder.manifest.rows_by_key
        self.token = worker_home.run_token(folder.path)
        self.stopping = threading.Event()
        goes_on = folder.journal_path("samples").exists()
        self._rows = [_RowRun(self, row, goes_on=goes_on) for row in plan.rows]

    def carry_out(self) -> None:
        manifest = self.folder.manifest
        # What a killed parent left behind of this very run.
        worker_home.sweep(self.token)
        manifest.status = Status.RUNNING
        if any(row.put_off for row in self._rows):
            self.folder.write_manifest(manifest)
        manifest.load.append(machine.load_average())
        manifest.frequency_mhz.append(machine.frequency_mhz())
        samples = self.folder.journal("samples")
        self.sampler = Sampler(samples.append, on_tick=self._sync)
        try:
            with samples, self.sampler:
                for ensembles in (False, True):
                    rows = [row for row in self._rows if bool(row.row.members) == ensembles]
                    self._run(rows)
                    for row in rows:
                        if row.journal is not None or not row.todo:
                            row.run_all(row.put_off)
        except BaseException:
            manifest.status = Status.INTERRUPTED
            raise
        finally:
            self.stopping.set()
            for row in self._rows:
                row.close()
            worker_home.sweep(self.token)
            manifest.load.append(machine.load_average())
            manifest.frequency_mhz.append(machine.frequency_mhz())
            manifest.sampler.append(self.sampler.lateness)
            starts = (start for row in manifest.rows for start in row.starts)
            manifest.network = list(dict.fromkeys(start.network for start in starts))
            damage = (row.damage for row in self._rows if row.damage)
            manifest.warnings = [*machine.doubts(manifest), *damage]
            if manifest.status == Status.INTERRUPTED:
                with contextlib.suppress(BenchError):
                    self.folder.write_manifest(manifest)
        places = {page_id: place for place, page_id in enumerate(self.plan.pages)}
        self.folder.fold(manifest, places)

    def _sync(self) -> None:
        """Have what is journalled survive a power cut too (called by the sampler's thread)."""
        for row in self._rows:
            if row.journal is not None:
                row.journal.sync()

    # -- orders -----------------------------------------------------------------------------

    def _run(self, rows: Sequence["_RowRun"]) -> None:
        if self.plan.interleaved and rows and not rows[0].row.members:
            self._take_turns(rows)
        elif self.plan.jobs > 1:
            self._side_by_side(rows)
        else:
            for row in rows:
                row.run_all(row.todo)

    def _take_turns(self, every: Sequence["_RowRun"]) -> None:
        """Rows take turns on every page, all workers alive: what disturbs one disturbs all."""
        todo = {row: set(row.todo) for row in every}
        rows = [row for row in every if todo[row] and row.open()]
        for repeat in range(self.plan.repeats):
            for page_id in self.plan.pages:
                item = self.plan.data_set.read(page_id)
                for row in rows:
                    if (page_id, repeat) in todo[row]:
                        row.run(item, repeat)
        for row in rows:
            row.stop_worker()

    def _side_by_side(self, rows: Sequence["_RowRun"]) -> None:
        """Several rows at once, each in its own worker."""
        with ThreadPoolExecutor(self.plan.jobs) as pool:
            futures = [pool.submit(row.run_all, row.todo) for row in rows]
            try:
                for future in as_completed(futures):
                    future.result()
            except BaseException:
                self.stopping.set()
                pool.shutdown(wait=False, cancel_futures=True)
                # A thread that waits for a page notices when its worker is gone.
                for row in rows:
                    row.abort()
                raise


class _RowRun:
    """One row of a run: its worker, its journal, and what is still to do.

    ``goes_on``: the run was stopped before. The page that each row was at may be why, so it comes
    after all others, and is noted for the case that the run is stopped again.
    """

    def __init__(self, run: _Run, row: Row, *, goes_on: bool) -> None:
        self._run = run
        self.row = row
        self._facts = run.facts[row.key]
        self._worker: Worker | None = None
        self._inputs: Inputs | None = None
        self.journal: Journal | None = None
        self.damage = ""
        """A line on what was damaged in its journal."""
        began = goes_on and run.folder.journal_path(row.key).exists()
        cells, late_pages = self._missing_cells(), self._facts.put_off
        if began:
            late_pages += [page_id for page_id, _ in cells if page_id not in late_pages][:1]
        self.todo = [cell for cell in cells if cell[0] not in late_pages]
        self.put_off = [cell for cell in cells if cell[0] in late_pages]

    def _missing_cells(self) -> list[_Cell]:
        """Return the cells that are not on disk yet, in order."""
        plan = self._run.plan
        damaged: list[None] = []
        records = self._run.folder.journalled(self.row.key, lambda: damaged.append(None))
        done = {(record["page"], record["repeat"]) for record in records}
        if damaged:
            self.damage = (
                f"{len(damaged)} damaged lines of {self.row.label}'s journal were left out; cells "
                "that they held were run again"
            )
        pages = plan.pages
        every = [(page_id, repeat) for repeat in range(plan.repeats) for page_id in pages]
        return [cell for cell in every if cell not in done]

    def run_all(self, todo: Sequence[_Cell]) -> None:
        """Run some cells in one worker."""
        if not todo or self._run.stopping.is_set() or not self.open():
            return
        plan = self._run.plan
        read = lru_cache(maxsize=1)(plan.data_set.read)

        def read_ahead(page_id: str) -> None:
            # A page that cannot be read is found out about when it is its turn.
            with contextlib.suppress(BenchError):
                read(page_id)

        # In a measured pass nothing is read ahead: there the machine belongs to the extractor.
        following = [] if plan.interleaved else [partial(read_ahead, page) for page, _ in todo[1:]]
        for (page_id, repeat), meanwhile in zip_longest(todo, following):
            self.run(read(page_id), repeat, meanwhile or (lambda: None))
            if self._run.stopping.is_set():
                return
        self.stop_worker()
        self._inputs = None

    def open(self) -> bool:
        """Start worker and journal; False, noted in the manifest, if it cannot be run."""
        adapter, run = self.row.adapter, self._run
        if not adapter.available:
            run.events.row_unavailable(self.row, adapter.problem)
            return False
        if self.row.members:
            self._inputs = Inputs(run.plan, run.folder, self.row)
            if (missing := self._inputs.missing) is not None:
                member = run.facts[missing.key]
                problem = f"its member {missing.label} is not available: {member.problem}"
                return self._unavailable(problem, member.remedy)
        run.events.row_started(self.row)
        self._worker = Worker(
            self.row,
            run.plan.limits.hiding(run.plan.data_set.reader.root, run.folder.path.parent),
            run.sampler,
            token=f"{run.token}-{self.row.key[:8]}",
            pin=run.plan.pin,
        )
        try:
            with self._busy():
                self._worker.start()
        except LoadFailed as error:
            if run.stopping.is_set():
                return False
            self._worker = None
            return self._unavailable(
                f"cannot be loaded: {error.reason}",
                f"install the module {error.missing}"
                if error.missing
                else f"bench run {self.row.label} --fresh once it is fixed; its message: "
                f"{error.diagnostics}",
            )
        # Where an earlier try of this run could not load it, the manifest still says so.
        self._facts.available, self._facts.problem, self._facts.remedy = True, "", ""
        self.journal = self.journal or run.folder.journal(self.row.key)
        return True

    def _unavailable(self, problem: str, remedy: str) -> bool:
        self._facts.available, self._facts.problem, self._facts.remedy = False, problem, remedy
        self._run.events.row_unavailable(self.row, problem)
        return False

    @contextlib.contextmanager
    def _busy(self) -> Iterator[None]:
        """Count the time that this row keeps us: what no phase accounts for is shown as untracked."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._facts.busy_s += time.perf_counter() - began

    def run(
        self, item: GoldPage, repeat: int, meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        """Run one cell and put it on disk."""
        if self._run.sampler.failure is not None:
            raise BenchError(f"sampling stopped: {self._run.sampler.failure}")
        with self._busy():
            cell = self._cell(item, repeat, meanwhile)
            if not self._run.stopping.is_set():
                assert self.journal is not None  # noqa: S101
                self.journal.append(cell)
                self._run.events.cell_done(self.row, item.page.id)

    def _cell(self, item: GoldPage, repeat: int, meanwhile: Callable[[], None]) -> CellRecord:
        assert self._worker is not None  # noqa: S101
        page, inputs = item.page, self._inputs
        payload = self.row.handed(item, inputs.texts(page.id) if inputs else None)
        try:
            result = self._worker.extract(payload, page.url, page.encoding, meanwhile=meanwhile)
        except LoadFailed as error:
            # It could be loaded before: this is an accident, and counts as one.
            words = f"the worker could not be started again: {error.reason}"
            result = Result(Outcome.CRASH, "", Usage(0.0, 0.0), words, 0)
        usage = result.usage
        if inputs:
            members = inputs.usages(page.id, repeat)
            usage = in_all([usage, *members])
            self._facts.busy_s += sum(member.wall_s for member in members)
        return {
            "row": self.row.key,
            "page": page.id,
            "page_hash": self._run.plan.page_hash(self.row, page.id),
            "repeat": repeat,
            "outcome": result.outcome,
            "wall_s": usage.wall_s,
            "cpu_s": usage.cpu_s,
            "rss_peak_bytes": usage.rss_peak_bytes,
            "rss_idle_bytes": usage.rss_idle_bytes,
            "decode_s": usage.decode_s,
            "handover_s": usage.handover_s,
            "text_hash": text_hash(result.text),
            "text_chars": len(result.text),
            "diagnostics": result.diagnostics,
            "network_attempts": result.network_attempts,
            "carried_from": "",
            "text": result.text,
            "flags": result.flags,
        }

    def abort(self) -> None:
        """End the worker at once, from another thread."""
        if (worker := self._worker) is not None:
            worker.abort()

    def stop_worker(self) -> None:
        """End the worker in good order, and note what it took."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.stop()
            self._facts.starts += worker.starts
            self._facts.cpu_total_s += worker.cpu_total_s
            self._facts.network_attempts += worker.network_attempts
            broke = {PROTOCOL: worker.spoke_unasked, CLOCK: worker.hid_cpu_time}
            flags = {flag for flag, is_set in broke.items() if is_set}
            self._facts.flags = sorted(flags.union(self._facts.flags))

    def close(self) -> None:
        """End the worker and close the journal."""
        self.stop_worker()
        if self.journal is not None:
            with contextlib.suppress(BenchError):
                self.journal.close()
