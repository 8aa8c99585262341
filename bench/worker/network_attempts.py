"""Attempts to reach the network: counted, and refused where no namespace keeps a worker off it.

Python code's are seen by an audit hook (PEP 578), compiled code's by the kernel, which counts
what it could not route. Standard library and Python 3.7 only: the worker imports it.
"""

from __future__ import annotations

import sys
from typing import Any, Optional, Tuple

from bench.worker import kernel

_attempts = 0


class NetworkRefused(PermissionError):
    """An extractor tried to reach the network."""


def watch(*, alone: bool) -> bool:
    """Count attempts from now on; ``alone`` in a network namespace that holds loopback alone.

    Elsewhere Python's sockets are refused as well, which compiled code can get around. Returns
    whether they could be.
    """
    global _at_start
    if alone:
        _at_start = kernel.refused_routes()
    if not hasattr(sys, "addaudithook"):  # Python 3.7
        return False
    sys.addaudithook(_counting if alone else _refusing)
    return True


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
