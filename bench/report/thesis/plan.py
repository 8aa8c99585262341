"""What the chapter compares: data that ships (``thesis.toml``), and a file of printed figures."""

from __future__ import annotations

import csv
import io
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.model import UsageError

FIGURES = ("accuracy", "precision", "recall", "f1")
_USAGE = ("ram_percent", "cpu_percent", "time_s")
_COLUMNS = ("extractor", *FIGURES, *_USAGE)


@dataclass(frozen=True)
class Printed:
    """What was printed of one row: shares from 0 to 1, usage of the whole machine."""

    figures: Mapping[str, float]
    ram_percent: float | None
    cpu_percent: float | None
    time_s: float | None
    """All pages."""


@dataclass(frozen=True)
class Known:
    """A row that was printed: its name there, and why ours differs."""

    printed: str
    why: str


@dataclass(frozen=True)
class Comparison:
    """One question: rows in named groups."""

    key: str
    title: str
    text: str
    groups: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Plan:
    """The chapter's data; rows are named by label."""

    known: Mapping[str, Known]
    comparisons: Sequence[Comparison]
    generic: Sequence[str]
    general: Sequence[str]
    """What makes all figures differ."""
    printed_pages: int


def plan() -> Plan:
    """Return the data that ships."""
    text = Path(__file__).with_name("thesis.toml").read_text(encoding="utf-8")
    found: dict[str, Any] = tomllib.loads(text)
    return Plan(
        known={each["label"]: Known(each["printed"], each["why"]) for each in found["row"]},
        comparisons=[
            Comparison(
                each["key"],
                each["title"],
                each["text"],
                {group["name"]: tuple(group["rows"]) for group in each["group"]},
            )
            for each in found["comparison"]
        ],
        generic=tuple(found["generic"]),
        general=tuple(found["general"]),
        printed_pages=int(found["printed_pages"]),
    )


def printed(path: Path) -> dict[str, Printed]:
    """Return printed figures by name, from a CSV file.

    Its columns are ``extractor``, ``accuracy``, ``precision``, ``recall``, ``f1`` (0 to 1) and
    ``ram_percent``, ``cpu_percent``, ``time_s``, which may be empty. Raises ``UsageError`` naming
    file and line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError(f"--printed {path}: cannot be read ({error})") from error
    reader = csv.DictReader(io.StringIO(text))
    lacks = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
    if lacks:
        raise UsageError(f"--printed {path}: lacks the columns {', '.join(lacks)}")
    found: dict[str, Printed] = {}
    try:
        for row in reader:
            where = f"--printed {path}, line {reader.line_num}"
            figures = {name: _share(row[name], name, where) for name in FIGURES}
            found[row["extractor"]] = Printed(
                figures, *(_number(row[name], name, where) for name in _USAGE)
            )
    except csv.Error as error:
        raise UsageError(f"--printed {path}, line {reader.line_num}: {error}") from error
    return found


def _share(text: str | None, name: str, where: str) -> float:
    value = _number(text, name, where)
    if value is None or not 0 <= value <= 1:
        raise UsageError(f"{where}: {name} must be a number from 0 to 1, not {text!r}")
    return value


def _number(text: str | None, name: str, where: str) -> float | None:
    if not text or not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise UsageError(f"{where}: {name} must be a number from 0 on, not {text!r}")
    return value
