"""A survey as a document: rows without gold, and the pages to look at."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from bench.report import sentences
from bench.report.document import Block, Column, Heading, Items, Paragraph, Table, Terms, table
from bench.report.forms import PRICE
from bench.scoring.survey import Disputed, RowSurvey, Survey
from bench.scoring.validity import FIGURES, Validated
from bench.util.display import grouped, plain, short_ids
from bench.util.numbers import counted, duration, number, percent

MANUAL = "docs/your-own-pages.md"
_SHOWN = 5
_FOLD = 24
_COLUMNS: Mapping[str, tuple[str, str, int]] = {
    "consensus": ("consensus", "con-\nsensus", 0),
    "invented": ("invented", "in-\nvented", 1),
    "invented_words": ("invented words", "inv.\nwords", 6),
    "boilerplate": ("boilerplate", "boiler-\nplate", 2),
    "repeated": ("repeated", "re-\npeated", 7),
    "yield": ("yield", "yield", 4),
    "lost": ("lost", "lost", 3),
}
"""Title, title on a terminal, and how little it is needed there."""
_WORDS = ("yield", "lost")
"""Figures in words a page, not shares."""


def document(survey: Survey) -> Iterator[Block]:
    """Yield heading, table, notes, and the pages to look at."""
    name, pages = plain(str(survey.gold["name"])), int(survey.gold["pages"])
    short = {page_id: plain(short_id) for page_id, short_id in short_ids(survey.ids).items()}
    yield Heading(f"{name}, {counted(pages, 'page')}: a survey, without gold")
    yield _rows(survey)
    if survey.missing:
        yield Terms("Not run:", sentences.not_run(survey))
    yield Items(list(_notes(survey)), style="dim")
    if survey.disputed:
        yield Heading("Extractors disagree most on", 3)
        yield _disputed(survey, short)
    if lines := list(_odd_pages(survey, short)):
        yield Heading("Pages to look at", 3)
        yield Items(lines)


def validity(validated: Validated) -> Iterator[Block]:
    """Yield a table: each figure's correlation with F1 over rows and pages, data set by data set."""
    lines = validated.lines
    sets = list(dict.fromkeys(line.gold for line in lines))
    known = {(line.gold, line.figure): line for line in lines}

    def correlation(gold: str, over: str, figure: str) -> str:
        agreement = getattr(known[gold, figure], over)
        if agreement.value is None:
            return "–"
        interval = "" if agreement.lo is None else f" ({_r(agreement.lo)} to {_r(agreement.hi)})"
        return f"{_r(agreement.value)}{interval}{'*' if agreement.predicts else ''}"

    columns = [
        (
            Column(f"{plain(gold)}, {over}", short=f"{plain(gold)}\n{over}"),
            partial(correlation, gold, over),
        )
        for gold in sets
        for over in ("rows", "pages")
    ]
    yield Heading("Spearman's correlation of figures without gold with F1")
    yield table(
        [(Column("figure", "left"), lambda figure: figure.replace("_", " ")), *columns], FIGURES
    )
    runs = "; ".join(
        f"{plain(gold)}: {counted(known[gold, FIGURES[0]].count, 'row')} of run "
        f"{plain(known[gold, FIGURES[0]].run)}"
        for gold in sets
    )
    yield Paragraph(
        f"With 95 % intervals, *: without 0. Rows: the figure with the data set's F1 ({runs}). Pages: "
        "the figure with the page's F1 within a row, the mean over rows.",
        "dim",
    )


def _r(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _rows(survey: Survey) -> Table:
    def mean(name: str, row: RowSurvey) -> str:
        value = row.means[name]
        return number(value, 1) if name in _WORDS else percent(value)

    def words(row: RowSurvey) -> str:
        return "–" if row.words is None else number(row.words[1])

    def quartiles(row: RowSurvey) -> str:
        return "–" if row.words is None else f"{row.words[0]:.0f}–{row.words[2]:.0f}"

    def price(row: RowSurvey) -> str:
        return "–" if row.core_hours is None else f"{row.core_hours * PRICE:.2f}"

    return table(
        [
            (Column("extractor", "left"), lambda row: plain(row.label)),
            (Column("words"), words),
            (Column("quartiles", least=5), quartiles),
            (Column("empty"), lambda row: percent(row.empty)),
            *(
                (Column(title, short=short, least=least), lambda row, name=name: mean(name, row))
                for name, (title, short, least) in _COLUMNS.items()
            ),
            (Column("CPU ms", short="CPU\nms"), lambda row: duration(row.cpu_ms)),
            (Column("cost of 10⁶", short="cost\n10⁶", least=6), price),
            (
                Column("not ok", "left", fold=9, least=8),
                lambda row: sentences.outcomes(row.outcomes),
            ),
        ],
        survey.rows,
        lambda row: "" if row.family else "dim",
    )


def _notes(survey: Survey) -> Iterator[str]:
    yield (
        "Shares in per cent, means over pages. Consensus: 4-gram F1 with the texts of other "
        f"programs, {survey.families} families, each counted once. Invented: "
        "4-grams, and words, that the page's text has not. Boilerplate: lines that other pages "
        "of the host have, too. Repeated: lines that the text has already. Yield: words a page "
        "that hardly any other keeps; lost: words that all others keep."
    )
    yield (
        "None of these is quality. Consensus alone went with F1 over rows and pages where there was "
        f"gold: {MANUAL}"
    )
    if survey.families < 2:
        yield "Consensus, yield and lost need programs of two families."
    if all(row.means["boilerplate"] is None for row in survey.rows):
        yield "Boilerplate is not known: no host has several pages, or pages have no address."
    if not survey.timings_ranked:
        yield f"CPU times are {sentences.incomparable(survey.machines)}."


def _disputed(survey: Survey, short: Mapping[str, str]) -> Table:
    def returned(page: Disputed) -> str:
        """Say how many words each row returned, those that agree in that together."""
        labels_by_size = grouped(
            (-1 if words is None else words, plain(label)) for label, words in page.words.items()
        )
        return "; ".join(
            f"{'failed' if size < 0 else 'nothing' if size == 0 else size}: {', '.join(labels)}"
            for size, labels in sorted(labels_by_size.items(), reverse=True)
        )

    return table(
        [
            (Column("page", "left"), lambda page: short[page.page]),
            (Column("consensus"), lambda page: percent(page.agreement)),
            (Column("words returned", "left", fold=_FOLD), returned),
        ],
        survey.disputed[:_SHOWN],
    )


def _odd_pages(survey: Survey, short: Mapping[str, str]) -> Iterator[str]:
    def listed(pages: Sequence[str]) -> str:
        ids = [short[page] for page in pages]
        return ", ".join(ids[:_SHOWN]) + (f" … ({len(ids)} pages)" if len(ids) > _SHOWN else "")

    for kind, pages in survey.no_content.items():
        yield f"{kind}, it seems: {listed(pages)}"
    for alike in survey.alike[:_SHOWN]:
        yield f"near duplicates, {alike.share:.0%} in common: {listed(alike.pages)}"
    if len(survey.alike) > _SHOWN:
        more = counted(len(survey.alike) - _SHOWN, "more group")
        yield f"{more} of near duplicates; --json has all"
