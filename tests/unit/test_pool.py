"""Work by several processes: it ends with whoever asked for it, who may be a plain script."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from bench.util import pool

MINUTES = 60.0
PARENT = """
from tests.unit import test_pool
test_pool.main()
"""

SCRIPT = """
from bench.util import pool
from tests.unit.test_pool import times
with pool.begun(times, 2, [1, 2, 3], alone=False) as results:
    print(*results)
"""
"""Whoever imports it begins again: it has no guard."""


def times(given: int, part: int) -> int:
    """Multiply."""
    return given * part


def sleep(_given: None, part: float) -> float:
    """Take time, once that has been said."""
    print("at it\n", end="", flush=True)  # in one piece: another process says it too
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


def until_spawned(parent: int) -> None:
    """Wait until a process has a child, which is only about to start."""
    while not psutil.Process(parent).children():
        time.sleep(0.001)


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core: no other process works")
@pytest.mark.parametrize("at_work", [True, False])
def test_ctrl_c_ends_all_processes_at_once_and_quietly(at_work: bool) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert parent.stdout is not None
    for _ in range(2 * at_work):  # both processes
        assert parent.stdout.readline() == "at it\n"
    if not at_work:
        until_spawned(parent.pid)
    os.killpg(parent.pid, signal.SIGINT)
    _, errors = parent.communicate(timeout=MINUTES / 2)
    assert (parent.returncode, errors) == (130, "")


def test_a_script_without_a_guard_may_ask_for_it(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, "utf-8")
    done = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True, text=True, timeout=MINUTES, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("2 4 6\n", "")
