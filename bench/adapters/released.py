"""The last release of what an adapter wraps, as far as it is known without asking anyone.

What package indexes answered (see ``indexes``) stands in a file that ships with the adapters and in
one in the data directory; for each adapter the younger answer counts. What an R package says of
itself is read from where it is installed.
"""

import contextlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from bench.adapters.adapter import Adapter
from bench.adapters.r import installation
from bench.model import BenchError
from bench.util import atomic, paths

FILE = "releases.json"
FORMAT = 1
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+_-]{0,63}", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
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


def shipped() -> Path:
    """Return the file that ships with the adapters."""
    return paths.bundled("extractors") / FILE


def noted() -> Path:
    """Return the file of answers that were noted on this machine."""
    return paths.home() / FILE


def read(path: Path) -> dict[str, Released]:
    """Return what a file says by adapter name; what is damaged in it is left out."""
    releases = {}
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        facts = json.loads(path.read_text(encoding="utf-8"))
        for name in facts["releases"] if facts["format"] == FORMAT else ():
            with contextlib.suppress(ValueError, TypeError):
                releases[name] = Released(**facts["releases"][name])
    return releases


def note(
    path: Path, releases: Mapping[str, Released], names: Collection[str] | None = None
) -> None:
    """Write releases into a file beside those that it has, of ``names`` alone where given.

    Raises ``BenchError`` where it cannot be written.
    """
    every = {**read(path), **releases}
    kept = {name: asdict(every[name]) for name in sorted(every) if names is None or name in names}
    try:
        atomic.write_text(path, f"{json.dumps({'format': FORMAT, 'releases': kept}, indent=1)}\n")
    except BenchError as error:
        raise BenchError(
            f"{path} cannot be written; make it writable, or set BENCH_HOME"
        ) from error


def every() -> Mapping[str, Released]:
    """Return the younger answer of both files, by adapter name."""
    releases = read(shipped())
    for name, release in read(noted()).items():
        older = releases.get(name)
        if older is None or (release.asked or "") >= (older.asked or ""):
            releases[name] = release
    return releases


def known(adapter: Adapter, answers: Mapping[str, Released] | None = None) -> Released | None:
    """Return the last release known of what an adapter wraps, asking nobody.

    ``answers`` is what ``every`` returned, where many adapters are looked up.
    """
    kind, _, package = adapter.package.partition(":")
    release = (every() if answers is None else answers).get(adapter.name)
    if release is not None and package and release.package == adapter.package:
        return release
    if kind != "r":
        return None
    facts = installation.description(adapter.load.attributes.get("libraries", ()), package)
    published = facts.get("Date/Publication") or facts.get("Packaged") or ""
    with contextlib.suppress(ValueError):
        is_day = _DAY.match(published)
        return Released(
            adapter.package, facts.get("Version", ""), published[:10] if is_day else None, None
        )
    return None


def as_of(releases: Iterable[Released | None]) -> str:
    """Return the day, or the span of days, on which indexes were asked; empty for none."""
    days = sorted({release.asked for release in releases if release is not None and release.asked})
    return "" if not days else days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
