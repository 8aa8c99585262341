"""Memory that no process's account shows is counted and capped, where there are control groups."""

import os
from pathlib import Path

import pytest

from bench.model import Limits, Outcome
from bench.runs import cgroup
from bench.runs.cgroup import Cgroup
from bench.runs.process import Result
from bench.runs.supervise import outside_a_run
from tests import rogues

LIMITS = Limits(memory_bytes=512 << 20, grace_s=0.2)
HELD_BYTES = 100 << 20


@pytest.fixture(scope="module")
def can_be_had() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0 if Cgroup("bench-test-can-be-had", os.getpid(), 1 << 30) else 1)
    _, status = os.waitpid(child, 0)
    cgroup.sweep("bench-test-can-be-had")
    if status:
        pytest.skip("no memory controller is ours to write here")


needs_control_group = pytest.mark.usefixtures("can_be_had")


def results(variant: str) -> list[Result]:
    """Return how a good page, the bad one, and a good one ended."""
    row = next(row for row in rogues.rows("_hides_memory") if row.variant == variant)
    with outside_a_run("bench-test-memory", LIMITS) as worker:
        extract = worker(row).extract
        return [extract(html, None, None) for html in (b"fine", b"MISBEHAVE", b"fine")]


@needs_control_group
def test_memory_that_no_process_maps_is_counted() -> None:
    before, held, _ = results("holds_memfd")
    assert held.outcome is Outcome.OK
    assert before.usage.rss_peak_bytes is not None
    assert held.usage.rss_peak_bytes is not None
    more_bytes = held.usage.rss_peak_bytes - before.usage.rss_peak_bytes
    # The worker's code and libraries count towards the first figure alone.
    assert 0.8 * HELD_BYTES < more_bytes < 1.1 * HELD_BYTES


@needs_control_group
@pytest.mark.parametrize("variant", ["memfd", "home", "quick_child"])
def test_what_is_over_the_cap_is_that_page_alone(variant: str) -> None:
    before, over, after = results(variant)
    assert over.outcome is Outcome.OOM
    assert over.diagnostics.startswith("over the memory cap of 512 MiB")
    assert over.usage.rss_peak_bytes is not None
    assert over.usage.rss_peak_bytes >= LIMITS.memory_bytes
    assert before.outcome is after.outcome is Outcome.OK


@needs_control_group
def test_nothing_is_left() -> None:
    results("quick_child")
    assert not [path for parent, _ in cgroup._parents() for path in parent.glob("bench-test-*")]


def test_version_2_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of files that say what a kernel says."""
    monkeypatch.setattr(cgroup, "_parents", lambda: iter([(tmp_path, cgroup._V2)]))
    group = Cgroup("bench-test-v2", 123, 512)
    folder = tmp_path / "bench-test-v2"
    names = ("memory.max", "memory.swap.max", "cgroup.procs")
    assert [(folder / name).read_text() for name in names] == ["512", "0", "123"]
    (folder / "memory.stat").write_text("anon 5\nfile 1000\nshmem 7\n")
    assert group.memory_bytes == 12
    for kills, has_killed in (("0", False), ("1", True)):
        (folder / "memory.events").write_text(f"oom 3\noom_kill {kills}\n")
        assert group.has_killed == has_killed


def test_where_there_is_none_nothing_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "_parents", lambda: iter([(Path("/proc/nowhere"), cgroup._V2)]))
    none = Cgroup("bench-test-none", os.getpid(), 1)
    assert not none
    assert none.memory_bytes == 0
    assert not none.has_killed
    none.remove()
