"""Our end of the channel to a worker: requests with deadlines, answers that are checked."""

import contextlib
import secrets
import select
import socket
import time
from collections.abc import Callable, Mapping
from typing import Any

from bench.runs import answers
from bench.runs.answers import AnswerT, Garbled
from bench.worker import channel

_LIVENESS_S = 0.1
"""How often a worker that does not answer is checked for being dead."""
_BUFFER_BYTES = 1 << 20


class Dead(Exception):
    """The worker ended."""


class Late(Exception):
    """The worker did not answer in time."""


class WorkerChannel:
    """Sends one request at a time and returns its answer.

    ``is_alive`` says whether the worker is; one of its children may hold the socket open.
    """

    def __init__(self, ours: socket.socket, is_alive: Callable[[], bool]) -> None:
        ours.setblocking(False)
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            ours.setsockopt(socket.SOL_SOCKET, option, _BUFFER_BYTES)
        self._socket = ours
        self._is_alive = is_alive
        self.waited_s: float | None = None
        """From the last request to the first byte of its answer, by our clock; None where the
        answer came while we were at something else."""

    def ask(
        self,
        request: Mapping[str, Any],
        payload: bytes,
        deadline_s: float,
        *expected: type[AnswerT],
        meanwhile: Callable[[], None] = lambda: None,
    ) -> tuple[AnswerT, bytes]:
        """Return the answer and its payload; ``meanwhile`` runs once the request is sent.

        Raises ``Late``, ``Dead``, or ``Garbled`` for what is no answer, or was there unasked.
        """
        deadline = time.monotonic() + deadline_s
        self.expect_silence()
        request_id = secrets.token_hex(8)
        self._send(channel.pack({**request, "id": request_id}, payload), deadline)
        sent = time.perf_counter()
        meanwhile()
        was_ready = self._is_ready(select.POLLIN, 0.0)
        self._wait(select.POLLIN, deadline)
        self.waited_s = None if was_ready else time.perf_counter() - sent
        return self._receive(request_id, deadline, *expected)

    def expect_silence(self) -> None:
        """Raise ``Garbled`` where bytes wait that nobody asked for."""
        with contextlib.suppress(BlockingIOError, OSError):
            if self._socket.recv(1, socket.MSG_PEEK):
                raise Garbled("it answered unasked")

    def close(self) -> None:
        """Close our end."""
        self._socket.close()

    def _send(self, message: bytes, deadline: float) -> None:
        view = memoryview(message)
        while view:
            try:
                view = view[self._socket.send(view) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, deadline)
            except OSError as error:
                raise Dead from error

    def _receive(
        self, request_id: str, deadline: float, *expected: type[AnswerT]
    ) -> tuple[AnswerT, bytes]:
        head_bytes, payload_bytes = channel.LENGTHS.unpack(
            self._exactly(channel.LENGTHS.size, deadline)
        )
        if head_bytes > answers.HEADER_BYTES or payload_bytes > answers.TEXT_BYTES:
            raise Garbled(f"its lengths are {head_bytes:,} and {payload_bytes:,} bytes")
        head = self._exactly(head_bytes, deadline)
        payload = self._exactly(payload_bytes, deadline)
        return answers.parse(head, payload, request_id, *expected), payload

    def _exactly(self, size: int, deadline: float) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            try:
                received = self._socket.recv(min(size - len(parts), _BUFFER_BYTES))
            except BlockingIOError:
                self._wait(select.POLLIN, deadline)
                continue
            except OSError as error:
                raise Dead from error
            if not received:
                raise Dead
            parts += received
        return bytes(parts)

    def _wait(self, event: int, deadline: float) -> None:
        """Wait until the socket is ready."""
        while True:
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise Late
            if self._is_ready(event, min(left_s, _LIVENESS_S)):
                return
            if not self._is_alive() and not self._is_ready(event, 0.0):
                raise Dead

    def _is_ready(self, event: int, patience_s: float) -> bool:
        poll = select.poll()
        poll.register(self._socket, event)
        return bool(poll.poll(patience_s * 1000))
