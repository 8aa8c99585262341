"""Rows against rows on a terminal: one table, then the slices and the pages that changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bench.report import sentences
from bench.scoring.compare.held import Held
from bench.scoring.compare.marks import Mark
from bench.scoring.compare.rows import Comparison, Pair, mark
from bench.util.display import percent, plain

PAGES = 5
"""Pages shown for each row, unless more are asked for."""
QUIET = (Mark.SAME, Mark.UNCLEAR)
_STYLES = {Mark.WORSE: "red", Mark.BETTER: "green", Mark.NOT_COMPARABLE: "dim", Mark.SAME: "dim"}


class _Column(NamedTuple):
    title: str
    value: Callable[[Held], str]


_ID = 32
"""Letters of a page's id."""


def show(
    found: Comparison, console: Console, *, pages: int = PAGES, all_rows: bool = False
) -> None:
    """Print a comparison."""
    console.print(comparison(found, pages=pages, all_rows=all_rows))


def comparison(found: Comparison, *, pages: int = PAGES, all_rows: bool = False) -> RenderableType:
    """Return what ``rich`` prints."""
    shown = chosen(found, all_rows=all_rows)
    parts: list[RenderableType] = [
        Text(line, style="bold" if at == 0 else "") for at, line in enumerate(heading(found))
    ]
    if shown or found.missing:
        parts.append(Padding(_rows(shown, found), (1, 0)))
    slices = [(pair, each) for pair in shown for each in changed_slices(pair)]
    if slices:
        parts += [Text("Slices that changed", style="bold"), Padding(_slices(slices), (0, 0, 1, 0))]
    for pair in shown:
        if pair.changes and pages:
            parts += [
                Text(f"Pages that changed most: {plain(pair.label)}", style="bold"),
                Padding(_pages(pair, pages), (0, 0, 1, 0)),
            ]
    parts.extend(Text(f"• {note}") for note in notes(found, shown, pages=pages))
    parts.append(Text(method(found), style="dim"))
    return Group(*parts)


def chosen(found: Comparison, *, all_rows: bool) -> list[Pair]:
    """Return the rows to show: a single one always, of several those in which something changed."""
    if all_rows or len(found.pairs) == 1:
        return list(found.pairs)
    return [each for each in found.pairs if each.marks[-1] not in QUIET or changed_slices(each)]


def changed_slices(pair: Pair) -> list[Held]:
    """Return the slices on which the rows were told apart."""
    return [each for each in pair.slices if mark(each) in (Mark.WORSE, Mark.BETTER)]


def heading(found: Comparison) -> list[str]:
    """Say what A and B are and on how many pages they are compared."""
    counts = sorted({each.pages for each in found.pairs})
    common = "–".join(str(each) for each in dict.fromkeys((counts[0], counts[-1])))
    return [
        f"{plain(found.gold['name'])}: {sentences.title(found.metric.main)} "
        f"({found.metric.name}), {common} of {found.pages} pages in common",
        f"A  {plain(found.first)}",
        f"B  {plain(found.second)}",
    ]


def notes(found: Comparison, shown: Sequence[Pair], *, pages: int) -> list[str]:
    """Return what is hidden and what to beware of, one line each."""
    said = []
    hidden = [each for each in found.pairs if each not in shown]
    if hidden:
        same = sum(each.mark is Mark.SAME for each in hidden)
        said.append(
            f"{len(hidden)} rows are not shown ({same} the same, {len(hidden) - same} cannot be "
            "told apart); --all-rows shows them."
        )
    open_slices = sum(
        not each.same and mark(each) is Mark.UNCLEAR for pair in shown for each in pair.slices
    )
    if open_slices:
        said.append(f"{open_slices} slices more differ but cannot be told apart.")
    more = sum(max(0, len(each.changes) - pages) for each in shown)
    if more:
        said.append(f"{more} pages more differ; --pages N shows them.")
    if found.gold["smoke"]:
        said.append(sentences.SMOKE)
    said.extend(f"Usage: {plain(each)}." for each in found.warnings)
    return said


def method(found: Comparison) -> str:
    """Say how it was judged."""
    return (
        f"B less A in points; [95 % interval] by {found.bootstrap.resamples:,} paired bootstrap "
        f"resamples of pages (seed {found.bootstrap.seed}); p by permutation on the same pages, "
        "Holm's correction over the rows (and over all slices); d: difference in standard deviations "
        "of a page's; W/T/L: pages won, tied, lost by B; 80 %: true difference found four times in "
        "five; CPU: B's time over A's. + better, - worse, = same, ~ cannot tell, x not comparable, "
        "! newly failing, * fixed."
    )


def sign(pair: Pair) -> str:
    """Return the marks of a row as characters."""
    return "".join(each.sign for each in pair.marks)


def interval(held: Held) -> str:
    """Return the 95 % interval of a difference in points."""
    lo, hi = held.difference.lo, held.difference.hi
    return "–" if lo is None or hi is None else f"[{lo * 100:+.1f}, {hi * 100:+.1f}]"


def points(value: float | None) -> str:
    """Return a difference in points with its sign."""
    return "–" if value is None else f"{value * 100:+.1f}"


def chance(p: float | None) -> str:
    """Return a p-value."""
    return "–" if p is None else "<.001" if p < 0.001 else f"{p:.3f}"[1 if p < 1 else 0 :]


def _detectable(held: Held) -> str:
    return percent(held.difference.detectable()) if held.difference.std else "–"


def _effect(held: Held) -> str:
    effect = held.difference.effect
    return "–" if effect is None else f"{effect:+.2f}"


def _wins(held: Held) -> str:
    each = held.difference
    return f"{each.wins}/{each.ties}/{each.losses}"


COLUMNS = (
    _Column("A", lambda held: percent(held.before)),
    _Column("B", lambda held: percent(held.after)),
    _Column("B−A", lambda held: points(held.difference.value)),
    _Column("95 %", interval),
    _Column("p", lambda held: chance(held.difference.p_holm)),
    _Column("d", _effect),
    _Column("W/T/L", _wins),
    _Column("80 %", _detectable),
)
"""Of every comparison, in this order."""


def _rows(shown: Sequence[Pair], found: Comparison) -> Table:
    with_cpu = any(each.cpu is not None for each in shown)
    table = _table(["", "row"], [*(each.title for each in COLUMNS), *(["CPU"] if with_cpu else [])])
    for pair in shown:
        cells = [sign(pair), plain(pair.label), *(each.value(pair.whole) for each in COLUMNS)]
        if with_cpu:
            cells.append("–" if pair.cpu is None else f"×{pair.cpu:.2f}")
        table.add_row(*map(Text, cells), style=_STYLES.get(pair.mark, ""))
    for label, reason in found.missing.items():
        cells = [Mark.NOT_COMPARABLE.sign, f"{plain(label)}: {plain(reason)}"]
        table.add_row(*map(Text, cells), style="dim")
    return table


def _slices(found: Sequence[tuple[Pair, Held]]) -> Table:
    several = len({pair.label for pair, _ in found}) > 1
    table = _table(["", "slice"], ["pages", *(each.title for each in COLUMNS)])
    for pair, held in found:
        name = f"{plain(pair.label)}, {plain(held.where)}" if several else plain(held.where)
        cells = [mark(held).sign, name, str(held.pages), *(each.value(held) for each in COLUMNS)]
        table.add_row(*map(Text, cells), style=_STYLES.get(mark(held), ""))
    return table


def _pages(pair: Pair, most: int) -> Table:
    table = _table(["page"], ["A", "B", "B−A"], ["outcome"])
    for each in pair.changes[:most]:
        outcomes = dict.fromkeys((each.outcome_before, each.outcome_after))
        cells = (
            _short(each.page),
            percent(each.before),
            percent(each.after),
            points(each.change),
            "" if set(outcomes) == {"ok"} else " → ".join(map(plain, outcomes)),
        )
        table.add_row(*map(Text, cells))
    return table


def _short(page_id: str) -> str:
    """Return a page's id, the end of a hash left out: every verb takes the beginning of an id."""
    page_id = plain(page_id)
    return page_id if len(page_id) <= _ID else f"{page_id[: _ID - 1]}…"


def _table(left: Sequence[str], right: Sequence[str], last: Sequence[str] = ()) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for titles, side in ((left, "left"), (right, "right"), (last, "left")):
        for title in titles:
            justify: Literal["left", "right"] = "left" if side == "left" else "right"
            # Names fold on a narrow terminal, numbers never do.
            fold = title in ("row", "slice", "page", "outcome")
            table.add_column(title, justify=justify, no_wrap=not fold, overflow="fold")
    return table
