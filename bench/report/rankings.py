"""Rankings side by side, and how they correlate."""

from collections.abc import Iterator
from functools import partial

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
    table,
)
from bench.scoring.stability import Column as Ranking
from bench.scoring.stability import Correlation, Stability
from bench.util.display import plain
from bench.util.numbers import number

_MOST_MOVED = 3


def document(stability: Stability) -> Iterator[Block]:
    """Yield places under every metric, then how the rankings correlate."""
    several = len({column.gold for column in stability.columns}) > 1

    def place(column: Ranking, label: str) -> str:
        return str(column.places.get(label, "–"))

    yield Heading("Places, 1 is best")
    yield table(
        [
            (Column("extractor", "left"), plain),
            *(
                (
                    Column(
                        column.name,
                        short=(f"{plain(column.gold)}\n" if several else "")
                        + column.metric.name.replace("-", "-\n", 1),
                        fold=1,
                    ),
                    partial(place, column),
                )
                for column in stability.columns
            ),
        ],
        stability.labels,
    )
    heading = Heading("Rank correlation")
    if stability.correlations:
        yield Only(TERMINAL, [heading, _matrix(stability, several=several)])
    pairs = table(
        [
            (Column("rankings", "left"), lambda pair: f"{pair.first} – {pair.second}"),
            (Column("Spearman"), lambda pair: number(pair.value, 3)),
            (Column("95 %"), _interval),
            (Column("rows"), lambda pair: str(pair.rows)),
        ],
        stability.correlations,
    )
    yield Only(MARKDOWN, [heading, pairs])
    yield from (Paragraph(note, "dim") for note in _notes(stability))


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


def _interval(pair: Correlation) -> str:
    return "–" if pair.lo is None else f"{number(pair.lo, 3)} to {number(pair.hi, 3)}"


def _notes(stability: Stability) -> list[str]:
    notes = [
        "Spearman's rank correlation over the rows that both have; 95 % intervals by bootstrap "
        "over pages (all of them in --markdown and --json)."
    ]
    known = [pair for pair in stability.correlations if pair.value is not None and pair.rows > 1]
    if known:
        least = min(known, key=lambda pair: (pair.value, pair.first, pair.second))
        value = f"{number(least.value, 3)} ({_interval(least)}, {least.rows} rows)"
        notes.append(f"Lowest: {plain(least.first)} and {plain(least.second)}, {value}.")
    moved = [
        f"{plain(label)} (place {lo} to {hi})" for label, lo, hi in stability.moves() if lo != hi
    ]
    if moved:
        notes.append(f"Moved most: {', '.join(moved[:_MOST_MOVED])}.")
    return notes
