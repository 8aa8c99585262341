"""What walls and a control group add to a worker's start."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

from bench.adapters import outside
from bench.runs import worker_home
from bench.runs.cgroup import Cgroup
from bench.worker import channel
from tests.perf.table import Measurement

_TIMES = 25
_PROMISED_MS = 10.0
_WORKER = """
import sys
from bench.worker import isolation, main
if sys.argv[2] == "open":
    isolation.confine = lambda *_: isolation.Walls("open", "open", "open")
main.main(int(sys.argv[1]))
"""


def measure() -> list[Measurement]:
    """Start workers behind walls and without any, taking turns."""
    pairs = [(_start_ms("open"), _start_ms("behind walls")) for _ in range(_TIMES)]
    # The quickest of each: whatever else the machine does only ever adds.
    without_ms, behind_ms = map(min, zip(*pairs, strict=True))
    added_ms = behind_ms - without_ms
    return [
        Measurement(
            "start of a worker behind walls, in a control group",
            f"{without_ms:.1f} ms without, {added_ms:+.1f} ms",
            f"at most {_PROMISED_MS:.0f} ms more",
            added_ms <= _PROMISED_MS,
        )
    ]


def _start_ms(how: str) -> float:
    """Milliseconds until a worker says that it is there."""
    home = worker_home.make(worker_home.run_token(Path(__file__)))
    ours, theirs = socket.socketpair()
    began = time.perf_counter()
    try:
        with ours, theirs:
            process = subprocess.Popen(
                [sys.executable, "-u", "-c", _WORKER, str(theirs.fileno()), how],
                env=worker_home.variables(home, None), cwd=home, pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )  # fmt: skip
            theirs.close()
            if how != "open":
                Cgroup(home.name, process.pid, 4 << 30)
            view = outside.view({}, Path(sys.executable), None, home, ())
            channel.write(ours.fileno(), {"op": "confine", "outside": view, "id": "0"}, b"")
            hello, _ = channel.read(ours.fileno())
            taken_s = time.perf_counter() - began
        process.wait()
    finally:
        worker_home.sweep(home.name)
    if (hello["processes"] == "open") != (how == "open"):
        print(f"no walls here: {hello}", file=sys.stderr)
    return taken_s * 1000
