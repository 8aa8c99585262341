"""Carries out a plan: every cell once, each on disk before the next is asked for.

Ensembles come after all others, whose texts are what they are handed.
"""

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from itertools import chain, pairwise
from typing import Protocol, TypeAlias

from bench.adapters.adapter import Row
from bench.model import BenchError, GoldPage, Outcome, Usage
from bench.runs import estimate, machine, worker_home
from bench.runs.ensemble_inputs import Inputs, in_all
from bench.runs.plan import Plan
from bench.runs.process import CLOCK, PROTOCOL, LoadFailed, Result
from bench.runs.sampler import Sampler
from bench.runs.store.journal import CellRecord, Journal
from bench.runs.store.manifest import Status
from bench.runs.store.runs import RunFolder
from bench.runs.supervise import Worker
from bench.util.atomic import writing_to

_Cell: TypeAlias = tuple[str, int]
"""Page and repeat."""
_ROWS_AT_ONCE = 4
"""Rows whose workers live at the same time, so that each page is read once for all of them."""
_PAGES_AT_ONCE = 16
"""Pages that a row gets before it is the next row's turn."""
_KEPT_BYTES = 16 << 20
"""Of pages that are kept for the rows to come."""


class Events(Protocol):
    """What a run tells while it goes on; called from the threads that run workers."""

    def row_started(self, row: Row) -> None:
        """The row's worker is about to start."""

    def cell_done(self, row: Row, page_id: str) -> None:
        """A cell is on disk."""

    def row_unavailable(self, row: Row, reason: str) -> None:
        """The row's extractor cannot be loaded."""


def execute(plan: Plan, folder: RunFolder, events: Events, *, keep_texts: bool = True) -> None:
    """Run all cells of a plan that the folder does not hold yet, then fold the journals.

    Interrupted in any way, the folder keeps every finished cell, and executing the same plan
    over it goes on. Without ``keep_texts`` it has the texts' hashes alone: there must be no ensemble.
    Raises ``BenchError`` when the disk refuses, or another process is at it.
    """
    with folder.alone():
        _Run(plan, folder, events, keep_texts=keep_texts).carry_out()


class _Run:
    """One execution of a plan."""

    def __init__(self, plan: Plan, folder: RunFolder, events: Events, *, keep_texts: bool) -> None:
        self.plan = plan
        self.keep_texts = keep_texts
        self.folder = folder
        self.events = events
        self.facts = folder.manifest.rows_by_key
        self.token = worker_home.run_token(folder.path)
        self.stopping = threading.Event()
        self._rows = [_RowRun(self, row) for row in plan.rows]

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
                        row.todo = row.put_off if row.journal is not None or not row.todo else []
                    self._run(rows)
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

    def _run(self, every: Sequence["_RowRun"]) -> None:
        rows = [row for row in every if row.todo]
        if not rows:
            return
        if self.plan.jobs > 1 and not self.plan.interleaved:
            self._side_by_side(rows)
            return
        at_once = len(rows) if self.plan.interleaved else _ROWS_AT_ONCE
        if any(row.row.members for row in rows):
            at_once = 1  # each ensemble holds its members' texts
        for at in range(0, len(rows), at_once):
            self._take_turns(rows[at : at + at_once])

    def _take_turns(self, every: Sequence["_RowRun"]) -> None:
        """Rows take turns, all workers alive: on every page, where a slow minute shall hit them all.

        Else on some pages at a time, each read once, and while the worker is at the one before. In a
        measured pass nothing is read ahead: there the machine belongs to the extractor.
        """
        rows = [row for row in every if not self.stopping.is_set() and row.open()]
        pages = _LastPages(self.plan.data_set.read, _KEPT_BYTES if len(rows) > 1 else 0)
        for cell, following in pairwise(chain(self._in_turns(rows), [None])):
            assert cell is not None  # noqa: S101
            row, page_id, repeat = cell
            row.begin_turn()
            item = pages.read(page_id)
            if following and not self.plan.interleaved:
                row.run(item, repeat, partial(pages.read_ahead, following[1]))
            else:
                row.run(item, repeat)
            if self.stopping.is_set():
                return
            if following is None or following[0] is not row:
                row.end_turn()
        for row in rows:
            row.stop_worker()

    def _in_turns(self, rows: Sequence["_RowRun"]) -> Iterator[tuple["_RowRun", str, int]]:
        pages = self.plan.pages
        at_once = 1 if self.plan.interleaved else _PAGES_AT_ONCE
        wanted = {row: set(row.todo) for row in rows}
        for repeat in range(self.plan.repeats):
            for at in range(0, len(pages), at_once):
                for row in rows:
                    for page_id in pages[at : at + at_once]:
                        if (page_id, repeat) in wanted[row]:
                            yield row, page_id, repeat

    def _side_by_side(self, rows: Sequence["_RowRun"]) -> None:
        """Several rows at once, each in its own worker.

        The longest come first, or what was never timed: whichever is last is run alone.
        """
        timed = estimate.seconds_by_label(self.folder.path.parent)
        rows = sorted(rows, key=lambda row: -timed.get(row.row.label, math.inf))
        with ThreadPoolExecutor(self.plan.jobs) as pool:
            futures = [pool.submit(self._take_turns, [row]) for row in rows]
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


class _LastPages:
    """Reads pages, and keeps the last ones, of so many bytes, for the rows to come."""

    def __init__(self, read: Callable[[str], GoldPage], kept_bytes: int) -> None:
        self._read = read
        self._kept_bytes = kept_bytes
        self._items: dict[str, GoldPage] = {}
        self._bytes = 0

    def read(self, page_id: str) -> GoldPage:
        """Return a page. Raises ``BenchError`` for one that cannot be read."""
        if page_id not in self._items:
            while self._bytes > self._kept_bytes:
                self._bytes -= len(self._items.pop(next(iter(self._items))).page.html)
            self._items[page_id] = self._read(page_id)
            self._bytes += len(self._items[page_id].page.html)
        return self._items[page_id]

    def read_ahead(self, page_id: str) -> None:
        """Read a page before it is its turn: that is when one finds out that it cannot be read."""
        with contextlib.suppress(BenchError):
            self.read(page_id)


class _RowRun:
    """One row of a run: its worker, its journal, and what is still to do.

    Where the run was stopped in the middle of the row's turn, the page that it was at may be why. It
    comes after all others then, and is noted for the case that the run is stopped again.
    """

    def __init__(self, run: _Run, row: Row) -> None:
        self._run = run
        self.row = row
        self._facts = run.facts[row.key]
        self._worker: Worker | None = None
        self._inputs: Inputs | None = None
        self.journal: Journal | None = None
        self.damage = ""
        """A line on what was damaged in its journal."""
        self._has_turn = False
        self._turn = run.folder.journal_path(row.key).with_suffix(".turn")
        cells, late_pages = self._missing_cells(), self._facts.put_off
        if self._turn.exists():
            late_pages += [page_id for page_id, _ in cells if page_id not in late_pages][:1]
        self.todo = [cell for cell in cells if cell[0] not in late_pages]
        self.put_off = [cell for cell in cells if cell[0] in late_pages]

    def begin_turn(self) -> None:
        """Leave a sign on disk that the row is at work, unless it is there."""
        if not self._has_turn:
            with writing_to(self._turn.parent):
                self._turn.touch()
            self._has_turn = True

    def end_turn(self) -> None:
        """Take the sign away."""
        with writing_to(self._turn.parent):
            self._turn.unlink(missing_ok=True)
        self._has_turn = False

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
            result = Result(Outcome.CRASH, "", "", Usage(0.0, 0.0), words, 0)
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
            "text_hash": result.text_hash,
            "text_chars": len(result.text),
            "diagnostics": result.diagnostics,
            "network_attempts": result.network_attempts,
            "carried_from": "",
            "text": result.text if self._run.keep_texts else "",
            "flags": result.flags,
        }

    def abort(self) -> None:
        """End the worker at once, from another thread."""
        if (worker := self._worker) is not None:
            worker.abort()

    def stop_worker(self) -> None:
        """End the worker in good order, and note what it took."""
        worker, self._worker = self._worker, None
        self._inputs = None
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
