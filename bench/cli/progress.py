"""Progress of long work: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Self

from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from bench.adapters.registry import Row
from bench.cli import options
from bench.model import Cell
from bench.util.display import plain

_LINE_EVERY_S = 10.0


@contextlib.contextmanager
def pages(what: str, total: int, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show how many pages of some work are done; silent when not on a terminal."""
    console = options.console(stderr=True)
    with Progress(
        TextColumn(what), BarColumn(), MofNCompleteColumn(), console=console,
        transient=True, disable=quiet or not console.is_terminal,
    ) as bar:  # fmt: skip
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


class Transfer:
    """How far a download is: a bar on a terminal, a plain line now and then elsewhere."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = options.console(stderr=True)
        self._quiet = quiet
        self._live = self._console.is_terminal and not quiet
        self._last_line = time.monotonic()
        self._task: TaskID | None = None
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(bar_width=20), DownloadColumn(),
            TransferSpeedColumn(), TimeRemainingColumn(compact=True), console=self._console,
            transient=True, disable=not self._live,
        )  # fmt: skip

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def begin(self, what: str) -> None:
        """Begin with another file."""
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(plain(what), total=None)

    def end(self) -> None:
        """Take the bar away: nothing more is downloaded."""
        self._bar.stop()

    def show(self, done: int, total: int) -> None:
        """Show how many bytes of the file are there."""
        now = time.monotonic()
        if self._task is not None:
            self._bar.update(self._task, completed=done, total=total)
        if not self._live and not self._quiet and now - self._last_line > _LINE_EVERY_S:
            self._last_line = now
            self._console.print(f"{megabytes(done)} of {megabytes(total)}", markup=False)


def megabytes(size_bytes: int) -> str:
    """Return a size as people say it: 0.3 MB, 82 MB."""
    size = size_bytes / 1e6
    return f"{size:.0f} MB" if size >= 10 else f"{max(size, 0.1):.1f} MB"


class RunProgress:
    """What a run tells its user: extractor, page, rate, time left (``bench.runs.runner.Events``)."""

    def __init__(self, cells: int, *, quiet: bool) -> None:
        self._console = options.console(stderr=True)
        self._quiet = quiet
        self._live = self._console.is_terminal and not quiet
        self._lock = threading.Lock()
        self._done = 0
        self._total = cells
        self._began = self._last_line = time.monotonic()
        self._bar = Progress(
            TextColumn("{task.description}", style="bold"),
            BarColumn(bar_width=20),
            TaskProgressColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[page]}", style="dim"),
            console=self._console,
            transient=True,
            disable=not self._live,
        )
        self._task = self._bar.add_task("starting", total=cells, rate="", page="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def skip(self, cells: int) -> None:
        """Count cells that were there already."""
        with self._lock:
            self._total -= cells
            self._bar.update(self._task, total=self._total)

    def row_started(self, row: Row) -> None:
        """Name the extractor that is at work."""
        with self._lock:
            self._bar.update(self._task, description=row.label)
            if not self._live and not self._quiet:
                self._console.print(f"{self._done}/{self._total} {row.label}", markup=False)

    def cell_done(self, row: Row, cell: Cell) -> None:
        """Count a cell."""
        with self._lock:
            self._done += 1
            now = time.monotonic()
            rate = f"{self._done / max(now - self._began, 1e-9):.0f}/s"
            if self._live:
                page = plain(cell.page_id)[:16]
                self._bar.update(self._task, advance=1, description=row.label, rate=rate, page=page)
            elif not self._quiet and now - self._last_line > _LINE_EVERY_S:
                self._last_line = now
                self._console.print(f"{self._done}/{self._total} {row.label} {rate}", markup=False)

    def row_unavailable(self, row: Row, reason: str) -> None:
        """Say that an extractor cannot be run."""
        if not self._quiet:
            self._console.print(f"{row.label} is not available: {plain(reason)}", markup=False)
