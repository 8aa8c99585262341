"""Walls around a worker: what the kernel lets it see, signal and reach.

A worker is confined before it imports anything of an extractor. On Linux, in this order, each
where the kernel allows it: a user namespace (a root's powers end there), namespaces of mounts,
processes, network and System V objects (user_namespaces(7), pid_namespaces(7)), and Landlock
(landlock(7)) as a second wall, or alone where namespaces are refused. ``Walls`` says what could
be had. Standard library and Python 3.7 only: the worker imports it.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import glob
import json
import os
import re
import resource
import signal
import socket
import struct
import sys
from typing import Collection, List, NamedTuple, Sequence

NAMESPACE, LANDLOCK, REFUSED, OPEN = "namespace", "Landlock", "refused sockets", "open"
"""By what something is kept from a worker."""

# linux/sched.h
_MOUNTS, _IPC, _USER, _PIDS, _NET = 1 << 17, 1 << 27, 1 << 28, 1 << 29, 1 << 30
_FLAG_SETS = (
    _USER | _MOUNTS | _PIDS | _NET | _IPC,
    _MOUNTS | _PIDS | _NET | _IPC,  # a root whose system has no user namespaces
    _USER | _NET,
    _NET,
    0,
)
# linux/mount.h
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_PROGRAMS = 1, 2, 4, 8
_BIND, _RECURSIVE, _PRIVATE, _DETACH = 1 << 12, 1 << 14, 1 << 18, 2
_AT_RECURSIVE = 0x8000
# linux/prctl.h, linux/sockios.h
_DIE_WITH_PARENT, _DROP_CAPABILITY, _NO_NEW_POWERS = 1, 24, 38
_SET_FLAGS, _UP_AND_RUNNING = 0x8914, 0x41
# The same on every architecture since Linux 5.1 (asm-generic/unistd.h).
_MOUNT_SETATTR, _LANDLOCK_RULESET, _LANDLOCK_RULE, _LANDLOCK_RESTRICT = 442, 444, 445, 446
_CAPABILITIES_V3 = 0x20080522

_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives",
    "/etc/ca-certificates", "/etc/fonts", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/pki", "/etc/ssl", "/etc/timezone",
    "/etc/os-release", "/etc/host.conf", "/etc/protocols", "/etc/services", "/etc/R",
    *glob.glob("/etc/java*"),
)  # fmt: skip
_HIGHEST_PROCESS = 4096
_DEVICES = ("null", "zero", "full", "random", "urandom")


class Walls(NamedTuple):
    """By what a worker is kept from the files, processes and network of others."""

    files: str
    processes: str
    network: str


class Outside(NamedTuple):
    """What a worker may still see of the world outside."""

    reads: Sequence[str]
    """Files and folders, absolute, beside the system's own libraries and programs."""
    hidden: Sequence[str]
    """Folders inside these that stay empty."""
    home: str
    """The one folder that it may write to."""
    home_bytes: int
    """How much it may write."""


def confine(outside: Outside, channel_fd: int) -> Walls:
    """Put this process behind walls, and return which stand.

    Behind namespaces it returns in another process: those that stay outside close ``channel_fd``,
    wait for that one's end, and end as it did.
    """
    if not sys.platform.startswith("linux"):
        return Walls(OPEN, OPEN, OPEN)
    inherited = [limit for limit in resource.getrlimit(resource.RLIMIT_FSIZE) if limit >= 0]
    most = min([outside.home_bytes, *inherited])
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    flags = _leave_shared_namespaces()
    files = processes = OPEN
    if flags & _NET:
        _raise_loopback()
    if flags & _PIDS:
        processes = NAMESPACE
        files = _go_on_alone(outside, channel_fd)
    _drop_powers()
    if _landlock(outside, private=files == NAMESPACE) and files == OPEN:
        files = LANDLOCK
    return Walls(files, processes, NAMESPACE if flags & _NET else OPEN)


_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (what, os.strerror(number)))
    return result


# -- namespaces ---------------------------------------------------------------------------------


def _leave_shared_namespaces() -> int:
    """Return the flags of the namespaces that are new, as many as the kernel allows."""
    uid, gid = os.getuid(), os.getgid()
    flags = next(flags for flags in _FLAG_SETS if not flags or _libc.unshare(flags) == 0)
    if flags & _USER:
        # Be seen as who we were. Where this is denied (AppArmor) we look like nobody to
        # ourselves, but the kernel still knows us: files open as before.
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", "%d %d 1" % (uid, uid)),
            ("gid_map", "%d %d 1" % (gid, gid)),
        ):
            try:
                with open("/proc/self/" + name, "w") as file:
                    file.write(text)
            except OSError:
                break
    return flags


def _go_on_alone(outside: Outside, channel_fd: int) -> str:
    """Return in process 2 of the new namespace, with by what it is kept from files.

    Process 1 ends with it, and all others there with process 1, wherever they hide. No signal of
    its own can end process 1 (pid_namespaces(7)), hence a pipe for how process 2 ended.
    """
    status_in, status_out = os.pipe()
    first = os.fork()
    if first:
        os.close(channel_fd)
        os.close(status_out)
        _, status = os.waitpid(first, 0)
        ended = os.read(status_in, 4)
        _end_as(struct.unpack("i", ended)[0] if len(ended) == 4 else status)
    os.close(status_in)
    _libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    try:
        _see_only(outside)
        files = NAMESPACE
    except OSError:  # such as AppArmor's: namespaces, but no mounts in them
        files = OPEN
    second = os.fork()
    if second:
        os.close(channel_fd)
        pid = 0
        while pid != second:
            pid, status = os.wait()
        os.write(status_out, struct.pack("i", status))
        os._exit(0)
    os.close(status_out)
    _libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    return files


def _end_as(status: int) -> None:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def _raise_loopback() -> None:
    """Browsers and their drivers talk over 127.0.0.1."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP_AND_RUNNING))
        except OSError:
            return


# -- files --------------------------------------------------------------------------------------


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "user_ns")]


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    words = [os.fsencode(word) for word in (source, target, kind)]
    done = _libc.mount(*words, ctypes.c_ulong(flags), os.fsencode(options))
    _checked(done, "mounting %s" % target)


def _make_read_only(target: str, flags: int) -> None:
    wanted = _MountAttributes(_READ_ONLY | _NO_SUID, 0, 0, 0)
    done = _libc.syscall(
        _MOUNT_SETATTR,
        -100,
        os.fsencode(target),
        flags,
        ctypes.byref(wanted),
        ctypes.sizeof(wanted),
    )
    _checked(done, "making %s read-only" % target)


def _see_only(outside: Outside) -> None:
    """Move to a root that holds the system, ``reads`` and an empty home, and nothing else.

    Raises ``OSError`` where it cannot be, and then all is as it was.
    """
    _mount("none", "/", "", _RECURSIVE | _PRIVATE)
    root = "/proc"  # there on every system, and nothing below it is wanted as it is
    _mount("tmpfs", root, "tmpfs", _NO_SUID, "size=4m,mode=755")
    try:
        _furnish(root, outside)
        os.chdir(root)
        _checked(_libc.pivot_root(b".", b"."), "changing the root")
    except OSError:
        _libc.umount2(os.fsencode(root), _DETACH)
        raise
    _checked(_libc.umount2(b".", _DETACH), "leaving the old root")
    _make_read_only("/", 0)
    os.chdir(outside.home)


def _furnish(root: str, outside: Outside) -> None:
    os.mkdir(root + "/proc")
    # Read-only: what is written to /proc/sys by a root's number holds for the whole machine.
    flags = _NO_SUID | _NO_DEVICES | _NO_PROGRAMS
    _mount("proc", root + "/proc", "proc", flags)
    _limit_processes(root + "/proc")
    _make_read_only(root + "/proc", 0)
    temporary = os.path.dirname(outside.home)
    for folder in (temporary, "/dev/shm"):  # noqa: S108
        os.makedirs(root + folder)
        _mount("tmpfs", root + folder, "tmpfs", _NO_SUID, "size=%d,mode=1777" % outside.home_bytes)
    os.mkdir(root + outside.home, 0o700)
    for name in _DEVICES:
        _show("/dev/" + name, root)
    os.symlink("/proc/self/fd", root + "/dev/fd")
    aliases = {}
    hidden = {os.path.realpath(path) for path in outside.hidden}
    shown = set()
    for path in (*_SYSTEM, *outside.reads):
        real = os.path.realpath(path)
        if real != path:
            aliases[path] = real
        if os.path.exists(real) and real not in hidden:
            shown.add(real)
    # From the top down: what lies deeper has the last word.
    for path in sorted(shown | hidden, key=lambda path: path.count("/")):
        above = _nearest_above(path, shown | hidden)
        if path in hidden:
            if above in shown and os.path.isdir(path):
                _mount("tmpfs", root + path, "tmpfs", _NO_SUID, "size=64k,mode=755")
        elif above not in shown:
            _show(path, root)
            _make_read_only(root + path, _AT_RECURSIVE)
    aliases["/tmp"] = temporary  # noqa: S108
    for path, real in aliases.items():
        if not os.path.lexists(root + path):
            os.makedirs(os.path.dirname(root + path), exist_ok=True)
            os.symlink(real, root + path)


def _limit_processes(proc: str) -> None:
    """End process numbers early, threads among them: no fork bomb takes all that the machine has.

    Since Linux 6.14 the highest number is the namespace's own; before, it is everybody's.
    """
    release = [int(part) for part in re.findall(r"\d+", os.uname().release)[:2]]
    if release >= [6, 14]:
        with contextlib.suppress(OSError), open(proc + "/sys/kernel/pid_max", "w") as file:
            file.write(str(_HIGHEST_PROCESS))


def _nearest_above(path: str, places: Collection[str]) -> str:
    """Return which of these folders a path lies in, the innermost; empty for none."""
    above = os.path.dirname(path)
    while above not in places:
        if above == os.path.dirname(above):
            return ""
        above = os.path.dirname(above)
    return above


def _show(path: str, root: str) -> None:
    """Have a file or folder at its own place below the new root."""
    target = root + path
    if os.path.isdir(path):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o600))
    _mount(path, target, "", _BIND | _RECURSIVE)


# -- powers -------------------------------------------------------------------------------------


def _drop_powers() -> None:
    """Give up every capability, for good: programs that are started get none either."""
    for capability in range(64):
        _libc.prctl(_DROP_CAPABILITY, capability, 0, 0, 0)
    _libc.prctl(_NO_NEW_POWERS, 1, 0, 0, 0)
    header, none = struct.pack("Ii", _CAPABILITIES_V3, 0), bytes(24)
    _libc.capset(ctypes.c_char_p(header), ctypes.c_char_p(none))


# -- Landlock -----------------------------------------------------------------------------------

_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
_ON_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _DEVICE_CONTROL
_SINCE = {1: (1 << 13) - 1, 2: _REFER, 3: _TRUNCATE, 5: _DEVICE_CONTROL}
"""Rights on files by the version of Landlock that knows them (linux/landlock.h)."""
_SCOPES_SINCE, _SCOPES = 6, 0b11
"""Abstract sockets of others, and signals to others."""


def _landlock(outside: Outside, *, private: bool) -> bool:
    """Allow this process and its children what ``outside`` says; False where nothing can be had.

    ``private``: behind namespaces already, where folders for temporary files are its own.
    """
    version = _libc.syscall(_LANDLOCK_RULESET, None, 0, 1)
    if version < 1:
        return False
    handled = sum(rights for since, rights in _SINCE.items() if version >= since)
    scopes = _SCOPES if version >= _SCOPES_SINCE else 0
    attributes = struct.pack("QQQ", handled, 0, scopes)
    size = 24 if scopes else 8
    ruleset = _libc.syscall(_LANDLOCK_RULESET, ctypes.c_char_p(attributes), size, 0)
    if ruleset < 0:
        return False
    reading = _EXECUTE | _READ | _LIST
    hidden = [os.path.realpath(path) for path in outside.hidden]
    rights = dict.fromkeys(_SYSTEM, reading)
    for path in outside.reads:
        # Landlock cannot deny what lies inside something allowed.
        rights.update(dict.fromkeys([path] if private else _without(path, hidden), reading))
    rights["/proc"] = _READ | _LIST
    rights.update(("/dev/" + name, _READ | _WRITE | _TRUNCATE) for name in _DEVICES)
    writes = [os.path.dirname(outside.home), "/dev/shm"] if private else [outside.home]  # noqa: S108
    rights.update(dict.fromkeys(writes, handled))
    if private:
        rights["/"] = _LIST
    try:
        for path, wanted in rights.items():
            _allow(ruleset, path, wanted & handled)
        return bool(_libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _without(path: str, hidden: Sequence[str]) -> List[str]:
    """Return a path, or what is in it where something hidden is: all but that."""
    real = os.path.realpath(path)
    if real in hidden or not any(place.startswith(real + os.sep) for place in hidden):
        return [] if real in hidden else [path]
    inside = [os.path.join(path, name) for name in os.listdir(path)]
    return [part for place in inside for part in _without(place, hidden)]


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH)
    except OSError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _ON_FILES
        rule = struct.pack("=Qi", rights, fd)
        _libc.syscall(_LANDLOCK_RULE, ruleset, 1, ctypes.c_char_p(rule), 0)
    finally:
        os.close(fd)


if __name__ == "__main__":
    # Says what can be had on this machine, by having it.
    print(json.dumps(confine(Outside(**json.loads(sys.argv[1])), 0)))
