"""Messages between the harness and a worker, over one socket that nothing else writes to.

A message is two big-endian 32-bit lengths, a JSON header of the first length, and raw bytes of
the second (a page, or a text). Standard library and Python 3.7 only: both ends import it.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any, Dict, Tuple

PROTOCOL = 1

LENGTHS = struct.Struct(">II")
LIMIT = 1 << 30
"""No message is longer (bytes): a length beyond it means a broken stream."""
_ENCODER = json.JSONEncoder(separators=(",", ":"))
"""Made once: json.dumps would make one for each message."""


class Closed(Exception):
    """The other end is gone."""


class Garbled(Exception):
    """What arrived is no message: something else wrote to the channel."""


def pack(header: Dict[str, Any], payload: bytes = b"") -> bytes:
    """Return a message as bytes."""
    head = _ENCODER.encode(header).encode("ascii")
    return b"".join((LENGTHS.pack(len(head), len(payload)), head, payload))


def lengths(prefix: bytes) -> Tuple[int, int]:
    """Return the lengths of header and payload from a message's first eight bytes.

    Raises ``Garbled`` where they cannot be lengths of ours.
    """
    head, payload = LENGTHS.unpack(prefix)
    if head > LIMIT or payload > LIMIT:
        raise Garbled("impossible message length")
    return head, payload


PREFIX_BYTES = LENGTHS.size


def write(fd: int, header: Dict[str, Any], payload: bytes = b"") -> None:
    """Write a message, blocking."""
    view = memoryview(pack(header, payload))
    while view:
        view = view[os.write(fd, view) :]


def read(fd: int) -> Tuple[Dict[str, Any], bytes]:
    """Read a message, blocking. Raises ``Closed`` when the other end is gone."""
    head, payload = lengths(_read_exactly(fd, PREFIX_BYTES))
    header = json.loads(_read_exactly(fd, head).decode("ascii"))
    return header, _read_exactly(fd, payload)


def _read_exactly(fd: int, size: int) -> bytes:
    buffer = bytearray(size)
    view, done = memoryview(buffer), 0
    while done < size:
        got = os.readv(fd, [view[done:]])
        if not got:
            raise Closed
        done += got
    return bytes(buffer)
