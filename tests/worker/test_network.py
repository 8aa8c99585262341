"""A worker has no network, whichever way it was cut off, and its attempts are counted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOP = Path(__file__).resolve().parents[2]

# What runs in a process of its own, since cutting a process off is for good.
CHILD = """
import ctypes, json, os, socket, struct, subprocess, sys, threading
from bench.worker import isolation, network_attempts as network

OUTSIDE = "192.0.2.1"  # TEST-NET-1 (RFC 5737)
OUTSIDE_6 = "2001:db8::1"  # RFC 3849

isolation._FLAG_SETS = (0,) if {refuse} else (isolation._USER | isolation._NET, isolation._NET, 0)
alone = bool(isolation._leave_shared_namespaces() & isolation._NET)
if alone:
    isolation._raise_loopback()
way = "namespace" if alone else "refused sockets" if network.watch(alone=False) else "open"
if alone:
    network.watch(alone=True)
seen = {{"way": way, "at_start": network.attempts()}}


def counted(name, attempt):
    before, before_python = network.attempts(), network.python_attempts()
    try:
        attempt()
    except OSError as error:
        seen[name + "_error"] = type(error).__name__
    else:
        seen[name + "_error"] = None
    seen[name] = network.attempts() - before
    seen[name + "_python"] = network.python_attempts() - before_python


def compiled():
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.socket(socket.AF_INET, socket.SOCK_STREAM, 0)
    # At once, where there is a route after all.
    libc.fcntl(fd, 4, os.O_NONBLOCK)
    address = struct.pack("=HH4s8x", socket.AF_INET, socket.htons(80), socket.inet_aton(OUTSIDE))
    if libc.connect(fd, address, len(address)) != 0 and ctypes.get_errno() != 115:
        raise OSError(ctypes.get_errno(), "connect")


def child():
    code = "import socket; socket.create_connection(('%s', 80), timeout=0.2)" % OUTSIDE
    if subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode:
        raise OSError("child")


def udp():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", (OUTSIDE, 53))


def loopback():
    with socket.create_server(("127.0.0.1", 0)) as server:
        def serve():
            connection, _ = server.accept()
            with connection:
                connection.sendall(connection.recv(5)[::-1])
        thread = threading.Thread(target=serve)
        thread.start()
        with socket.create_connection(("localhost", server.getsockname()[1]), timeout=5) as client:
            client.sendall(b"hello")
            seen["echo"] = client.recv(5).decode()
        thread.join()


def pair():
    one, other = socket.socketpair()
    one.sendall(b"x")
    other.recv(1)


counted("loopback", loopback)
counted("pair", pair)
counted("tcp", lambda: socket.create_connection((OUTSIDE, 80), timeout=1))
counted("tcp6", lambda: socket.socket(socket.AF_INET6).connect((OUTSIDE_6, 80)))
counted("connect_ex", lambda: socket.socket().connect_ex((OUTSIDE, 80)) and udp())
counted("udp", udp)
counted("name", lambda: socket.getaddrinfo("example.org", 80))
counted("host", lambda: socket.gethostbyname("example.org"))
if {compiled}:
    counted("compiled", compiled)
    counted("child", child)
print(json.dumps(seen))
"""


def seen(*, refuse: bool, compiled: bool = True) -> dict[str, Any]:
    code = CHILD.format(refuse=refuse, compiled=compiled)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=TOP,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def in_namespace() -> dict[str, Any]:
    found = seen(refuse=False)
    if found["way"] != "namespace":
        pytest.skip("network namespaces are not allowed here")
    return found


@pytest.fixture(scope="module")
def refused() -> dict[str, Any]:
    return seen(refuse=True, compiled=False)


def test_names_of_the_ways(in_namespace: dict[str, Any], refused: dict[str, Any]) -> None:
    assert in_namespace["way"] == "namespace"
    assert refused["way"] == "refused sockets"


def test_no_attempts_at_the_start(in_namespace: dict[str, Any], refused: dict[str, Any]) -> None:
    """The machine's own count of lost packets is nobody's attempt."""
    assert in_namespace["at_start"] == refused["at_start"] == 0


def test_loopback_works(in_namespace: dict[str, Any], refused: dict[str, Any]) -> None:
    for found in (in_namespace, refused):
        assert found["echo"] == "olleh"
        assert found["loopback"] == found["pair"] == 0


@pytest.mark.parametrize("attempt", ["tcp", "tcp6", "udp", "name", "host"])
def test_python_is_refused_and_counted(
    in_namespace: dict[str, Any], refused: dict[str, Any], attempt: str
) -> None:
    assert refused[f"{attempt}_error"] == "NetworkRefused"
    assert in_namespace[f"{attempt}_error"] is not None
    for found in (in_namespace, refused):
        assert found[attempt] >= 1
        assert found[f"{attempt}_python"] >= 1


@pytest.mark.parametrize("attempt", ["compiled", "child"])
def test_compiled_code_and_children_are_cut_off_and_counted(
    in_namespace: dict[str, Any], attempt: str
) -> None:
    assert in_namespace[f"{attempt}_error"] is not None
    assert in_namespace[attempt] >= 1
    assert in_namespace[f"{attempt}_python"] == 0


def test_a_refusal_is_an_oserror() -> None:
    """Libraries that live without network catch OSError."""
    from bench.worker.network_attempts import NetworkRefused

    assert issubclass(NetworkRefused, OSError)
