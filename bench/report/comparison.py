"""Rows against rows: one table, then the slices and the pages that changed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from bench.report import sentences
from bench.report.document import (
    EVERYWHERE,
    MARKDOWN,
    TERMINAL,
    Block,
    Column,
    Heading,
    Items,
    Paragraph,
    Row,
    Table,
    table,
)
from bench.scoring.compare.changes import PageChange, RegionChange
from bench.scoring.compare.comparison import Comparison, Pair
from bench.scoring.compare.verdicts import Verdict
from bench.util.display import cut, plain
from bench.util.numbers import counted, p_value, percent, points, points_interval

PAGES = 5
"""Pages shown for each row, unless more are asked for."""
_QUIET = (Verdict.SAME, Verdict.UNCLEAR)
_STYLES = {
    Verdict.WORSE: "red",
    Verdict.BETTER: "green",
    Verdict.NOT_COMPARABLE: "dim",
    Verdict.SAME: "dim",
}
_METHOD = (
    "B−A in points, its 95 % interval; p: paired test (Holm); d: effect size; "
    "W/T/L: pages won, tied, lost; 80 %: detectable; "
    f"{Verdict.UNCLEAR.sign} {Verdict.UNCLEAR}."
)
_ID = 32
"""Letters of a page's id: every verb takes the beginning of one."""


def document(
    comparison: Comparison, *, pages: int = PAGES, all_rows: bool = False
) -> Iterator[Block]:
    """Yield a comparison: a single row always, of several those in which something changed."""
    pairs = [
        pair
        for pair in comparison.pairs
        if all_rows
        or len(comparison.pairs) == 1
        or pair.verdicts[-1] not in _QUIET
        or _changed(pair)
    ]
    counts = sorted({pair.pages for pair in comparison.pairs})
    common = "–".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    metric = comparison.metric
    yield Heading(
        f"{plain(comparison.gold['name'])}: {sentences.title(metric.main)} ({metric.name}), "
        f"{common} of {comparison.pages} pages in common"
    )
    yield Items([f"A  {plain(comparison.first)}", f"B  {plain(comparison.second)}"], bullet="")
    if pairs or comparison.missing:
        yield _rows(pairs, comparison)
    if slices := [_Slice(pair.label, change) for pair in pairs for change in _changed(pair)]:
        yield Heading("Slices that changed", 3)
        yield _slices(slices)
    for pair in pairs:
        if pair.changes and pages:
            yield Heading(f"Pages that changed most: {plain(pair.label)}", 3)
            yield table(_OF_PAGE, pair.changes[:pages], space=(0, 1))
    yield Items(list(_notes(comparison, pairs, pages)))
    yield Paragraph(_METHOD, "dim")


class _Slice(NamedTuple):
    label: str
    change: RegionChange


def _changed(pair: Pair) -> list[RegionChange]:
    """Return the slices on which the rows differ significantly."""
    return [change for change in pair.slices if change.verdict in (Verdict.WORSE, Verdict.BETTER)]


def _effect(change: RegionChange) -> str:
    effect = change.difference.effect
    return "–" if effect is None else f"{effect:+.2f}"


def _detectable(change: RegionChange) -> str:
    return percent(change.difference.detectable()) if change.difference.se else "–"


_OF_REGION: Sequence[tuple[Column, Callable[[RegionChange], str]]] = (
    (Column("A"), lambda change: percent(change.before)),
    (Column("B"), lambda change: percent(change.after)),
    (Column("B−A"), lambda change: points(change.difference.value)),
    (Column("95 %"), lambda change: points_interval(change.difference.lo, change.difference.hi)),
    (Column("p"), lambda change: p_value(change.difference.p_holm)),
    (Column("d"), _effect),
    (Column("W/T/L"), lambda change: change.difference.counts),
    (Column("80 %"), _detectable),
)
_OF_PAGE: Sequence[tuple[Column, Callable[[PageChange], str]]] = (
    (Column("page", "left", TERMINAL, fold=1), lambda change: cut(plain(change.page), _ID)),
    (Column("page", "left", MARKDOWN), lambda change: change.page),
    (Column("A"), lambda change: percent(change.before)),
    (Column("B"), lambda change: percent(change.after)),
    (Column("B−A"), lambda change: points(change.change)),
    (
        Column("outcome", "left", TERMINAL, fold=1),
        lambda change: "" if change.outcomes == "ok" else change.outcomes,
    ),
    (Column("outcome", media=MARKDOWN), lambda change: change.outcomes),
)


def _rows(pairs: Sequence[Pair], comparison: Comparison) -> Table:
    timed = any(pair.cpu is not None for pair in pairs)
    rows = table(
        [
            (
                Column("", "left", TERMINAL),
                lambda pair: "".join(verdict.sign for verdict in pair.verdicts),
            ),
            (Column("", "left", MARKDOWN), lambda pair: ", ".join(pair.verdicts)),
            (Column("row", "left", TERMINAL, fold=1), lambda pair: pair.label),
            (Column("row", "left", MARKDOWN), lambda pair: pair.label),
            *((column, lambda pair, cell=cell: cell(pair.whole)) for column, cell in _OF_REGION),
            (
                # Where none was measured, a terminal has no column for it.
                Column("CPU", media=EVERYWHERE if timed else MARKDOWN),
                lambda pair: "–" if pair.cpu is None else f"×{pair.cpu:.2f}",
            ),
        ],
        pairs,
        lambda pair: _STYLES.get(pair.whole.verdict, ""),
    )
    verdict = Verdict.NOT_COMPARABLE
    no_figures = [""] * (len(_OF_REGION) + 1)
    missing = [
        Row(
            [verdict.sign, verdict.value, f"{label}: {reason}", f"{label} ({reason})", *no_figures],
            _STYLES[verdict],
        )
        for label, reason in comparison.missing.items()
    ]
    return replace(rows, rows=[*rows.rows, *missing], blank="–")


def _slices(slices: Sequence[_Slice]) -> Table:
    several = len({slice_.label for slice_ in slices}) > 1
    return table(
        [
            (Column("", "left", TERMINAL), lambda slice_: slice_.change.verdict.sign),
            (Column("", "left", MARKDOWN), lambda slice_: slice_.change.verdict.value),
            (Column("row", "left", MARKDOWN), lambda slice_: slice_.label),
            (Column("slice", "left", MARKDOWN), lambda slice_: slice_.change.where),
            (
                Column("slice", "left", TERMINAL, fold=1),
                lambda slice_: (
                    f"{slice_.label}, {slice_.change.where}" if several else slice_.change.where
                ),
            ),
            (Column("pages"), lambda slice_: str(slice_.change.pages)),
            *(
                (column, lambda slice_, cell=cell: cell(slice_.change))
                for column, cell in _OF_REGION
            ),
        ],
        slices,
        lambda slice_: _STYLES.get(slice_.change.verdict, ""),
        space=(0, 1),
    )


def _notes(comparison: Comparison, pairs: Sequence[Pair], pages: int) -> Iterator[str]:
    """Yield what is hidden and what to beware of, one line each."""
    if hidden := [pair for pair in comparison.pairs if pair not in pairs]:
        same = sum(pair.whole.verdict is Verdict.SAME for pair in hidden)
        yield (
            f"{counted(len(hidden), 'row')} not shown ({same} the same, {len(hidden) - same} without "
            "significant difference); --all-rows shows them."
        )
    if unclear := sum(
        change.verdict is Verdict.UNCLEAR for pair in pairs for change in pair.slices
    ):
        yield f"{counted(unclear, 'more slice')} without significant difference."
    if more := sum(max(0, len(pair.changes) - pages) for pair in pairs):
        yield f"{more} pages more differ; --pages N shows them."
    if comparison.gold["smoke"]:
        yield sentences.SMOKE
    yield from (f"Usage: {plain(warning)}." for warning in comparison.warnings)
