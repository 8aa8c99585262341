"""No byte string from a worker raises anything but what says that it is no answer."""

import contextlib
import json
import socket
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.model import Outcome
from bench.runs import answers
from bench.runs.answers import Garbled, Text
from bench.runs.worker_channel import Dead, Late, WorkerChannel
from bench.worker import channel

HONEST = {
    "op": "text", "outcome": "ok", "decode_s": 0.0, "wall_s": 0.5, "cpu_s": 0.5,
    "ended_child_peak_bytes": 0, "network_attempts": 0, "diagnostics": "",
}  # fmt: skip
ID = "0123456789abcdef"

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def parsed(header: Any, payload: bytes = b"text") -> Text:
    return answers.parse(json.dumps(header).encode(), payload, ID, Text)


def test_an_honest_answer_is_read() -> None:
    answer = parsed({**HONEST, "id": ID})
    assert (answer.outcome, answer.wall_s) == (Outcome.OK, 0.5)


@pytest.mark.parametrize(
    "change",
    [
        {"wall_s": "1"}, {"wall_s": None}, {"wall_s": float("nan")}, {"wall_s": -1.0}, {"wall_s": True},
        {"wall_s": float("inf")}, {"wall_s": 10**400}, {"cpu_s": []}, {"network_attempts": 2**70},
        {"network_attempts": -1}, {"network_attempts": 1.5}, {"ended_child_peak_bytes": 2**63},
        {"diagnostics": "\ud800"}, {"diagnostics": 1}, {"diagnostics": "x" * (1 << 17)},
        {"outcome": "perfect"}, {"outcome": "empty"}, {"outcome": ["ok"]}, {"op": "hello"}, {"op": None},
        {"id": "another"}, {"id": None}, {"more": 1},
    ],
    ids=str,
)  # fmt: skip
def test_whatever_is_not_as_declared_is_garbled(change: dict[str, Any]) -> None:
    with pytest.raises(Garbled):
        parsed({**HONEST, "id": ID, **change})


@pytest.mark.parametrize("missing", [*HONEST, "id"])
def test_a_key_that_is_missing_is_garbled(missing: str) -> None:
    header = {**HONEST, "id": ID}
    del header[missing]
    with pytest.raises(Garbled):
        parsed(header)


@pytest.mark.parametrize("payload", [b"", b" \n", b"\xff"])
def test_a_text_goes_with_its_outcome(payload: bytes) -> None:
    with pytest.raises(Garbled):
        parsed({**HONEST, "id": ID}, payload)


def test_nesting_is_no_traceback() -> None:
    with pytest.raises(Garbled):
        answers.parse(b"[" * 200_000, b"", ID, Text)


@given(header=st.dictionaries(st.sampled_from([*HONEST, "id"]), json_values), payload=st.binary())
def test_no_header_raises_anything_else(header: dict[str, Any], payload: bytes) -> None:
    with contextlib.suppress(Garbled):
        parsed({**HONEST, "id": ID, **header}, payload)


def ask(said: bytes, *, before: bytes = b"") -> Any:
    ours, theirs = socket.socketpair()
    with theirs:
        worker = WorkerChannel(ours, lambda: False)
        theirs.sendall(before)
        # The id is not known to what speaks here, as it is not to an extractor that guesses.
        return worker.ask(
            {"op": "extract"},
            b"",
            0.5,
            Text,
            meanwhile=lambda: theirs.sendall(said) or theirs.close(),
        )


@given(st.binary(max_size=200))
def test_no_byte_string_raises_anything_else(said: bytes) -> None:
    with pytest.raises((Garbled, Dead, Late)):
        ask(said)


@given(st.binary(max_size=64), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_no_lengths_raise_anything_else(said: bytes, head: int, payload: int) -> None:
    with pytest.raises((Garbled, Dead, Late)):
        ask(struct.pack(">II", head, payload) + said)


def test_an_answer_that_nobody_asked_for_is_garbled() -> None:
    with pytest.raises(Garbled, match="unasked"):
        ask(b"", before=channel.pack({**HONEST, "id": ID}, b"text"))
