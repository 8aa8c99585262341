"""Rankings side by side, and how they correlate."""

from collections.abc import Iterator

from bench.report.document import (
    MARKDOWN,
    TERMINAL,
    Block,
    Column,
    Heading,
    Only,
    Paragraph,
    Row,
    Table,
)
from bench.scoring.stability import Correlation, Stability
from bench.util.display import plain

_MOST_MOVED = 3


def document(stability: Stability) -> Iterator[Block]:
    """Yield places under every metric, then how the rankings correlate."""
    several = len({column.gold for column in stability.columns}) > 1
    columns = [Column("extractor", "left")]
    for column in stability.columns:
        name = column.metric.name.replace("-", "-\n", 1)
        columns.append(
            Column(column.name, short=f"{plain(column.gold)}\n{name}" if several else name, fold=1)
        )
    places = [
        Row([plain(label), *(str(column.places.get(label, "–")) for column in stability.columns)])
        for label in stability.labels
    ]
    yield Heading("Places, 1 is best")
    yield Table(columns, places)
    heading = Heading("Rank correlation")
    if stability.correlations:
        yield Only(TERMINAL, [heading, _matrix(stability, several=several)])
    yield Only(MARKDOWN, [heading, _pairs(stability)])
    for note in _notes(stability):
        yield Paragraph(note, "dim")


def _matrix(stability: Stability, *, several: bool) -> Table:
    """Return the correlations below the diagonal; columns are numbered as rows are."""
    values = {(pair.first, pair.second): pair.value for pair in stability.correlations}
    columns = [Column(""), Column("", "left")]
    columns += [Column(str(at)) for at in range(1, len(stability.columns))]
    lines = []
    for at, column in enumerate(stability.columns, 1):
        cells = [values[other.name, column.name] for other in stability.columns[: at - 1]]
        texts = ["–" if value is None else f"{value:.2f}" for value in cells]
        texts += [""] * (len(stability.columns) - at)
        lines.append(Row([str(at), plain(column.name if several else column.metric.name), *texts]))
    return Table(columns, lines)


def _pairs(stability: Stability) -> Table:
    columns = [Column("rankings", "left"), Column("Spearman"), Column("95 %"), Column("rows")]
    return Table(
        columns,
        [
            Row([f"{pair.first} – {pair.second}", *_numbers(pair)])
            for pair in stability.correlations
        ],
    )


def _numbers(pair: Correlation) -> tuple[str, str, str]:
    if pair.value is None or pair.lo is None or pair.hi is None:
        return "–", "–", str(pair.rows)
    return f"{pair.value:.3f}", f"{pair.lo:.3f} to {pair.hi:.3f}", str(pair.rows)


def _notes(stability: Stability) -> list[str]:
    notes = [
        "Spearman's rank correlation over the rows that both have; 95 % intervals by bootstrap "
        "over pages (all of them in --markdown and --json)."
    ]
    known = [pair for pair in stability.correlations if pair.value is not None and pair.rows > 1]
    if known:
        least = min(known, key=lambda pair: (pair.value, pair.first, pair.second))
        value, interval, _ = _numbers(least)
        names = plain(f"{least.first} and {least.second}")
        notes.append(f"Lowest: {names}, {value} ({interval}, {least.rows} rows).")
    moved = [
        f"{plain(label)} (place {lo} to {hi})" for label, lo, hi in stability.moves() if lo != hi
    ]
    if moved:
        notes.append(f"Moved most: {', '.join(moved[:_MOST_MOVED])}.")
    return notes
