"""The columns of every table on disk, and the version that each file carries.

Version 1 is the first. When a column changes, the number goes up, ``upgrade`` learns the step
from the version before, and a frozen example of the old version becomes a test.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from bench.model import BenchError

VERSION = 1
_VERSION_KEY = b"bench.schema"
SCORER_KEY = b"bench.scorer"


def _table(**columns: pa.DataType) -> pa.Schema:
    fields = [pa.field(name, kind) for name, kind in columns.items()]
    return pa.schema(fields, metadata={_VERSION_KEY: str(VERSION).encode()})


CELLS = _table(
    row=pa.string(),
    extractor=pa.string(),
    variant=pa.string(),
    version=pa.string(),
    page=pa.string(),
    page_hash=pa.string(),
    repeat=pa.int32(),
    outcome=pa.string(),
    wall_s=pa.float64(),
    cpu_s=pa.float64(),
    rss_peak_bytes=pa.int64(),
    rss_idle_bytes=pa.int64(),
    decode_s=pa.float64(),
    handover_s=pa.float64(),
    text_hash=pa.string(),
    text_chars=pa.int64(),
    diagnostics=pa.string(),
    network_attempts=pa.int32(),
    carried_from=pa.string(),
)
"""One row per cell and repeat; ``carried_from`` names the run that measured it, if not this one."""

TEXTS = _table(text_hash=pa.string(), text=pa.large_string())
"""Extracted texts by SHA-256; the empty text is not stored."""

SAMPLES = _table(
    row=pa.string(),
    at_s=pa.float64(),
    rss_bytes=pa.int64(),
    cpu_s=pa.float64(),
    processes=pa.int32(),
    late_s=pa.float64(),
)
"""The sampler's series of each worker's process tree."""


def scores(columns: Iterable[str]) -> pa.Schema:
    """Return the table of a metric's scores: one row per cell, a number for each column."""
    numbers = dict.fromkeys(columns, pa.float64())
    return _table(row=pa.string(), page=pa.string(), outcome=pa.string(), **numbers)


def check(version: Any, path: object) -> None:
    """Raise ``BenchError`` for a file that a newer bench wrote."""
    if int(version) > VERSION:
        raise BenchError(f"{path} was written by a newer bench (schema {version}); update bench")


def version_of(schema: pa.Schema) -> int:
    """Return the version that a file's schema carries."""
    return int((schema.metadata or {}).get(_VERSION_KEY, b"1"))
