"""No network for a worker: by the kernel where it lets us, by refusing sockets elsewhere.

On Linux the worker moves into a network namespace of its own that holds nothing but loopback
(network_namespaces(7)). Where that is not allowed, an audit hook (PEP 578) refuses what Python
code tries. Both count attempts. Standard library and Python 3.7 only: the worker imports it.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Optional, Tuple

from bench.worker import kernel

NAMESPACE = "namespace"
REFUSED = "refused sockets"
OPEN = "open"
"""Ways of keeping a worker off the network; the manifest says which was used."""

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_SET_FLAGS, _UP_AND_RUNNING = 0x8914, 0x41

_attempts = 0


class NetworkRefused(PermissionError):
    """An extractor tried to reach the network."""


def shut() -> str:
    """Cut this process and its future children off the network; return the way that was used."""
    in_namespace = kernel.LINUX and _enter_namespace()
    if not hasattr(sys, "addaudithook"):  # Python 3.7
        return NAMESPACE if in_namespace else OPEN
    sys.addaudithook(_counting if in_namespace else _refusing)
    return NAMESPACE if in_namespace else REFUSED


def python_attempts() -> int:
    """Return how often Python code in this process has tried to reach the network so far."""
    return _attempts


def attempts() -> int:
    """Return how often this process and its children have tried to reach the network so far.

    The kernel counts what compiled code tries, the audit hook what Python code tries; they see
    much the same attempts, so the greater number is the better one.
    """
    if _at_start is None:
        return _attempts
    return max(_attempts, kernel.refused_routes() - _at_start)


_at_start: Optional[int] = None
"""The kernel's count when our namespace was new; None where we share the machine's."""


def _enter_namespace() -> bool:
    global _at_start
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(_NEW_NET) != 0:
        if libc.unshare(_NEW_USER | _NEW_NET) != 0:
            return False
        # Be seen as who we were. Where this is denied (AppArmor), we look like nobody to
        # ourselves, but the kernel still knows us: files open as before.
        for path, text in (
            ("/proc/self/setgroups", "deny"),
            ("/proc/self/uid_map", "%d %d 1" % (uid, uid)),
            ("/proc/self/gid_map", "%d %d 1" % (gid, gid)),
        ):
            try:
                with open(path, "w") as file:
                    file.write(text)
            except OSError:
                break
    _raise_loopback()
    _at_start = kernel.refused_routes()
    return True


def _raise_loopback() -> None:
    """Browsers and their drivers talk over 127.0.0.1."""
    import fcntl
    import socket
    import struct

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP_AND_RUNNING))
        except OSError:
            return


def _is_outside(event: str, args: Tuple[Any, ...]) -> bool:
    if event == "socket.getaddrinfo":
        return args[0] not in (None, "", "localhost", "127.0.0.1", "::1", b"localhost")
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = args[1]
        # Unix sockets have a path for an address.
        if not isinstance(address, tuple) or not address:
            return False
        return not str(address[0]).startswith(("127.", "::1", "localhost"))
    return event in ("socket.gethostbyname", "socket.gethostbyaddr")


def _counting(event: str, args: Tuple[Any, ...]) -> None:
    global _attempts
    if event.startswith("socket.") and _is_outside(event, args):
        _attempts += 1


def _refusing(event: str, args: Tuple[Any, ...]) -> None:
    if event.startswith("socket.") and _is_outside(event, args):
        _counting(event, args)
        raise NetworkRefused("extractors have no network")
