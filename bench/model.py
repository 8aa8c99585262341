"""The words of the project as data: pages, cells, usage, scores. Units stand in field names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class BenchError(Exception):
    """A mistake that the user can mend: one line that says what, where, and how to mend it.

    The command line prints it without a traceback and exits with ``status``.
    """

    status = 1


class UsageError(BenchError):
    """A wrong word on the command line (exit status 2)."""

    status = 2


class Outcome(StrEnum):
    """How a cell ended."""

    OK = "ok"
    EMPTY = "empty"
    ERROR = "error"
    TIMEOUT = "timeout"
    OOM = "oom"
    CRASH = "crash"

    @property
    def failed(self) -> bool:
        """Whether the extractor gave no answer at all (an empty text is an answer)."""
        return self not in (Outcome.OK, Outcome.EMPTY)


@dataclass(frozen=True)
class Page:
    """One HTML document as bytes, as a data set hands it out."""

    id: str
    html: bytes
    url: str | None = None
    language: str | None = None
    page_type: str | None = None
    encoding: str | None = None
    """The charset that the transport stated, where the data set knows it."""
    meta: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True)
class Gold:
    """What a person marked as the page's main text."""

    text: str | None
    """None where the data set has snippets only."""
    with_snippets: tuple[str, ...] = ()
    without_snippets: tuple[str, ...] = ()


@dataclass(frozen=True)
class GoldPage:
    """A page with its gold: one item of a data set."""

    page: Page
    gold: Gold


@dataclass(frozen=True)
class Usage:
    """What a cell cost. None where the platform cannot tell."""

    wall_s: float
    """Wall time of ``extract`` alone."""
    cpu_s: float
    """User and system time of the worker and its children while ``extract`` ran."""
    rss_peak_bytes: int | None = None
    """Resident high-water mark of the worker's process tree over the cell."""
    rss_idle_bytes: int | None = None
    """Resident size of the worker after the cell: its growth is the leak."""
    decode_s: float = 0.0
    """Bytes to str, before ``extract``."""
    handover_s: float = 0.0
    """Request sent to answer received, less decode and extract: what the harness adds."""


@dataclass(frozen=True)
class Cell:
    """One extractor on one page, once."""

    row: str
    """The row's key: extractor, version, settings and adapter source, hashed."""
    page_id: str
    page_hash: str
    repeat: int
    outcome: Outcome
    text: str
    """Empty unless the outcome is ``ok``."""
    usage: Usage
    diagnostics: str = ""
    """Exception type and line, or the last 4 KiB of the worker's standard error."""
    network_attempts: int = 0
