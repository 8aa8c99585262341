"""The last release of what an adapter wraps, as far as it is known without asking anyone.

Package indexes are asked by ``environments.releases``. Their answers stand in a file that ships with
the adapters and in one in the data directory; for each adapter the younger answer counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from bench.util import paths

FILE = "releases.json"
FORMAT = 1
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+_-]{0,63}", re.ASCII)
_PACKAGE = re.compile(r"[a-z]+:[@0-9A-Za-z._/-]{1,214}", re.ASCII)


@dataclass(frozen=True)
class Released:
    """A release. Raises ``ValueError`` for what is no package, version or day."""

    package: str
    """Its kind and name: ``python:lxml``, ``npm:jsdom``, ``r:rvest``."""
    version: str
    date: str | None
    """Day of its publication (UTC), ``2026-01-31``; None where nobody says it."""
    asked: str | None
    """Day on which an index said so; None where an installed package says it of itself, so that
    later releases may be out."""

    def __post_init__(self) -> None:
        if not _PACKAGE.fullmatch(self.package):
            raise ValueError(f"{self.package!r} is no package")
        if not _VERSION.fullmatch(self.version):
            raise ValueError(f"{self.version!r} is no version")
        for day in (self.date, self.asked):
            if day is not None and date.fromisoformat(day).isoformat() != day:
                raise ValueError(f"{day!r} is no day")

    @property
    def month(self) -> str:
        """``2026-01``, after ``≥`` where later ones may be out; a dash where no day is known."""
        if self.date is None:
            return "–"
        return f"{'' if self.asked else '≥'}{self.date[:7]}"

    def to_json(self) -> dict[str, str | None]:
        """Return it as it is stored."""
        return asdict(self)


def of_json(facts: Any) -> Released | None:
    """Return a stored release; None for what is none."""
    try:
        return Released(**facts)
    except (TypeError, ValueError):
        return None


def shipped() -> Path:
    """Return the file that ships with the adapters."""
    return paths.bundled("extractors") / FILE


def noted() -> Path:
    """Return the file of answers that were noted on this machine."""
    return paths.home() / FILE


def read(path: Path) -> dict[str, Released]:
    """Return what a file says by adapter name; what is damaged in it is left out."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            return {}
        each = {str(name): of_json(facts) for name, facts in found["releases"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}
    return {name: release for name, release in each.items() if release is not None}


def every() -> Mapping[str, Released]:
    """Return the younger answer of both files, by adapter name."""
    found = read(shipped())
    for name, release in read(noted()).items():
        older = found.get(name)
        if older is None or (release.asked or "") >= (older.asked or ""):
            found[name] = release
    return found


def as_of(found: Iterable[Released | None]) -> str:
    """Return the day, or the span of days, on which indexes were asked; empty for none."""
    days = sorted({each.asked for each in found if each is not None and each.asked})
    return "" if not days else days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
