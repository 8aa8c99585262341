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
    several = len({each.gold for each in stability.columns}) > 1
    columns = [Column("extractor", "left")]
    for each in stability.columns:
        name = each.metric.name.replace("-", "-\n", 1)
        columns.append(
            Column(each.name, short=f"{plain(each.gold)}\n{name}" if several else name, fold=1)
        )
    places = [
        Row([plain(label), *(str(each.places.get(label, "–")) for each in stability.columns)])
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
    values = {(each.first, each.second): each.value for each in stability.correlations}
    columns = [Column(""), Column("", "left")]
    columns += [Column(str(at)) for at in range(1, len(stability.columns))]
    lines = []
    for at, own in enumerate(stability.columns, 1):
        cells = [values[other.name, own.name] for other in stability.columns[: at - 1]]
        texts = ["–" if value is None else f"{value:.2f}" for value in cells]
        texts += [""] * (len(stability.columns) - at)
        lines.append(Row([str(at), plain(own.name if several else own.metric.name), *texts]))
    return Table(columns, lines)


def _pairs(stability: Stability) -> Table:
    columns = [Column("rankings", "left"), Column("Spearman"), Column("95 %"), Column("rows")]
    return Table(
        columns,
        [
            Row([f"{each.first} – {each.second}", *_numbers(each)])
            for each in stability.correlations
        ],
    )


def _numbers(each: Correlation) -> tuple[str, str, str]:
    if each.value is None or each.lo is None or each.hi is None:
        return "–", "–", str(each.rows)
    return f"{each.value:.3f}", f"{each.lo:.3f} to {each.hi:.3f}", str(each.rows)


def _notes(stability: Stability) -> list[str]:
    notes = [
        "Spearman's rank correlation over the rows that both have; 95 % intervals by bootstrap "
        "over pages (all of them in --markdown and --json)."
    ]
    known = [each for each in stability.correlations if each.value is not None and each.rows > 1]
    if known:
        least = min(known, key=lambda each: (each.value, each.first, each.second))
        value, interval, _ = _numbers(least)
        names = plain(f"{least.first} and {least.second}")
        notes.append(f"Lowest: {names}, {value} ({interval}, {least.rows} rows).")
    moved = [each for each in stability.moves() if each[1] != each[2]][:_MOST_MOVED]
    if moved:
        named = ", ".join(f"{plain(label)} (place {lo} to {hi})" for label, lo, hi in moved)
        notes.append(f"Moved most: {named}.")
    return notes
