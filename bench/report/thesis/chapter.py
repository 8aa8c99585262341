"""The chapter as data: sections of rows, and ours beside what was printed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bench.model import UsageError
from bench.report.thesis.plan import FIGURES, Comparison, Numbers, Plan
from bench.scoring import stability
from bench.scoring.leaderboard import Leaderboard, Line
from bench.stats import rank_correlation
from bench.util.display import grouped, plain
from bench.util.numbers import percent

_SMALLEST = 0.0005
"""A smaller difference is not seen in per cent with one digit."""


@dataclass(frozen=True)
class Row:
    """One row of the run, beside what was printed of it."""

    line: Line
    ours: Numbers
    printed: Numbers | None = None

    @property
    def label(self) -> str:
        """Name and variant."""
        return self.line.label


CHARTS = {
    "": "accuracy, precision, recall and F1",
    "usage": "RAM, CPU and time",
    "efficacy": "efficacy (recall × precision)",
    "time": "time of all pages",
    "efficiency": "efficiency (efficacy × pages per second of wall time)",
}
"""What a section can draw: what follows its key in the name of the file, and the caption."""


@dataclass(frozen=True)
class Section:
    """A table and a chart: rows, each in a named group."""

    key: str
    title: str
    text: str
    groups: Mapping[str, Sequence[Row]]
    missing: Sequence[str] = ()
    """Labels that the run has no figures of."""
    charts: Sequence[str] = ("",)
    """What is drawn: keys of ``CHARTS``."""

    @property
    def rows(self) -> list[Row]:
        """All rows, group after group."""
        return [row for group in self.groups.values() for row in group]

    @property
    def files(self) -> dict[str, str]:
        """The key of each chart, by the name of its file without suffix."""
        return {f"{self.key}-{chart}" if chart else self.key: chart for chart in self.charts}


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


def chapter(board: Leaderboard, plan: Plan, printed: Mapping[str, Numbers] | None) -> Chapter:
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
        figures = {name: line.figures[name].value for name in FIGURES}
        cost = line.cost
        usage = (cost.ram_percent, cost.cpu_percent, cost.wall_s) if cost else ()
        return Row(line, Numbers(figures, pages, *usage), beside)

    rows = {line.label: row(line) for line in board.lines if line.kind != "control"}
    return Chapter(
        board,
        _packages(rows.values()),
        [_comparison(comparison, rows) for comparison in plan.comparisons],
        _section(
            "generic",
            "All packages",
            "One row for each package. Efficacy is recall × precision; efficiency is efficacy × pages "
            "per second of wall time: both formulas are ours, for Márquez Mínguez (2022) "
            "draws the two and prints none.",
            {"": plan.generic},
            rows,
            ("", "time", "efficacy", "efficiency"),
        ),
        None if printed is None else _beside_printed(rows, plan, printed),
        plan.general,
    )


def _packages(rows: Iterable[Row]) -> list[Section]:
    by_name = grouped((row.line.name, row) for row in rows)
    return [
        Section(key, name, "", {"": variants})
        for key, (name, variants) in zip(_keys(list(by_name)), by_name.items(), strict=True)
    ]


def _keys(names: Sequence[str]) -> list[str]:
    """Return a name of letters, digits and hyphens for each package's files, no two the same."""
    keys: list[str] = []
    for name in names:
        letters = "".join(c if c.isascii() and c.isalnum() else "-" for c in plain(name)[:40])
        key = f"package-{letters.lower()}"
        while key in keys:
            key += "-"
        keys.append(key)
    return keys


def _comparison(comparison: Comparison, rows: Mapping[str, Row]) -> Section:
    groups = comparison.groups
    if comparison.by_parser:
        groups = grouped(
            ((label in rows and rows[label].line.parser) or "not stated", label)
            for label in groups[""]
        )
    charts = ("", "usage", "efficacy") if comparison.usage else ("", "efficacy")
    return _section(comparison.key, comparison.title, comparison.text, groups, rows, charts)


def _section(
    key: str,
    title: str,
    text: str,
    groups: Mapping[str, Sequence[str]],
    rows: Mapping[str, Row],
    charts: Sequence[str],
) -> Section:
    present = {
        name: sorted(
            (rows[label] for label in members if label in rows),
            key=lambda row: -row.line.figures["f1"].shown,
        )
        for name, members in groups.items()
    }
    missing = [label for members in groups.values() for label in members if label not in rows]
    kept = {name: members for name, members in present.items() if members}
    return Section(key, title, text, kept, missing, charts)


def _beside_printed(
    rows: Mapping[str, Row], plan: Plan, printed: Mapping[str, Numbers]
) -> BesidePrinted:
    both = [(row, row.printed) for row in rows.values() if row.printed is not None]
    ours = [row.line.figures["f1"].shown for row, _ in both]
    theirs = [_share(beside, "f1") for _, beside in both]
    value = None
    if len(both) >= stability.FEWEST:
        (rho,) = rank_correlation.of_rows(np.array([ours]), np.array([theirs]))
        value = None if np.isnan(rho) else float(rho)
    differences = [
        Difference(
            row.label, f1, printed_f1, place, there, _why(row, beside, plan.known[row.label].why)
        )
        for (row, beside), f1, printed_f1, place, there in zip(
            both, ours, theirs, _places(ours), _places(theirs), strict=True
        )
    ]
    names = {known.printed: label for label, known in plan.known.items()}
    without = [names[name] for name in printed if name in names and names[name] not in rows]
    return BesidePrinted(value, sorted(differences, key=lambda row: row.place), without)


def _share(numbers: Numbers, name: str) -> float:
    return numbers.figures[name] or 0.0


def _places(values: Sequence[float]) -> list[int]:
    return [1 + sum(other > value for other in values) for value in values]


def _why(row: Row, printed: Numbers, why: str) -> str:
    """Say what moved, from the figures, and why, as far as it is known."""
    figure = row.line.figures["f1"]
    if figure.value is None:
        return "It has no F1 here."
    if abs(figure.value - _share(printed, "f1")) < _SMALLEST:
        return "The same."
    most = max(
        ("precision", "recall"),
        key=lambda name: abs(_share(row.ours, name) - _share(printed, name)),
    )
    parts = [
        f"{most.capitalize()} moved most, from {percent(printed.figures[most])} to "
        f"{percent(row.ours.figures[most])}."
    ]
    if figure.lo is not None and figure.hi is not None:
        where = "within" if figure.lo <= _share(printed, "f1") <= figure.hi else "outside"
        interval = f"{percent(figure.lo)} to {percent(figure.hi)}"
        parts.append(f"The printed F1 is {where} our 95 % interval ({interval}).")
    if odd := [f"{n} {name}" for name, n in row.line.outcomes.items() if n and name != "ok"]:
        parts.append(f"Outcomes other than ok: {', '.join(odd)}, of {row.ours.pages} pages.")
    return " ".join([*parts, why])
