"""Collects: writes down what is wanted, and has a child process fetch it."""

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from bench.collect import addresses
from bench.collect.settings import Selection, Settings
from bench.collect.urls import Counts, Link, Reason, State, UrlTable
from bench.model import BenchError, UsageError
from bench.util import atomic, locks

LOG = "collect.log"
_GRACE_S = 5.0

Report = Mapping[str, float]
"""``t`` (s), ``bytes`` (received), ``in_flight``, and how many addresses have each state."""


@dataclass(frozen=True)
class Collected:
    """What a collection has so far."""

    out: Path
    counts: Counts
    templates: list[tuple[str, int, int]]
    """Shape of addresses, its pages, all addresses of it that might have been pages."""


def collect(
    out: Path,
    settings: Settings,
    wanted: Iterable[str],
    *,
    on_report: Callable[[Report], None],
    indexes: Iterable[Link] = (),
) -> Collected:
    """Fetch what is wanted and not there yet into ``out``; ``on_report`` hears how it goes.

    ``wanted`` are addresses of pages (of sitemaps, where ``settings.source`` says so), ``indexes``
    those of pages that are fetched again each time, for their links. Raises
    ``UsageError`` for a folder of another collection, ``BenchError`` where the child process fails.
    """
    with _folder(out, settings) as folder:
        _prepare(folder, settings, wanted, indexes)
        _fetch(folder, on_report)
        return status(folder)


def status(out: Path) -> Collected:
    """Return what a collection has so far. Raises ``BenchError`` for a folder that holds none."""
    with UrlTable(out) as urls:
        return Collected(out, urls.counts(), urls.templates())


def collection_lock(out: Path) -> contextlib.AbstractContextManager[None]:
    """Lock a collection. Raises ``BenchError`` where another process has it."""
    return locks.alone(
        out / "collect.lock", f"{out} is being collected into; wait, or end that one"
    )


@contextlib.contextmanager
def _folder(out: Path, settings: Settings) -> Iterator[Path]:
    """Give the folder; that of a dry run does not stay."""
    if settings.dry_run:
        with tempfile.TemporaryDirectory(prefix="bench-collect-") as name:
            yield Path(name)
        return
    with atomic.writing_to(out):
        out.mkdir(parents=True, exist_ok=True)
    yield out


def _prepare(out: Path, settings: Settings, wanted: Iterable[str], indexes: Iterable[Link]) -> None:
    depth, kind = (-1, "sitemap") if settings.source == "sitemap" else (0, "page")
    with collection_lock(out), UrlTable(out, make=True) as urls:
        before = urls.settings or settings
        for name in (field.name for field in fields(Selection)):
            old, new = getattr(before, name), getattr(settings, name)
            if old != new:
                raise UsageError(
                    f"{out} was begun with {name} {old}, not {new}; choose another --out"
                )
        with urls.transaction():
            urls.settings = settings
            urls.add(_root(address, depth, kind) for address in wanted)
            for index in indexes:
                urls.add([index])
                urls.requeue(index.url)


def _root(address: str, depth: int, kind: str) -> Link:
    url = addresses.canonical(address)
    if url is None:
        return Link(address, depth, State.SKIPPED, Reason.ADDRESS)
    return Link(url, depth, kind=kind)


def _fetch(out: Path, on_report: Callable[[Report], None]) -> None:
    command = [sys.executable, "-m", "bench.collect.child", str(out)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Ctrl-C is for us: the child is asked to stop.
        start_new_session=True,
    ) as child:
        try:
            for line in child.stdout or ():
                on_report(json.loads(line))
        except BaseException:
            child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.communicate(timeout=_GRACE_S)
            child.kill()
            raise
        errors = child.communicate()[1].decode(errors="replace").strip()
    if child.returncode:
        last = errors.rpartition("\n")[2]
        raise BenchError(f"collecting stopped: {last}; {out / LOG} may say more")
