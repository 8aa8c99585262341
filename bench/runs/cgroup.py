"""A control group for a worker: the kernel counts and caps the memory of all in it (cgroups(7)).

So memory counts that no process maps (``memfd_create``, files in its home), and no child is too
short-lived for the cap. Where no memory controller is ours to write, nothing is counted.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.worker.kernel import slurp

_TRIES, _PATIENCE_S = 50, 0.005


class _Version(NamedTuple):
    """What the files of a memory controller are called."""

    cap: str
    cap_with_swap: str
    swap_bytes: int | None
    """What is written to the second; None for the cap."""
    counted: tuple[str, str]
    """Lines of ``memory.stat``: what cannot be dropped, as file pages can."""
    kills: str


_V1 = _Version(
    "memory.limit_in_bytes", "memory.memsw.limit_in_bytes", None, ("total_rss", "total_shmem"),
    "memory.oom_control",
)  # fmt: skip
_V2 = _Version("memory.max", "memory.swap.max", 0, ("anon", "shmem"), "memory.events")


class Cgroup:
    """The control group of one worker; of nothing, where there can be none."""

    def __init__(self, name: str, pid: int, cap_bytes: int) -> None:
        self._folder: Path | None = None
        for parent, version in _parents():
            folder = parent / name
            try:
                folder.mkdir()
                (folder / version.cap).write_text(str(cap_bytes))
                (folder / "cgroup.procs").write_text(str(pid))
            except OSError:
                _remove(folder)
                continue
            swap_bytes = cap_bytes if version.swap_bytes is None else version.swap_bytes
            with contextlib.suppress(OSError):  # a kernel that does not count swap
                (folder / version.cap_with_swap).write_text(str(swap_bytes))
            self._folder, self._version = folder, version
            self._kills = str(folder / version.kills)  # it is read after every page
            return

    def __bool__(self) -> bool:
        return self._folder is not None

    @property
    def memory_bytes(self) -> int:
        """What all in it hold beside file pages; 0 where nothing is counted."""
        if self._folder is None:
            return 0
        return sum(_numbers(f"{self._folder}/memory.stat", *self._version.counted))

    @property
    def has_killed(self) -> bool:
        """Whether the kernel ended a process for being over the cap."""
        return self._folder is not None and any(_numbers(self._kills, "oom_kill"))

    def remove(self) -> None:
        """Kill what is left in it, and remove it."""
        if self._folder is not None:
            _remove(self._folder)


def sweep(token: str) -> None:
    """Remove every control group whose name starts with this token, and kill what is in it."""
    for parent, _ in _parents():
        for folder in parent.glob(f"{token}*"):
            _remove(folder)


def _parents() -> Iterator[tuple[Path, _Version]]:
    """Yield the folders in which a control group might be made: beside ours, in version 1 in ours.

    In version 2 one that holds processes may not share out its memory.
    """
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if not controllers:
                yield Path(f"/sys/fs/cgroup{path}").parent, _V2
            elif "memory" in controllers.split(","):
                yield Path(f"/sys/fs/cgroup/memory{path}"), _V1


def _numbers(path: str, *names: str) -> list[int]:
    with contextlib.suppress(OSError):
        facts = dict(line.split(" ", 1) for line in slurp(path).decode("ascii").splitlines())
        return [int(facts.get(name, 0)) for name in names]
    return []


def _remove(folder: Path) -> None:
    for _ in range(_TRIES):
        try:
            for pid in (folder / "cgroup.procs").read_text("ascii").split():
                os.kill(int(pid), signal.SIGKILL)
            return folder.rmdir()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:  # busy, for as long as a process in it takes to end
            time.sleep(_PATIENCE_S)
    return None
