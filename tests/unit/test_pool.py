"""Work by several processes ends when whoever asked for it is interrupted."""

import os
import signal
import subprocess
import sys
import time

import pytest

from bench.util import pool

MINUTES = 60.0
PARENT = """
from tests.unit import test_pool
test_pool.main()
"""


def sleep(_given: None, part: float) -> float:
    """Take time, once that has been said."""
    print("at it", flush=True)
    time.sleep(part)
    return part


def main() -> None:
    """Begin work that takes minutes, and wait for it as the command line does."""
    # A shell's background job, and so whatever it starts, ignores the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pool.begun(sleep, None, [MINUTES] * 4, alone=False) as results:
            list(results)
    except KeyboardInterrupt:
        sys.exit(130)


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core: no other process works")
def test_ctrl_c_ends_all_processes_at_once_and_quietly() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert parent.stdout is not None
    for _ in range(2):  # both processes are at work
        assert parent.stdout.readline() == "at it\n"
    os.killpg(parent.pid, signal.SIGINT)
    _, errors = parent.communicate(timeout=MINUTES / 2)
    assert (parent.returncode, errors) == (130, "")
