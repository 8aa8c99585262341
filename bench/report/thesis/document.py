"""The chapter as a document."""

from collections.abc import Iterator

from bench.report import sentences
from bench.report.document import (
    Block,
    Column,
    Figure,
    Heading,
    Items,
    Paragraph,
    Row,
    Table,
    table,
)
from bench.report.thesis import chapter as data
from bench.report.thesis.chapter import BesidePrinted, Chapter, Section
from bench.report.thesis.plan import FIGURES, Numbers
from bench.util.display import cut, plain
from bench.util.numbers import duration, number, percent, points

_LONGEST, _LONGEST_NAME = 2000, 300
"""Characters of a paragraph, and of a name in it: strangers chose them."""
PRINTED = "printed"
"""What the line below a row's own is called."""


def document(chapter: Chapter) -> Iterator[Block]:
    """Yield what the chapter consists of, in order."""
    board = chapter.board
    yield Heading(f"Extractors compared: {cut(sentences.heading(board), _LONGEST)}", 1)
    yield Paragraph(
        "Precision, recall and accuracy are means over pages of shares of 4-grams, F1 is made of "
        "the first two; all in per cent. RAM is peak memory over the machine's, CPU is CPU time "
        "over wall time, time is the wall time of all pages in seconds."
    )
    yield Items([cut(note, _LONGEST) for note in sentences.notes(board)])
    yield Heading("Package by package")
    for section in chapter.packages:
        yield from _section(section, 3)
    yield Heading("Comparisons")
    for section in chapter.comparisons:
        yield from _section(section, 3)
    yield from _section(chapter.generic, 2, wide=True)
    yield Heading("Beside the printed figures")
    if chapter.beside_printed is None:
        yield Paragraph(
            "No printed figures were given; --printed FILE puts them beside ours and correlates "
            "the orders."
        )
    else:
        yield from _beside_printed(chapter, chapter.beside_printed)


def _name(text: str) -> str:
    return cut(plain(text), _LONGEST_NAME)


def _section(section: Section, level: int, *, wide: bool = False) -> Iterator[Block]:
    title = _name(section.title)
    yield Heading(title, level)
    if section.text:
        yield Paragraph(section.text)
    if section.missing:
        yield Paragraph(f"Not in this run: {', '.join(section.missing)}.")
    if not section.rows:
        return
    yield _table(section, title, wide=wide)
    for stem, chart in section.files.items():
        yield Figure(stem, f"{title}: {data.CHARTS[chart]}", f"thesis-{stem}")


def _table(section: Section, title: str, *, wide: bool) -> Table:
    grouped = len(section.groups) > 1
    left = [*(["group"] if grouped else []), "extractor", "version"]
    right = [*map(sentences.title, FIGURES), "RAM %", "CPU %", "time s"]
    right += ["efficacy", "efficiency"] if wide else []
    rows: list[Row] = []
    rules: list[int] = []
    for name, members in section.groups.items():
        rules.append(len(rows))
        for at, row in enumerate(members):
            start = [name if not at else ""] if grouped else []
            names = [_name(row.label), _name(row.line.version or "–")]
            rows.append(Row([*start, *names, *_cells(row.ours, wide=wide)]))
            if row.printed is not None:
                names = [*([""] if grouped else []), PRINTED, ""]
                rows.append(Row([*names, *_cells(row.printed, wide=wide)]))
    return Table(
        [*(Column(title, "left") for title in left), *map(Column, right)],
        rows,
        caption=title,
        label=f"thesis-{section.key}",
        rules=rules,
    )


def _cells(numbers: Numbers, *, wide: bool) -> list[str]:
    cells = [percent(numbers.figures[name]) for name in FIGURES]
    cells += [number(numbers.ram_percent, 1), number(numbers.cpu_percent, 1)]
    cells.append(duration(numbers.time_s))
    more = [percent(numbers.efficacy), duration(numbers.efficiency)]
    return [*cells, *more] if wide else cells


def _beside_printed(chapter: Chapter, printed: BesidePrinted) -> Iterator[Block]:
    shared = len(printed.differences)
    if printed.spearman is None:
        yield Paragraph(f"The run and the printed table share {shared} rows, too few to correlate.")
    else:
        yield Paragraph(
            f"Spearman's rank correlation of our F1 order with the printed one over the {shared} "
            f"rows that both have: {printed.spearman:.3f}."
        )
    yield Items(chapter.general)
    if printed.without:
        yield Paragraph(f"Printed, and not in this run: {', '.join(printed.without)}.")
    if not printed.differences:
        return
    yield table(
        [
            (Column("extractor", "left"), lambda row: _name(row.label)),
            (Column("F1"), lambda row: percent(row.ours)),
            (Column("printed"), lambda row: percent(row.printed)),
            (Column("difference"), lambda row: points(row.ours - row.printed)),
            (Column("place"), lambda row: str(row.place)),
            (Column("printed"), lambda row: str(row.printed_place)),
        ],
        printed.differences,
        caption="Our F1 beside the printed one",
        label="thesis-printed",
    )
    yield Items(
        [
            f"{_name(row.label)}: {_moved(row.place, row.printed_place)} {row.text}"
            for row in printed.differences
        ]
    )


def _moved(place: int, printed: int) -> str:
    if place == printed:
        return f"Place {place} in both."
    return f"Place {place} here, {printed} in print."
