"""What the kernel knows about a process and its descendants: CPU time, memory, network refusals.

Each function says what it returns where the platform cannot tell. Standard library and Python
3.7 only: the worker imports it, and the sampler too. On Linux everything comes from ``/proc``
(proc(5)) and the process clocks (clock_getres(2)); elsewhere from ``getrusage``.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from typing import List, Optional

LINUX = sys.platform.startswith("linux")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def slurp(path: str) -> bytes:
    """Return a small kernel file. Much quicker than open(), and this runs around every page."""
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 65536)
    finally:
        os.close(fd)


def descendants(pid: int) -> List[int]:
    """Return the pids of all living (or not yet reaped) descendants; [] where unknown."""
    pids: List[int] = []
    if not LINUX:
        return pids
    queue = [pid]
    while queue:
        tasks = "/proc/%d/task" % queue.pop()
        try:
            threads = os.listdir(tasks)
        except OSError:
            continue
        for thread in threads:
            try:
                children = slurp("%s/%s/children" % (tasks, thread)).split()
            except OSError:
                continue
            queue.extend(int(child) for child in children)
            pids.extend(int(child) for child in children)
    return pids


def has_children() -> bool:
    """Whether this process has children, living or not yet reaped: one system call."""
    if not LINUX:
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def end_descendants(patience_s: float = 1.0) -> None:
    """Kill and reap all descendants; as orphans become ours (see worker), that is every one."""
    if not has_children():
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    give_up = time.monotonic() + patience_s
    try:
        while time.monotonic() < give_up:
            for pid in descendants(os.getpid()):
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            time.sleep(0.001)
    except ChildProcessError:  # none is left
        pass


def cpu_s(pid: int) -> float:
    """Return user + system time in seconds of a process, its threads, and its reaped children.

    0.0 for a process that is gone, or whose platform has no ``/proc``.
    """
    try:
        # The fields after the command name, which may hold spaces and parentheses.
        fields = slurp("/proc/%d/stat" % pid).rpartition(b")")[2].split()
    except OSError:
        return 0.0
    utime, stime, children_utime, children_stime = (int(field) for field in fields[11:15])
    reaped = (children_utime + children_stime) / _TICKS_PER_S
    try:
        # MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED) of linux/posix-timers.h: nanoseconds, not ticks.
        return time.clock_gettime((~pid << 3) | 2) + reaped
    except OSError:  # a zombie has no clock any more
        return (utime + stime) / _TICKS_PER_S + reaped


def children_cpu_s() -> float:
    """Return user + system time in seconds of this process's descendants, living or reaped."""
    reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = reaped.ru_utime + reaped.ru_stime
    if has_children():
        total += sum(cpu_s(pid) for pid in descendants(os.getpid()))
    return total


def rss_bytes(pid: int) -> Optional[int]:
    """Return the resident size of a process in bytes, None where unknown or gone."""
    try:
        return int(slurp("/proc/%d/statm" % pid).split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):
        return None


def reset_peak(pid: int) -> bool:
    """Set a process's high-water mark back to its present size; False where that cannot be done."""
    if not LINUX:
        return False
    try:
        fd = os.open("/proc/%d/clear_refs" % pid, os.O_WRONLY)
    except OSError:
        return False
    try:
        os.write(fd, b"5")
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def peak_bytes(pid: int) -> Optional[int]:
    """Return a process's resident high-water mark in bytes, None where unknown or gone."""
    try:
        status = slurp("/proc/%d/status" % pid)
    except OSError:
        return None
    at = status.find(b"VmHWM:")
    return int(status[at + 6 :].split(None, 1)[0]) * 1024 if at >= 0 else None


def refused_routes() -> int:
    """Return how many packets this network namespace could not send for want of a route.

    In a namespace with nothing but loopback that is the count of attempts to reach the network.
    """
    total = 0
    try:
        lines = slurp("/proc/self/net/snmp").splitlines()
        names, values = [line.split() for line in lines if line.startswith(b"Ip:")]
        total += int(values[names.index(b"OutNoRoutes")])
        for line in slurp("/proc/self/net/snmp6").splitlines():
            if line.startswith(b"Ip6OutNoRoutes"):
                total += int(line.split()[1])
                break
    except (OSError, ValueError):
        pass
    return total
