"""Adapters that misbehave, one sin a file, on the page that says MISBEHAVE or on all of them."""

from __future__ import annotations

import time
from pathlib import Path

import psutil

from bench.adapters.adapter import Row
from tests.conftest import described

HERE = Path(__file__).parent


def rows(*files: str) -> list[Row]:
    """Return every variant of the adapters in these files, or in all of them."""
    paths = [HERE / f"{name}.py" for name in files] or sorted(HERE.glob("[!_]*.py"))
    adapters = [adapter for path in paths for adapter in described(path)]
    return [Row(adapter, variant) for adapter in adapters for variant in adapter.facts.variants]


def left_over(folder: Path) -> list[str]:
    """Name what workers whose temporary folder is ``folder`` left behind: files and processes."""
    found = [str(path) for path in folder.iterdir()]
    for process in psutil.process_iter():
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
            home = process.environ().get("HOME", "")
            if str(folder) in (home + process.cwd()) and home != str(Path.home()):
                found.append(f"{process.pid}: {' '.join(process.cmdline())}")
        except (psutil.Error, OSError):
            continue
    return found


def has_ended(word: str) -> bool:
    """Whether no process has this word, or has none soon: another test may be running one."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        running = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
        if not any(word in words for words in running):
            return True
        time.sleep(0.1)
    return False


class Silent:
    """A run's events, told to nobody."""

    def row_started(self, row: Row) -> None:
        pass

    def cell_done(self, row: Row, page_id: str) -> None:
        pass

    def row_unavailable(self, row: Row, reason: str) -> None:
        pass
