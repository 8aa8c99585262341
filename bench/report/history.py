"""Releases of an extractor as a document, and as files."""

from collections.abc import Iterator
from pathlib import Path

from bench.report import markdown, sentences
from bench.report.document import (
    EVERYWHERE,
    MARKDOWN,
    TERMINAL,
    Block,
    Column,
    Heading,
    Items,
    Only,
    Paragraph,
    Row,
    Table,
    Terms,
)
from bench.scoring.history import History, Release
from bench.scoring.leaderboard import Line
from bench.util.atomic import write_json, write_text
from bench.util.display import grouped, plain
from bench.util.numbers import duration, mib, p_value, percent, percent_range, points

NARROW = ("rule",)
"""How its Markdown is written."""
_STYLES = {"+": "green", "-": "red"}


def write(history: History, folder: Path, name: str) -> list[Path]:
    """Write Markdown, charts and JSON and return the files. Raises ``BenchError``."""
    # Imported here, because drawing takes a second to import.
    from bench.report.charts import history as charts

    page, data = folder / f"{name}.md", folder / f"{name}.json"
    write_text(page, markdown.render(document(history), narrow=NARROW))
    drawn = charts.write_history(history, folder, name)
    write_json(data, history.to_json())
    return [page, *drawn, data]


def document(history: History) -> Iterator[Block]:
    """Yield heading, table and notes."""
    title = sentences.title(history.board.metric.main)
    yield Heading(f"{plain(history.name)} over its releases, {sentences.heading(history.board)}")
    table = Table(
        [
            Column("", "left"),
            Column("release", "left"),
            *map(Column, (title, "95 %", "step", "p", "ms/page", "MiB", "not ok")),
        ],
        [_row(history, release, line) for release, line in history.ran],
        space=(0, 0),
    )
    yield Only(EVERYWHERE if table.rows else MARKDOWN, [table])
    if missing := _not_run(history):
        yield Only(TERMINAL, [Items([f"{label} not run: {why}" for label, why in missing])])
        yield Only(MARKDOWN, [Terms("Not run:", missing)])
    yield Items(list(_notes(history)), loose=True)
    yield Paragraph(
        f"{title} in per cent; step: points against the release before; p: paired test (Holm), "
        "+ and - below .05; each runs with its dependencies as they are now.",
        "dim",
    )


def _row(history: History, release: Release, line: Line) -> Row:
    main, step, cost = line.figures[history.board.metric.main], release.step, line.cost
    up = step is not None and (step.value or 0.0) > 0
    mark = ("+" if up else "-") if release.significant else ""
    cells = [
        mark,
        plain(release.version),
        percent(main.value),
        percent_range(main.lo, main.hi),
        points(step.value) if step else "–",
        p_value(step.p_holm) if step else "–",
        duration(cost.ms_per_page) if cost else "–",
        mib(cost.rss_peak_bytes) if cost else "–",
        sentences.outcomes(line.outcomes) or "–",
    ]
    return Row(cells, _STYLES.get(mark, ""))


def _not_run(history: History) -> list[tuple[str, str]]:
    """Return the releases that could not be run, those with one reason together, and why."""
    by_reason = grouped(
        (
            f"{plain(release.reason)[:300]}; fix: {plain(release.remedy)[:200]}",
            plain(release.version),
        )
        for release in history.releases
        if release.line is None
    )
    return [(", ".join(versions), why) for why, versions in by_reason.items()]


def _notes(history: History) -> Iterator[str]:
    """Yield what a reader has to know before quoting a figure."""
    if history.board.gold["smoke"]:
        yield sentences.SMOKE
    if not history.steps and len(history.ran) > 1:
        yield "No step is significant."
    yield from (f"Warning: {plain(warning)}." for warning in history.board.warnings)
