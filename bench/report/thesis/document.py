"""The chapter as headings, paragraphs, tables and figures; ``rendered`` turns them into text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.report import sentences
from bench.report.thesis.chapter import Chapter, Held, Row, Section
from bench.report.thesis.plan import FIGURES
from bench.util.display import number, percent, seconds


@dataclass(frozen=True)
class Heading:
    """A title; 1 is the chapter's own."""

    level: int
    text: str


@dataclass(frozen=True)
class Paragraph:
    """Sentences."""

    text: str


@dataclass(frozen=True)
class Items:
    """A list."""

    texts: Sequence[str]


@dataclass(frozen=True)
class Table:
    """A table; the first ``left`` columns are set to the left, a rule stands before ``rules``."""

    key: str
    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    rules: Sequence[int] = ()


@dataclass(frozen=True)
class Figure:
    """A chart; ``key`` names its files."""

    key: str
    caption: str


Block = Heading | Paragraph | Items | Table | Figure
PRINTED = "printed"
"""What the line below a row's own is called."""


def blocks(chapter: Chapter) -> Iterator[Block]:
    """Yield what the chapter consists of, in order."""
    board = chapter.board
    yield Heading(1, f"Extractors compared: {sentences.heading(board)}")
    yield Paragraph(
        "Precision, recall and accuracy are means over pages of shares of 4-grams, F1 is made of "
        "the first two; all in per cent. RAM is peak memory over the machine's, CPU is CPU time "
        "over wall time, time is the wall time of all pages in seconds."
    )
    notes = sentences.notes(board)
    if notes:
        yield Items(notes)
    yield Heading(2, "Package by package")
    for section in chapter.packages:
        yield from _section(section, 3)
    yield Heading(2, "Comparisons")
    for section in chapter.comparisons:
        yield from _section(section, 3)
    yield from _section(chapter.generic, 2, wide=True)
    yield Heading(2, "Beside the printed figures")
    if chapter.held is None:
        yield Paragraph(
            "No printed figures were given; --printed FILE puts them beside ours and correlates "
            "the orders."
        )
    else:
        yield from _held(chapter, chapter.held)


def _section(section: Section, level: int, *, wide: bool = False) -> Iterator[Block]:
    yield Heading(level, section.title)
    if section.text:
        yield Paragraph(section.text)
    if section.missing:
        yield Paragraph(f"Not in this run: {', '.join(section.missing)}.")
    if not section.rows:
        return
    yield _table(section, wide=wide)
    yield Figure(section.key, f"{section.title}: accuracy, precision, recall and F1")
    if wide:
        yield Figure(f"{section.key}-time", "Time of all pages")
        yield Figure(f"{section.key}-efficacy", "Efficacy: recall × precision")
        yield Figure(
            f"{section.key}-efficiency", "Efficiency: efficacy × pages per second of wall time"
        )


def _table(section: Section, *, wide: bool) -> Table:
    grouped = len(section.groups) > 1
    head = ["group"] if grouped else []
    head += ["extractor", "version", *(sentences.title(name) for name in FIGURES)]
    head += ["RAM %", "CPU %", "time s"]
    if wide:
        head += ["efficacy", "efficiency"]
    rows: list[list[str]] = []
    rules: list[int] = []
    for name, own in section.groups.items():
        rules.append(len(rows))
        for at, row in enumerate(own):
            start = [name if not at else ""] if grouped else []
            rows.append([*start, *_cells(row, wide=wide)])
            if row.printed is not None:
                rows.append([*([""] if grouped else []), *_printed(row, wide=wide)])
    return Table(section.key, section.title, head, rows, len(head[: 3 if grouped else 2]), rules)


def _cells(row: Row, *, wide: bool) -> list[str]:
    cost = row.line.cost
    cells = [row.label, row.line.version or "–", *(percent(row.figure(name)) for name in FIGURES)]
    cells += (
        [number(cost.ram_percent, 1), number(cost.cpu_percent), seconds(cost.wall_s)]
        if cost
        else ["–"] * 3
    )
    return [*cells, percent(row.efficacy), rate(row.efficiency)] if wide else cells


def _printed(row: Row, *, wide: bool) -> list[str]:
    there = row.printed
    if there is None:
        return []
    cells = [PRINTED, "", *(percent(there.figures[name]) for name in FIGURES)]
    cells += [number(there.ram_percent, 1), number(there.cpu_percent, 1), rate(there.time_s)]
    more = [percent(row.printed_efficacy), rate(row.printed_efficiency)]
    return [*cells, *more] if wide else cells


def rate(value: float | None) -> str:
    """Return a number above 0 with about three significant digits, a dash where there is none."""
    return "–" if value is None else seconds(value)


def _held(chapter: Chapter, held: Held) -> Iterator[Block]:
    shared = len(held.differences)
    if held.spearman is None:
        yield Paragraph(f"The run and the printed table share {shared} rows, too few to correlate.")
    else:
        yield Paragraph(
            f"Spearman's rank correlation of our F1 order with the printed one over the {shared} "
            f"rows that both have: {held.spearman:.3f}."
        )
    yield Items(chapter.general)
    if held.without:
        yield Paragraph(f"Printed, and not in this run: {', '.join(held.without)}.")
    if not held.differences:
        return
    yield Table(
        "held",
        "Our F1 beside the printed one",
        ["extractor", "F1", "printed", "difference", "place", "printed"],
        [
            [
                each.label,
                percent(each.ours),
                percent(each.printed),
                f"{(each.ours - each.printed) * 100:+.1f}",
                str(each.place),
                str(each.printed_place),
            ]
            for each in held.differences
        ],
    )
    yield Items(
        [
            f"{each.label}: {_moved(each.place, each.printed_place)} {each.text}"
            for each in held.differences
        ]
    )


def _moved(place: int, printed: int) -> str:
    if place == printed:
        return f"Place {place} in both."
    return f"Place {place} here, {printed} in print."
