"""What a worker may answer, checked where it is read: a stranger's code runs there and may say anything.

Each answer is a message of ``bench.worker.channel`` whose header repeats the unguessable id of
its request. Whatever is not exactly as declared here is ``Garbled``.
"""

from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from bench.model import Outcome

HEADER_BYTES = 1 << 20
"""A header is a few numbers and diagnostics: nobody needs more."""
TEXT_BYTES = 256 << 20
"""A text beyond this the worker itself refuses."""

Seconds = Annotated[float, Meta(ge=0, le=1e9)]
Count = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
Words = Annotated[str, Meta(max_length=1 << 16)]


class Garbled(Exception):
    """What arrived is no answer that a worker of ours gives; the message says why."""


class _Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op"):
    id: Words


class Hello(_Answer, frozen=True, tag="hello"):
    """A worker is there, behind these walls (``bench.worker.isolation``)."""

    python: Words
    files: Words
    processes: Words
    network: Words


class Loaded(_Answer, frozen=True, tag="loaded"):
    """The extractor is loaded."""

    import_s: Seconds
    load_s: Seconds
    packages: Annotated[tuple[Words, ...], Meta(max_length=10_000)]
    """``name==version`` of what a bridge loaded in another language."""


class NotLoaded(_Answer, frozen=True, tag="failed"):
    """The extractor cannot be loaded."""

    reason: Words
    missing: Words | None
    """The module that was not found, if that was why."""
    diagnostics: Words


class Text(_Answer, frozen=True, tag="text"):
    """One page is done; the text comes as payload."""

    outcome: Outcome
    decode_s: Seconds
    wall_s: Seconds
    cpu_s: Seconds
    ended_child_peak_bytes: Count
    """High-water mark of a program that ran for this page alone."""
    network_attempts: Annotated[int, Meta(ge=0, le=(1 << 31) - 1)]
    diagnostics: Words


class Bye(_Answer, frozen=True, tag="bye"):
    """The worker is about to end."""

    network_attempts: Annotated[int, Meta(ge=0, le=(1 << 31) - 1)]


Answer = Hello | Loaded | NotLoaded | Text | Bye
AnswerT = TypeVar("AnswerT", bound=Answer)

_decoder = msgspec.json.Decoder(Answer)


def parse(head: bytes, payload: bytes, request_id: str, *expected: type[AnswerT]) -> AnswerT:
    """Return a header as one of the answers that are expected. Raises ``Garbled``."""
    try:
        answer = _decoder.decode(head)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Garbled(str(error)[:200]) from None
    if not isinstance(answer, expected):
        raise Garbled(f"it answered {type(answer).__name__} out of turn")
    if answer.id != request_id:
        raise Garbled("it does not answer the last request")
    _check_payload(answer, payload)
    return answer


def _check_payload(answer: Answer, payload: bytes) -> None:
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError:
        raise Garbled("the text is not UTF-8") from None
    has_text = bool(text) and not text.isspace()
    should_have = isinstance(answer, Text) and answer.outcome == Outcome.OK
    if has_text != should_have or (payload and not should_have):
        raise Garbled(f"{len(payload)} bytes of text do not go with the answer")
