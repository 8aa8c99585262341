"""The chapter as data: sections of rows, and ours beside the printed figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bench.model import UsageError
from bench.report.thesis.plan import FIGURES, Plan, Printed
from bench.scoring import stability
from bench.scoring.leaderboard import Leaderboard, Line
from bench.util.display import plain
from bench.util.numbers import percent

_SMALLEST = 0.0005
"""A smaller difference is not seen in per cent with one digit."""


@dataclass(frozen=True)
class Row:
    """One row of the run, beside what was printed of it."""

    line: Line
    pages: int
    printed: Printed | None = None
    printed_pages: int = 1

    @property
    def label(self) -> str:
        """Name and variant."""
        return self.line.label

    def figure(self, name: str) -> float | None:
        """Return a figure of ours, 0 to 1."""
        return self.line.figures[name].value

    @property
    def time_s(self) -> float | None:
        """Wall time of all pages."""
        return self.line.cost.wall_s if self.line.cost else None

    @property
    def efficacy(self) -> float | None:
        """Recall × precision, 0 to 1."""
        recall, precision = self.figure("recall"), self.figure("precision")
        return None if recall is None or precision is None else recall * precision

    @property
    def efficiency(self) -> float | None:
        """Efficacy × pages per second."""
        return _efficiency(self.efficacy, self.pages, self.time_s)

    @property
    def printed_efficacy(self) -> float | None:
        """Efficacy from the printed figures."""
        if self.printed is None:
            return None
        return self.printed.figures["recall"] * self.printed.figures["precision"]

    @property
    def printed_efficiency(self) -> float | None:
        """Efficiency from the printed figures and time."""
        time_s = self.printed.time_s if self.printed else None
        return _efficiency(self.printed_efficacy, self.printed_pages, time_s)


def _efficiency(efficacy: float | None, pages: int, time_s: float | None) -> float | None:
    return None if efficacy is None or not time_s else efficacy * pages / time_s


@dataclass(frozen=True)
class Section:
    """A table and a chart: rows, each in a named group."""

    key: str
    title: str
    text: str
    groups: Mapping[str, Sequence[Row]]
    missing: Sequence[str] = ()
    """Labels that the run has no figures of."""

    @property
    def rows(self) -> list[Row]:
        """All rows, group after group."""
        return [row for group in self.groups.values() for row in group]


@dataclass(frozen=True)
class Difference:
    """A row's F1 and place, ours and printed, and why they differ."""

    label: str
    ours: float
    printed: float
    place: int
    printed_place: int
    text: str


@dataclass(frozen=True)
class BesidePrinted:
    """Our order compared with the printed one, over the rows that both have."""

    spearman: float | None
    """By F1; None with fewer than three rows."""
    differences: Sequence[Difference]
    """In our order."""
    without: Sequence[str] = ()
    """Printed rows that the run has no figures of."""


@dataclass(frozen=True)
class Chapter:
    """Everything that is written."""

    board: Leaderboard
    packages: Sequence[Section]
    comparisons: Sequence[Section]
    generic: Section
    beside_printed: BesidePrinted | None
    general: Sequence[str] = field(default_factory=tuple)


def chapter(board: Leaderboard, plan: Plan, printed: Mapping[str, Printed] | None) -> Chapter:
    """Return the chapter of a leaderboard. Raises ``UsageError`` for another metric than n-grams."""
    if any(name not in board.metric.figures for name in FIGURES) or board.metric.main != "f1":
        raise UsageError(
            f"--style thesis needs n-gram figures, and {board.metric.name} ranks here; leave "
            "--metric away, or put ngram first"
        )
    pages = int(board.gold["pages"])

    def row(line: Line) -> Row:
        known = plan.known.get(line.label)
        beside = printed.get(known.printed) if printed and known else None
        return Row(line, pages, beside, plan.printed_pages)

    rows = {line.label: row(line) for line in board.lines if line.kind != "control"}
    return Chapter(
        board,
        _packages(rows.values()),
        [_section(each.key, each.title, each.text, each.groups, rows) for each in plan.comparisons],
        _section("generic", "All packages", _GENERIC, {"": plan.generic}, rows),
        None if printed is None else _beside_printed(rows, plan, printed),
        plan.general,
    )


_GENERIC = (
    "One row for each package. Efficacy is recall × precision; efficiency is efficacy × pages per "
    "second of wall time."
)


def _packages(rows: Iterable[Row]) -> list[Section]:
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(row.line.name, []).append(row)
    return [
        Section(key, name, "", {"": own})
        for key, (name, own) in zip(_keys(list(by_name)), by_name.items(), strict=True)
    ]


def _keys(names: Sequence[str]) -> list[str]:
    """Return a name of letters, digits and hyphens for each package's files, no two the same."""
    found: list[str] = []
    for name in names:
        letters = "".join(c if c.isascii() and c.isalnum() else "-" for c in plain(name)[:40])
        key = f"package-{letters.lower()}"
        while key in found:
            key += "-"
        found.append(key)
    return found


def _section(
    key: str,
    title: str,
    text: str,
    groups: Mapping[str, Sequence[str]],
    rows: Mapping[str, Row],
) -> Section:
    found = {name: [rows[label] for label in own if label in rows] for name, own in groups.items()}
    for own in found.values():
        own.sort(key=lambda row: -row.line.figures["f1"].shown)
    missing = [label for own in groups.values() for label in own if label not in rows]
    return Section(key, title, text, {name: own for name, own in found.items() if own}, missing)


def _beside_printed(
    rows: Mapping[str, Row], plan: Plan, printed: Mapping[str, Printed]
) -> BesidePrinted:
    both = [row for row in rows.values() if row.printed is not None]
    ours = [row.line.figures["f1"].shown for row in both]
    theirs = [row.printed.figures["f1"] for row in both if row.printed]
    value = None
    if len(both) >= stability.FEWEST:
        (rho,) = stability.spearman(np.array([ours]), np.array([theirs]))
        value = None if np.isnan(rho) else float(rho)
    place, printed_place = _places(ours), _places(theirs)
    differences = [
        Difference(
            row.label,
            ours[at],
            theirs[at],
            place[at],
            printed_place[at],
            _why(row, plan.known[row.label].why),
        )
        for at, row in enumerate(both)
    ]
    names = {known.printed: label for label, known in plan.known.items()}
    without = [names[name] for name in printed if name in names and names[name] not in rows]
    return BesidePrinted(value, sorted(differences, key=lambda each: each.place), without)


def _places(values: Sequence[float]) -> list[int]:
    return [1 + sum(other > value for other in values) for value in values]


def _why(row: Row, why: str) -> str:
    """Say what moved, from the figures, and why, as far as it is known."""
    if row.printed is None:
        return ""
    figure = row.line.figures["f1"]
    if figure.value is None:
        return "It has no F1 here."
    change = figure.value - row.printed.figures["f1"]
    if abs(change) < _SMALLEST:
        return "The same."
    parts = []
    moved = {
        name: (row.figure(name) or 0.0) - row.printed.figures[name]
        for name in ("precision", "recall")
    }
    most = max(moved, key=lambda name: abs(moved[name]))
    parts.append(
        f"{most.capitalize()} moved most, from {percent(row.printed.figures[most])} to "
        f"{percent(row.figure(most))}."
    )
    if figure.lo is not None and figure.hi is not None:
        inside = figure.lo <= row.printed.figures["f1"] <= figure.hi
        interval = f"{percent(figure.lo)} to {percent(figure.hi)}"
        parts.append(
            f"The printed F1 is {'within' if inside else 'outside'} our 95 % interval ({interval})."
        )
    odd = {name: n for name, n in row.line.outcomes.items() if n and name != "ok"}
    if odd:
        named = ", ".join(f"{n} {name}" for name, n in odd.items())
        parts.append(f"Outcomes other than ok: {named}, of {row.pages} pages.")
    return " ".join([*parts, why])
