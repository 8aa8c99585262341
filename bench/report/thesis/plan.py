"""What the chapter compares: data that ships (``thesis.toml``), and a file of printed figures."""

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
class Numbers:
    """What was measured of one row, here or in print."""

    figures: Mapping[str, float | None]
    """Accuracy, precision, recall and F1, 0 to 1."""
    pages: int
    ram_percent: float | None = None
    """Peak memory over the machine's; in print that of the whole machine, as CPU is."""
    cpu_percent: float | None = None
    """CPU time over wall time."""
    time_s: float | None = None
    """Wall time of all pages."""

    @property
    def efficacy(self) -> float | None:
        """Recall × precision, 0 to 1."""
        recall, precision = self.figures["recall"], self.figures["precision"]
        return None if recall is None or precision is None else recall * precision

    @property
    def efficiency(self) -> float | None:
        """Efficacy × pages per second."""
        if self.efficacy is None or not self.time_s:
            return None
        return self.efficacy * self.pages / self.time_s


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
    """Labels by the group's name; all under "" where ``by_parser``."""
    by_parser: bool = False
    """Whether rows are grouped by what parses their page, as their adapters state it."""
    usage: bool = False
    """Whether RAM, CPU and time are drawn too: variants of one program."""


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
    facts: dict[str, Any] = tomllib.loads(text)
    return Plan(
        known={row["label"]: Known(row["printed"], row["why"]) for row in facts["row"]},
        comparisons=[
            Comparison(
                comparison["key"],
                comparison["title"],
                comparison["text"],
                {group["name"]: tuple(group["rows"]) for group in comparison["group"]},
                comparison.get("by_parser", False),
                comparison.get("usage", False),
            )
            for comparison in facts["comparison"]
        ],
        generic=tuple(facts["generic"]),
        general=tuple(facts["general"]),
        printed_pages=int(facts["printed_pages"]),
    )


def printed(path: Path, pages: int) -> dict[str, Numbers]:
    """Return the printed figures of that many pages by name, from a CSV file.

    Its columns are ``extractor``, ``accuracy``, ``precision``, ``recall``, ``f1`` (0 to 1) and
    ``ram_percent``, ``cpu_percent``, ``time_s``, which may be empty. Raises ``UsageError`` naming
    file and line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError(f"--printed {path}: cannot be read ({error})") from error
    reader = csv.DictReader(io.StringIO(text))
    if lacks := [name for name in _COLUMNS if name not in (reader.fieldnames or ())]:
        raise UsageError(f"--printed {path}: lacks the columns {', '.join(lacks)}")
    rows: dict[str, Numbers] = {}
    try:
        for row in reader:
            where = f"--printed {path}, line {reader.line_num}"
            figures: dict[str, float | None] = {
                name: _share(row[name], name, where) for name in FIGURES
            }
            rows[row["extractor"]] = Numbers(
                figures, pages, *(_number(row[name], name, where) for name in _USAGE)
            )
    except csv.Error as error:
        raise UsageError(f"--printed {path}, line {reader.line_num}: {error}") from error
    return rows


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
