"""Progress of long work: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

import click

from bench.adapters.adapter import Row
from bench.cli import printing
from bench.util.display import listed, plain
from bench.util.numbers import about, megabytes

if TYPE_CHECKING:
    from rich import progress as columns

    from bench.runs.estimate import Estimate

_LINE_EVERY_S = 10.0


class _Display:
    """What bars have in common: where they are drawn, and the lines in their place."""

    def __init__(self, *shown: columns.ProgressColumn, quiet: bool) -> None:
        from rich import progress as columns  # not to print help

        self._console = printing.console(stderr=True)
        self._quiet = quiet
        self._live = self._console.is_terminal and not quiet
        self._lock = threading.Lock()
        self._last_line = time.monotonic()
        self._bars = columns.Progress(
            *shown, console=self._console, transient=True, disable=not self._live
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def say(self, line: str) -> None:
        """Print a line, whatever a stranger put into it."""
        click.echo(plain(line), err=True)

    def _line(self, text: str) -> None:
        """Print a line where no bar is drawn: now and then."""
        now = time.monotonic()
        if not self._live and not self._quiet and now - self._last_line > _LINE_EVERY_S:
            self._last_line = now
            self._console.print(text, markup=False)


class Bar(_Display):
    """Shows one piece of work after another (``bench.util.progress.Progress``)."""

    def __init__(self, *, quiet: bool = False, of_bytes: bool = False) -> None:
        from rich import progress as columns

        self._of_bytes = of_bytes
        numbers: list[columns.ProgressColumn] = [columns.MofNCompleteColumn()]
        if of_bytes:
            numbers = [columns.DownloadColumn(), columns.TransferSpeedColumn()]
        name = columns.TextColumn("{task.description}", style="bold", markup=False)
        left = columns.TimeRemainingColumn(compact=True)
        super().__init__(name, columns.BarColumn(20), *numbers, left, quiet=quiet)

    def start(self, what: str, total: int | None = None) -> None:
        """Draw a bar for a piece of work, in place of the last one's."""
        with self._lock:
            for task in self._bars.task_ids:
                self._bars.remove_task(task)
            self._bars.add_task(plain(what), total=total)
            self._bars.start()

    def advance(self, steps: int = 1) -> None:
        """Move the bar; take it away once the work is done."""
        with self._lock:
            (task,) = self._bars.tasks
            self._bars.advance(task.id, steps)
            if task.finished:
                self._bars.stop()
            done, total = int(task.completed), int(task.total or 0)
            counts = (megabytes(done), megabytes(total)) if self._of_bytes else (done, total)
            self._line("{}: {} of {}".format(task.description, *counts))


def bar(*, quiet: bool = False, of_bytes: bool = False) -> Bar:
    """Return a bar that is taken away when the command ends, whatever its end."""
    return click.get_current_context().with_resource(Bar(quiet=quiet, of_bytes=of_bytes))


class CollectProgress(_Display):
    """What collecting tells its user: pages, rate, queue, errors (``bench.collect.run.Report``)."""

    def __init__(self, *, quiet: bool) -> None:
        from rich import progress as columns

        super().__init__(
            columns.SpinnerColumn(),
            columns.TextColumn("{task.description}", markup=False),
            columns.TimeElapsedColumn(),
            quiet=quiet,
        )
        self._task = self._bars.add_task("starting", total=None)
        self._first: tuple[float, float] | None = None

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def report(self, report: Mapping[str, float]) -> None:
        """Show how it goes."""
        done, now = report["done"], report["t"]
        self._first = self._first or (now, done)
        since, before = self._first
        rate = (done - before) / max(now - since, 1e-9)
        text = (
            f"{done:,.0f} pages, {rate:.1f}/s, {report['queued']:,.0f} queued, "
            f"{report['failed']:,.0f} failed, {megabytes(int(report['bytes']))}"
        )
        self._bars.update(self._task, description=text)
        self._line(text)


class RunProgress(_Display):
    """One display of a run: environments that are made, then pages, with the time left for both.

    It is what environments report to (``bench.util.progress.Progress``), and then the run
    (``bench.runs.runner.Events``). ``will`` is what the run is expected to take.
    """

    def __init__(self, *, quiet: bool, will: Estimate | None = None) -> None:
        from rich import progress as columns

        super().__init__(
            columns.TextColumn("{task.description}", style="bold", markup=False),
            columns.BarColumn(bar_width=20),
            columns.MofNCompleteColumn(),
            columns.TextColumn("{task.fields[rate]}"),
            columns.TextColumn("{task.fields[left]}"),
            columns.TextColumn("{task.fields[page]}", style="dim", markup=False),
            quiet=quiet,
        )
        self._done = 0
        self._total = will.cells if will else 0
        self._began = time.monotonic()
        self._build_s, self._run_s = (will.build_s, will.run_s) if will else (0.0, 0.0)
        self._pages = self._task("pages", self._total or None)
        self._environments = self._pages
        self._last_line = -_LINE_EVERY_S  # the first comes at once
        self._unavailable: dict[str, list[str]] = {}

    def _task(self, name: str, total: int | None) -> columns.TaskID:
        return self._bars.add_task(plain(name), total=total, rate="", left="", page="")

    def start(self, what: str, total: int | None = None) -> None:
        """Show that environments are made, beside the pages that come after them."""
        with self._lock:
            self._began = time.monotonic()
            self._environments = self._task(what, total)
            self._tell_environments()
            self._bars.start()

    def advance(self, steps: int = 1) -> None:
        """Count environments that are made."""
        with self._lock:
            self._bars.advance(self._environments, steps)
            if self._tell_environments():
                self._bars.stop()

    def say(self, line: str) -> None:
        """Print a line for an environment."""
        if not self._quiet:
            super().say(line)

    def _tell_environments(self) -> bool:
        """Show the time until the last page; return whether all environments are made."""
        task = next(task for task in self._bars.tasks if task.id == self._environments)
        done, total = task.completed, task.total or 0
        build_s = self._build_s
        if done:
            build_s = (time.monotonic() - self._began) / done * (total - done)
        left = f"{about(build_s + self._run_s)} left" if build_s + self._run_s else ""
        self._bars.update(task.id, left="" if task.finished else left)
        self._line(f"{task.description}: {done:.0f} of {total:.0f}{left and f', {left}'}")
        return task.finished

    def running(self, cells: int) -> Self:
        """Begin with the pages: ``with`` this, so many cells."""
        self._total, self._began = cells, time.monotonic()
        self._bars.update(self._pages, total=cells)
        return self

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        for reason, labels in self._unavailable.items():
            verb = "is" if len(labels) == 1 else "are"
            line = f"{listed(labels)} {verb} not available: {plain(reason)}"
            self._console.print(line, markup=False)
        self._unavailable.clear()

    def skip(self, cells: int) -> None:
        """Count cells that were there already."""
        with self._lock:
            self._total -= cells
            self._bars.update(self._pages, total=self._total)

    def row_started(self, row: Row) -> None:
        """Name the extractor that is at work."""
        with self._lock:
            self._bars.update(self._pages, description=row.label)
            self._line(f"{self._done}/{self._total} {row.label}")

    def cell_done(self, row: Row, page_id: str) -> None:
        """Count a cell."""
        with self._lock:
            self._done += 1
            per_s = self._done / max(time.monotonic() - self._began, 1e-9)
            left = f"{about((self._total - self._done) / per_s)} left"
            rate, page = f"{per_s:.0f}/s", plain(page_id)[:16]
            self._bars.update(
                self._pages, advance=1, description=row.label, rate=rate, left=left, page=page
            )
            self._line(f"{self._done}/{self._total} {row.label} {rate}, {left}")

    def row_unavailable(self, row: Row, reason: str) -> None:
        """Note that an extractor cannot be run: said at the end, once for each reason."""
        if not self._quiet:
            with self._lock:
                self._unavailable.setdefault(reason, []).append(row.label)
