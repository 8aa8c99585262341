"""The leaderboard as a document, whole or slice by slice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from bench.report import bibtex, sentences, verdict
from bench.report import latex as tex
from bench.report.document import (
    EVERYWHERE,
    LATEX,
    MARKDOWN,
    TERMINAL,
    WRITTEN,
    Block,
    Cell,
    Column,
    Heading,
    Items,
    Medium,
    Only,
    Paragraph,
    Table,
    Terms,
    table,
)
from bench.scoring.abstention import Abstention
from bench.scoring.cost import Cost
from bench.scoring.leaderboard import Leaderboard, Line
from bench.util.display import cut, plain
from bench.util.numbers import duration, mib, number, percent, percent_range, points

if TYPE_CHECKING:
    from bench.scoring.slice_leaderboard import SliceLeaderboard, SliceLine

Shown = Callable[[Line], str]

_LEAST = {"precision": 3, "recall": 3, "page_f1": 2, "accuracy": 6, "exact": 8}
"""How little a figure is needed where a terminal lacks room."""
_OUTCOMES_WIDTH = 9
"""Room for one kind of outcome; rows with more fold."""
_SLICE_WIDTH = 12


def document(board: Leaderboard) -> Iterator[Block]:
    """Yield heading, table and notes."""
    yield Heading(sentences.heading(board))
    yield _table(board)
    if said := " ".join(verdict.in_short(board)):
        yield Only(TERMINAL, [Paragraph(said)])
    yield Only(MARKDOWN, [Items(verdict.of(board))])
    if board.missing:
        yield Terms("Not run:", sentences.not_run(board))
    footer = [Paragraph(line, "dim") for line in sentences.footer(board)]
    yield Only(TERMINAL, footer)
    notes = Items(sentences.notes(board), loose=True)
    yield Only(MARKDOWN, [Paragraph(sentences.method(board)), notes])


def latex(board: Leaderboard) -> str:
    """Return the leaderboard as one LaTeX table; what is no part of a paper stands as comments."""
    missing = [f"Not run: {label}: {why}." for label, why in sentences.not_run(board)]
    comments = ["Keys of \\cite are those of leaderboard.bib.", *verdict.of(board)]
    comments += [*sentences.notes(board), *missing]
    return tex.table(_table(board), [sentences.method(board)], comments)


def _table(board: Leaderboard) -> Table:
    columns = [*_of_row(board), *_of_figures(board), *_of_abstention(board), *_of_cost()]
    return table(
        columns,
        board.lines,
        _style,
        blank="–",
        caption=f"{sentences.heading(board)}.",
        label=f"bench-{board.gold['name']}",
        cites=[
            bibtex.key("data", board.gold["name"]),
            *(bibtex.key("metric", metric.name) for metric in (board.metric, *board.others)),
        ],
        rules=[sum(line.competes for line in board.lines)],
    )


def _style(line: Line) -> str:
    if line.standing is None:
        return "" if line.variant_of else "dim"
    return "bold" if line.standing.best else ""


def _of_row(board: Leaderboard) -> Iterator[tuple[Column, Shown]]:
    main = board.metric.main

    def rank(line: Line) -> str:
        best = "*" if line.standing and line.standing.best else ""
        return f"{line.rank}{best}" if line.standing else ""

    def name(line: Line) -> str:
        cite = "" if line.kind == "control" else bibtex.key("extractor", line.name)
        return Cell(plain(line.label), cite=cite)

    def versus(line: Line) -> str:
        if line.versus is None:
            return ""
        return points(line.versus.value) + ("*" if line.versus.significant() else "")

    def margin(line: Line) -> str:
        half = line.figures[main].margin
        return "" if half is None else f"±{percent(half)}"

    def interval(line: Line) -> str:
        figure = line.figures[main]
        return "" if figure.margin is None else percent_range(figure.lo, figure.hi)

    yield Column("#", "left", LATEX), rank
    yield Column("#", media=TERMINAL + MARKDOWN, optional=TERMINAL), rank
    yield Column("group", "left", LATEX), lambda line: line.letters
    yield Column("extractor", "left"), name
    yield Column("version", "left", WRITTEN), lambda line: line.version or ""
    yield Column(sentences.title(main), short=sentences.short_title(main)), _figure(main)
    yield Column("95 %", media=TERMINAL, optional=TERMINAL, least=1), margin
    yield Column("95 %", media=WRITTEN), interval
    yield (
        Column("vs default", media=EVERYWHERE, optional=EVERYWHERE, short="vs\ndef.", least=2),
        versus,
    )


def _of_figures(board: Leaderboard) -> Iterator[tuple[Column, Shown]]:
    """Yield the figures beside the main one; on a terminal other metrics' come first."""
    for metric in board.others:
        head = f"{metric.name}\n{sentences.short_title(metric.main)}"
        yield Column(head, media=TERMINAL, least=1), _figure(metric.main, metric.name)
    for name in board.metric.figures:
        if name != board.metric.main:
            head, short = sentences.title(name), sentences.short_title(name)
            yield Column(head, short=short, least=_LEAST[name]), _figure(name)
    for metric in board.others:
        head = f"{metric.name} {sentences.title(metric.main)}"
        yield Column(head, media=WRITTEN), _figure(metric.main, metric.name)


def _of_abstention(board: Leaderboard) -> Iterator[tuple[Column, Shown]]:
    """Yield what rows do on pages without main content, where there are such pages."""
    if not any(line.abstention for line in board.lines):
        return
    media = TERMINAL + MARKDOWN
    title = sentences.title(board.metric.main)

    def of(text: Callable[[Abstention], str]) -> Shown:
        return lambda line: text(line.abstention) if line.abstention else ""

    yield (
        Column(f"{title} elsewhere", media=media, short=f"{title}\nelsew", least=6),
        of(lambda abstention: percent(abstention.elsewhere.value)),
    )
    yield (
        Column("abstains", media=media, short="abst", least=2),
        of(lambda abstention: percent(abstention.share, 0)),
    )
    yield (
        Column("false words", media=media, short="false\nwords", least=6),
        of(lambda abstention: number(abstention.words)),
    )


def _figure(name: str, metric: str = "") -> Shown:
    """Return a figure, beside page F1 an arrow where a row's place by it is another than by F1."""

    def value(line: Line) -> str:
        text = percent((line.metrics[metric] if metric else line.figures)[name].value)
        place, by_page_f1 = line.place, line.place_by_page_f1
        if metric or name != "page_f1" or place is None or by_page_f1 in (None, place):
            return text
        return f"{text}{'↑' if (by_page_f1 or 0) < place else '↓'}"

    return value


def _of_cost() -> Iterator[tuple[Column, Shown]]:
    """Yield what a row cost, if any did, and how its cells ended."""

    def of(text: Callable[[Cost], str]) -> Shown:
        return lambda line: text(line.cost) if line.cost else ""

    def spread(cost: Cost) -> str:
        """How far repeats lie apart; nothing where there was one."""
        return "" if cost.spread_percent is None else number(cost.spread_percent)

    def column(title: str, short: str, least: int, media: tuple[Medium, ...]) -> Column:
        return Column(title, media=media, optional=media, short=short, least=least)

    screen = TERMINAL + MARKDOWN
    yield column("ms/page", "ms/\npage", 2, EVERYWHERE), of(lambda c: duration(c.ms_per_page))
    yield column("p95", "ms\np95", 8, TERMINAL), of(lambda c: duration(c.ms_per_page_p95))
    yield column("spread", "spread\n%", 4, TERMINAL), of(spread)
    yield column("time s", "time\ns", 5, screen), of(lambda c: duration(c.wall_s))
    yield column("CPU %", "CPU\n%", 5, screen), of(lambda c: number(c.cpu_percent))
    yield column("RAM %", "RAM\n%", 5, screen), of(lambda c: number(c.ram_percent, 1))
    yield column("MiB", "MiB", 7, EVERYWHERE), of(lambda c: mib(c.rss_peak_bytes))
    yield (
        Column("not ok", "left", screen, TERMINAL, fold=_OUTCOMES_WIDTH, least=2),
        lambda line: sentences.outcomes(line.outcomes),
    )


def by_slice(sliced: SliceLeaderboard) -> Iterator[Block]:
    """Yield the leaderboard slice by slice; a terminal shows the largest slices that fit."""
    names = sorted(sliced.pages, key=lambda name: -sliced.pages[name])
    ranked = [row for row in sliced.lines if row.line.competes]
    best = {
        name: percent(max((row.estimates[name].value or 0.0 for row in ranked), default=0.0))
        for name in names
    }

    def figure(name: str, row: SliceLine) -> str:
        value = percent(row.estimates[name].value)
        return Cell(value, strong=row.line.competes and value == best[name])

    yield Heading(f"{sentences.heading(sliced.board)}, by {plain(sliced.dimension)}")
    yield table(
        [
            (Column("#"), lambda row: str(row.line.rank or "–")),
            (Column("extractor", "left"), lambda row: row.line.label),
            (Column("all"), lambda row: percent(row.micro.value)),
            (Column("macro"), lambda row: percent(row.macro.value)),
            *(
                (
                    Column(
                        f"{plain(name)} ({pages})",
                        short=f"{cut(plain(name), _SLICE_WIDTH)}\n{pages}",
                        least=names.index(name) + 1,
                        name=f"{plain(name)} ({pages} pages)",
                    ),
                    partial(figure, name),
                )
                for name, pages in sliced.pages.items()
            ),
        ],
        sliced.lines,
        lambda row: "" if row.line.competes else "dim",
        left_out="For want of room without {}; --json and --markdown have all.",
    )
    metric = sliced.board.metric
    yield Paragraph(
        f"{sentences.title(metric.main)} of {metric.name}, in per cent; under each name its pages. "
        "All: each page weighs the same (micro); macro: each slice does.",
        "dim",
    )
