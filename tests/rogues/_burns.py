"""Burns a known amount of time or memory on each page, and returns what it measured itself."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from bench.extractor import Extractor

BURN_S = 0.2
TOUCHED_BYTES = 100 << 20


def burn() -> float:
    """Use BURN_S of this thread's CPU time without the GIL; return what it really was."""
    began = time.thread_time()
    while time.thread_time() - began < BURN_S:
        hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 500)
    return time.thread_time() - began


def in_two_threads() -> float:
    spent: list[float] = []
    threads = [threading.Thread(target=lambda: spent.append(burn())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(spent)


def in_child(*, wait: bool) -> float:
    """Burn in a child, which tells how much; without ``wait`` it stays behind as a zombie."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writing, repr(burn()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        spent = float(stream.read())
    os.waitid(os.P_PID, pid, os.WEXITED if wait else os.WEXITED | os.WNOWAIT)
    return spent


def touch() -> int:
    with mmap.mmap(-1, TOUCHED_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        for at in range(0, TOUCHED_BYTES, mmap.PAGESIZE):
            memory[at] = 1
    return TOUCHED_BYTES


class Helper:
    """A child that lives as long as the worker and does one thing when asked."""

    def __init__(self, deed: Callable[[], float]) -> None:
        asked, self._ask = os.pipe()
        self._answer, answering = os.pipe()
        if os.fork() == 0:
            while os.read(asked, 1):
                os.write(answering, repr(deed()).encode())
            os._exit(0)

    def __call__(self) -> float:
        os.write(self._ask, b"x")
        return float(os.read(self._answer, 64))


def hold() -> float:
    """Touch memory and keep it for longer than the sampler's interval."""
    memory = bytearray(b"x") * TOUCHED_BYTES
    time.sleep(0.2)
    return float(len(memory))


class Burns(Extractor):
    name = "burns"
    variants = {  # noqa: RUF012
        "thread": {"how": "thread"},
        "two_threads": {"how": "two_threads"},
        "waited_child": {"how": "waited_child"},
        "live_child": {"how": "live_child"},
        "zombie": {"how": "zombie"},
        "sleep": {"how": "sleep"},
        "memory": {"how": "memory"},
        "memory_of_child": {"how": "memory_of_child"},
    }

    def load(self, how: str) -> None:
        deeds: dict[str, Callable[[], Any]] = {
            "thread": burn,
            "two_threads": in_two_threads,
            "waited_child": lambda: in_child(wait=True),
            "zombie": lambda: in_child(wait=False),
            "sleep": lambda: time.sleep(BURN_S),
            "memory": touch,
        }
        if how == "live_child":
            deeds[how] = Helper(burn)
        if how == "memory_of_child":
            deeds[how] = Helper(hold)
        self._deed = deeds[how]

    def _rest(self) -> float:
        # Long enough for the sampler to see it.
        time.sleep(0.12)
        return 0.0

    def extract(self, html: str, url: str | None) -> str:
        began = time.monotonic()
        spent = self._rest() if "rest" in html else self._deed()
        return json.dumps({"spent": spent, "wall_s": time.monotonic() - began})
