"""What is measured of a worker belongs to the cell in which it was."""

import os
import subprocess
import sys
import threading

import pytest

from bench.runs.cgroup import Cgroup
from bench.runs.sampler import Watch
from bench.worker import kernel

LARGE = 1 << 50
CHILDREN = """
import subprocess
while True:
    print(subprocess.call("true"), flush=True)
"""


class SlowCgroup(Cgroup):
    """One that is large when it is looked at, which takes until a cell has ended."""

    def __init__(self) -> None:
        self.looked_at = threading.Event()
        self.cell_ended = threading.Event()

    @property
    def memory_bytes(self) -> int:
        self.looked_at.set()
        self.cell_ended.wait(0.2)
        return LARGE

    @property
    def has_killed(self) -> bool:
        return False


def test_a_look_counts_for_the_cell_in_which_it_began() -> None:
    cgroup = SlowCgroup()
    watch = Watch("row", os.getpid(), cgroup, 2 * LARGE, over_cap=lambda: None)
    looker = threading.Thread(target=watch.look, args=(0.0, 0.0))
    looker.start()
    cgroup.looked_at.wait()
    first = watch.taken()
    cgroup.cell_ended.set()
    looker.join()
    assert first.peak_bytes == LARGE
    assert (watch.taken().peak_bytes or 0) < LARGE


@pytest.mark.skipif(not kernel.reset_peak(os.getpid()), reason="the kernel keeps no mark")
def test_the_kernel_keeps_the_peak_whatever_children_come_and_go() -> None:
    command = [sys.executable, "-c", CHILDREN]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        parent.stdout.readline()
        watch = Watch("row", parent.pid, SlowCgroup(), LARGE, over_cap=lambda: None)
        kept = []
        for _ in range(500):
            parent.stdout.readline()
            watch.taken()
            kept.append(watch.has_peak_mark)
        parent.kill()
    assert all(kept)
