"""What isolation keeps from a worker, tried from inside, as this user and as an ordinary one."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

TOP = Path(__file__).resolve().parents[2]
NOBODY = 65534

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="walls are Linux's")

# Runs in a process of its own: walls are for good. Standard library alone, under any Python 3.
CHILD = """
import json, os, signal, socket, subprocess, sys
sys.path.insert(0, {source!r})
from bench.worker import isolation as walls

for refused in {refused!r}:
    setattr(walls, refused, {{"_FLAG_SETS": (0,), "_landlock": lambda *_, **__: False}}[refused])
walls._HIGHEST_PROCESS = 320
nowhere = os.open(os.devnull, os.O_RDONLY)
stood = walls.confine(walls.Outside({reads!r}, {hidden!r}, {home!r}, 1 << 20), nowhere)
seen = {{"walls": stood._asdict(), "pid": os.getpid(), "uid": os.getuid()}}


def tried(name, attempt):
    try:
        seen[name] = attempt()
    except (OSError, subprocess.SubprocessError) as error:
        seen[name] = type(error).__name__


def write(path, text="x"):
    with open(path, "w") as file:
        return file.write(text)


def read(path):
    with open(path) as file:
        return file.read()


tried("read", lambda: read({allowed!r}))
tried("gold", lambda: read({gold!r}))
tried("hidden", lambda: os.listdir({hidden!r}[0]))
tried("rewrite", lambda: write({allowed!r}))
tried("chmod", lambda: os.chmod({allowed!r}, 0o777))
tried("link", lambda: os.symlink({gold!r}, "link") or read("link"))
tried("harness", lambda: read("/proc/%d/environ" % {harness}))
tried("signal", lambda: os.kill({harness}, 0) or "reached")
tried("sysctl", lambda: write("/proc/sys/kernel/domainname"))
tried("home", lambda: write("mine", "x" * 1000))
tried("too much", lambda: write("mine", "x" * (2 << 20)))
tried("outside", lambda: socket.create_connection(("192.0.2.1", 80), 0.2) and "reached")
tried("program", lambda: subprocess.check_output(["/bin/echo", "runs"]).decode().strip())
tried("shadow", lambda: read("/etc/shadow"))
def fork_many():
    children = []
    try:
        while len(children) < 400:
            children.append(os.fork())
            if children[-1] == 0:
                signal.pause()
    except OSError:
        pass
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return len(children)


tried("forks", fork_many)
tried("mount", lambda: walls._mount("tmpfs", {home!r}, "tmpfs", 0) or "mounted")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 3)
        signal.alarm(20)
        signal.pause()
    os._exit(0)
print(json.dumps(seen), flush=True)
{end}
"""


@pytest.fixture(params=["as we are", "ordinary user"])
def uid(request: pytest.FixtureRequest) -> int | None:
    if request.param == "as we are":
        return None
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    return NOBODY


@pytest.fixture
def place() -> Iterator[Path]:
    # Neither below a folder that only root may enter, nor where a worker has its temporary files.
    with tempfile.TemporaryDirectory(prefix="walls-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def behind(
    place: Path, uid: int | None, *refused: str, end: str = ""
) -> tuple[dict[str, Any], int]:
    """Return what was seen from behind walls, and the exit status."""
    for name in ("allowed", "allowed/gold", "code/bench/worker"):
        (place / name).mkdir(parents=True, exist_ok=True)
    (place / "allowed" / "file").write_text("may be read")
    (place / "gold.txt").write_text("may not")
    (place / "allowed" / "gold" / "page.txt").write_text("may not")
    for name in ("__init__.py", "worker/__init__.py", "worker/isolation.py"):
        shutil.copy(TOP / "bench" / name, place / "code" / "bench" / name)
    home = Path(tempfile.mkdtemp(prefix="bench-", dir="/tmp"))
    if uid is not None:
        os.chown(home, uid, uid)
    # A Python that every user may run.
    python = "/usr/bin/python3" if uid is not None else sys.executable
    reads = [str(place / "allowed"), str(place / "code"), sys.base_prefix, sys.prefix]
    code = CHILD.format(
        source=str(place / "code"), refused=refused, reads=reads, home=str(home),
        hidden=[str(place / "allowed" / "gold")], allowed=str(place / "allowed" / "file"),
        gold=str(place / "gold.txt"), harness=os.getpid(), end=end,
    )  # fmt: skip
    done = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=False, user=uid, cwd=home,
        timeout=60,
    )  # fmt: skip
    shutil.rmtree(home)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.returncode


def stands(place: Path, uid: int | None) -> dict[str, Any]:
    seen, _ = behind(place, uid)
    if seen["walls"]["files"] != "namespace":
        pytest.skip("no namespaces here")
    return seen


def test_a_worker_sees_what_it_needs_and_nothing_else(place: Path, uid: int | None) -> None:
    seen = stands(place, uid)
    assert seen["walls"] == dict.fromkeys(("files", "processes", "network"), "namespace")
    assert seen["read"] == "may be read"
    assert seen["gold"] == seen["link"] == "FileNotFoundError"
    assert seen["hidden"] == []
    assert seen["shadow"] == "FileNotFoundError"
    assert seen["program"] == "runs"


def test_a_worker_writes_to_its_home_alone_and_so_much(place: Path, uid: int | None) -> None:
    seen = stands(place, uid)
    assert seen["home"] == 1000
    assert seen["too much"] == "OSError"
    assert seen["rewrite"] in ("OSError", "PermissionError")
    assert seen["chmod"] in ("OSError", "PermissionError")
    assert seen["sysctl"] in ("OSError", "PermissionError")


def test_a_worker_reaches_no_process_and_no_network(place: Path, uid: int | None) -> None:
    seen = stands(place, uid)
    assert seen["pid"] == 2
    assert seen["harness"] == "FileNotFoundError"
    assert seen["signal"] == "ProcessLookupError"
    assert seen["outside"] == "OSError"
    assert seen["mount"] == "PermissionError"


def test_a_worker_cannot_take_all_process_numbers(place: Path, uid: int | None) -> None:
    seen = stands(place, uid)
    if [int(part) for part in re.findall(r"\d+", os.uname().release)[:2]] < [6, 14]:
        pytest.skip("before Linux 6.14 the highest number is everybody's")
    assert 200 < seen["forks"] < 320
    assert int(Path("/proc/sys/kernel/pid_max").read_text()) > 320


def test_what_a_worker_leaves_behind_ends_with_it(place: Path, uid: int | None) -> None:
    stands(place, uid)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        left = [p for p in psutil.process_iter() if str(place) in " ".join(_words(p))]
        if not left:
            return
        time.sleep(0.02)
    raise AssertionError(left)


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@pytest.mark.parametrize(
    ("end", "status"),
    [("sys.exit(7)", 7), ("os.kill(os.getpid(), signal.SIGKILL)", -9), ("os.abort()", -6)],
)
def test_a_worker_ends_as_it_would_without_walls(
    place: Path, uid: int | None, end: str, status: int
) -> None:
    assert behind(place, uid, end=end)[1] == status


def test_landlock_alone_keeps_contents(place: Path, uid: int | None) -> None:
    seen, _ = behind(place, uid, "_FLAG_SETS")
    if seen["walls"]["files"] != "Landlock":
        pytest.skip("no Landlock here")
    assert seen["walls"]["processes"] == "open"
    assert seen["read"] == "may be read"
    assert seen["gold"] == seen["link"] == seen["shadow"] == seen["harness"] == "PermissionError"
    assert seen["rewrite"] == "PermissionError"
    assert seen["program"] == "runs"


def test_where_nothing_can_be_had_nothing_is_claimed(place: Path, uid: int | None) -> None:
    seen, _ = behind(place, uid, "_FLAG_SETS", "_landlock")
    assert seen["walls"] == dict.fromkeys(("files", "processes", "network"), "open")
