"""The outcome of a check: the verdict, then why, then the worst pages, then where to see more."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from bench.report import sentences, text_diff
from bench.report.document import (
    MARKDOWN,
    TERMINAL,
    Block,
    Column,
    Details,
    Heading,
    Items,
    Only,
    Paragraph,
    Row,
    Table,
    table,
)
from bench.scoring.compare import changes
from bench.scoring.compare.causes import Cause
from bench.scoring.compare.changes import PageChange
from bench.scoring.compare.check import CANNOT_COMPARE, PASSED, Checked
from bench.scoring.compare.current_run import CurrentRun
from bench.scoring.compare.regressions import Kind, RowChecked
from bench.scoring.compare.row_scores import RowScores
from bench.scoring.compare.verdicts import Verdict
from bench.util.display import cut, grouped, plain
from bench.util.numbers import counted, percent, points, points_interval

PAGES = 5
"""Pages shown for each row on a terminal, unless more are asked for."""
_PAGES_WRITTEN = 10
_FOLDED = 2
"""Slices named of those that lost the same pages."""
_ID = 32
"""Letters of a page's id: every verb takes the beginning of one."""
_EXCERPT = 60
"""Letters of what was lost on a page."""
NARROW = ("rule", "head")
"""How its Markdown is written."""
_STYLES = {
    Verdict.WORSE: "red",
    Verdict.FAILING: "red",
    Verdict.BETTER: "green",
    Verdict.FIXED: "green",
}


def document(
    checked: Checked, *, pages: int = PAGES, all_rows: bool = False, updated: bool | None = None
) -> Iterator[Block]:
    """Yield the outcome: the verdict and the overall change, causes, worst pages, commands.

    ``updated`` says of an update whether the baseline was written; None for a check.
    """
    changed = [row for row in checked.rows if row.verdict is not Verdict.SAME]
    shown = checked.rows if all_rows else changed
    verdict = _verdict(checked, updated)
    good = checked.status == PASSED if updated is None else updated
    yield Only(MARKDOWN, [Heading(f"bench check: {verdict}")])
    yield Only(TERMINAL, [Paragraph(verdict, "bold green" if good else "bold red")])
    metric = checked.current.metric
    others = list(checked.against.values()) or ["the baseline"]
    yield Paragraph(
        f"{plain(checked.current.gold)}, {counted(len(checked.current.pages), 'page')}, "
        f"{sentences.title(metric.main)} ({metric.name}), compared with "
        f"{others[0] if len(others) == 1 else 'rows of the same run'}"
    )
    if shown:
        yield Only(MARKDOWN, [table(_OF_ROW, shown)])
    for row in shown:
        yield Only(TERMINAL, _lines(checked, row, pages))
        yield Only(MARKDOWN, _sections(checked, row))
    if checked.missing:
        lines = [f"{label}: {reason}" for label, reason in checked.missing.items()]
        yield Only(MARKDOWN, [Paragraph("Not compared:")])
        sign = f"{Verdict.NOT_COMPARABLE.sign} "
        yield Only(TERMINAL, [Items(["", *[f"{sign}not compared: {line}" for line in lines]], "")])
        yield Only(MARKDOWN, [Items(lines)])
    if commands := _commands(checked):
        yield Only(TERMINAL, [Paragraph(""), Paragraph("More:")])
        yield Only(MARKDOWN, [Paragraph("More:")])
        yield Items(commands, bullet="  ")
    same = len(checked.rows) - len(shown)
    rest = (
        [f"{counted(same, 'row')} unchanged on every page; --all-rows shows them"] if same else []
    )
    yield Only(TERMINAL, [Paragraph(""), Items([*rest, *_notes(checked)], bullet="", style="dim")])
    rest = [f"{counted(same, 'row')} unchanged on every page"] if same else []
    yield Only(MARKDOWN, [Details("How it was judged", [Items([*rest, *_notes(checked)])])])


def refusal(reason: str) -> list[Block]:
    """Return what is written where nothing could be compared."""
    return [Heading("bench check: CANNOT COMPARE"), Paragraph(reason)]


def accepted(current: CurrentRun, wanted: Sequence[str]) -> Iterator[Block]:
    """Yield what a new baseline accepts: each row's figure, and its pages without an answer."""
    metric = current.metric
    yield Paragraph(
        f"{plain(current.gold)}, {counted(len(current.pages), 'page')}: accepted as they are",
        "bold",
    )
    regions = changes.regions(len(current.pages), {})

    def figure(row: RowScores) -> str:
        return percent(changes.figures(metric, current.pages, row, regions).get(changes.ALL), 2)

    yield table(
        [
            (Column("row", "left", fold=1), lambda row: row.label),
            (Column("version", "left", fold=1), lambda row: row.version or "–"),
            (Column(sentences.title(metric.main)), figure),
            (Column("failed"), lambda row: str(row.failed.sum() or "")),
            (Column("empty"), lambda row: str((row.outcomes == "empty").sum() or "")),
        ],
        [current.rows[label] for label in wanted],
        lambda row: "yellow" if row.failed.any() or (row.outcomes == "empty").any() else "",
    )


def cause_text(cause: Cause) -> str:
    """Return a cause as one line, with the slices that say the same."""
    text = cause.regression.text
    if cause.regression.kind not in (Kind.FAILING, Kind.EMPTY, Kind.PAGE):
        text = f"{cause.regression.kind}: {text}"
    if not cause.folded:
        return plain(text)
    named = [one.where for one in cause.folded[:_FOLDED]]
    more = len(cause.folded) - len(named)
    rest = f" and {counted(more, 'slice')} more" if more else ""
    return plain(f"{text}; with it {', '.join(named)}{rest}")


def page_lines(checked: Checked, label: str, pages: Sequence[PageChange], most: int) -> list[str]:
    """Return pages with both scores and the words lost and gained, two lines each where known."""
    lines = []
    for change in pages[:most]:
        words = _words(checked, label, change.page)
        before = _score(change.before, change.outcome_before)
        after = _score(change.after, change.outcome_after)
        counts = f"  {words.counts}" if words else ""
        lines.append(f"{cut(plain(change.page), _ID)}  {before} → {after}{counts}")
        if words and words.excerpt:
            lines.append(f"    {words.excerpt}")
    more = len(pages) - min(most, len(pages))
    return [*lines, f"and {counted(more, 'page')} more; --pages N shows them"] if more else lines


class _WordChange(NamedTuple):
    """What a page's text lost and gained."""

    lost: int
    gained: int
    excerpt: str
    """The longest stretch that was lost, or else gained."""

    @property
    def counts(self) -> str:
        return f"-{self.lost:,} +{self.gained:,} words"


def _words(checked: Checked, label: str, page: str) -> _WordChange | None:
    """Return how a page's text changed; None where the old one was not kept."""
    before = checked.texts_before.get(label, {}).get(page)
    after = checked.texts_after.get(label, {}).get(page)
    if before is None or after is None:
        return None
    diff = text_diff.Diff.of(before, after)
    texts = grouped((span.kind, span.text) for span in diff.spans() if span.text.strip())
    excerpts = [
        f"{word}: {cut(plain(max(texts[kind], key=len)), _EXCERPT)}"
        for kind, word in ((text_diff.MISSING, "lost"), (text_diff.SURPLUS, "gained"))
        if kind in texts
    ]
    lost, gained = diff.words(text_diff.MISSING), diff.words(text_diff.SURPLUS)
    return _WordChange(lost, gained, excerpts[0] if excerpts else "")


def _verdict(checked: Checked, updated: bool | None) -> str:
    """Return the outcome as one line, in words that agree with the exit status."""
    rows = counted(len(checked.rows), "row")
    worse = [row for row in checked.rows if row.regressions]
    if updated is not None:
        accepted = f", accepting {counted(len(worse), 'row')} that became worse" if worse else ""
        return (
            f"UPDATED: {rows}{accepted}" if updated else "NOT UPDATED: it would lower the baseline"
        )
    if len(worse) == 1:
        of = f" (1 of {rows})" if len(checked.rows) > 1 else ""
        return f"FAILED: {plain(worse[0].label)}: {_loss(checked, worse[0])}{of}"
    if worse:
        return f"FAILED: {len(worse)} of {rows} became worse"
    if checked.status == CANNOT_COMPARE:
        return f"CANNOT COMPARE: {counted(len(checked.missing), 'row')} could not be compared"
    return f"PASSED: no regression in {rows}"


def _loss(checked: Checked, row: RowChecked) -> str:
    """Return the worst that happened to a row, in a few words."""
    first = checked.causes[row.label][0]
    value = row.whole.difference.value
    if first.regression.kind is Kind.QUALITY and value is not None:
        before, after = percent(row.whole.before, 2), percent(row.whole.after, 2)
        figure = sentences.title(checked.current.metric.main)
        return f"{figure} {before} → {after}, {points(value, 2)} points"
    return plain(first.regression.text)


def _lines(checked: Checked, row: RowChecked, pages: int) -> Iterator[Block]:
    """Yield a row with its causes and its worst pages, for a terminal."""
    yield Paragraph("")
    style = _STYLES.get(row.verdict, "")
    for at, line in enumerate(_row(checked, row)):
        yield Paragraph(line, style, indent=2 * at)
    causes = checked.causes.get(row.label, [])
    for cause in causes:
        yield Paragraph(cause_text(cause), "red", indent=2)
    below = [
        f"{plain(where)} {percent(floor)} to {percent(value)}"
        for where, (floor, value) in row.below_floor.items()
        if where not in {regression.where for regression in row.regressions}
    ]
    if below and row.verdict is not Verdict.SAME:
        more = [f"{len(below) - PAGES} more"] if len(below) > PAGES else []
        listed = ", ".join([*below[:PAGES], *more])
        yield Paragraph(f"lower, without significant difference: {listed}", "yellow", indent=2)
    if causes and (worst := _worst(row)):
        yield Paragraph("worst pages", indent=2)
        for line in page_lines(checked, row.label, worst, pages):
            yield Paragraph(line, indent=6 if line.startswith(" ") else 4)


def _worst(row: RowChecked) -> list[PageChange]:
    """Return the pages to blame, the greatest loss first; newly failing and empty ones among them."""
    return [
        change for change in row.changes if change.change < 0 or change.failing or change.emptied
    ]


def _row(checked: Checked, row: RowChecked) -> list[str]:
    """Return a row's verdict, and its figures, as two lines."""
    whole, difference = row.whole, row.whole.difference
    before, after = plain(row.before.version or ""), plain(row.after.version or "")
    version = after if before == after else f"{before or '?'} → {after or '?'}"
    cost = "" if row.cost is None else f"  cost {row.cost.growth:+.0%}"
    if row.cost is not None and row.cost.again is not None:
        cost += f", again {row.cost.again:+.0%}"
    interval = "" if difference.lo is None else points_interval(difference.lo, difference.hi, 2)
    figure = sentences.title(checked.current.metric.main)
    return [
        f"{row.verdict.sign} {f'{plain(row.label)} {version}'.rstrip()}: {row.verdict.value}",
        f"{figure} {percent(whole.before, 2)} → {percent(whole.after, 2)}  "
        f"{f'{points(difference.value, 2)} {interval}'.rstrip()}  {difference.counts} "
        f"won/tied/lost{cost}",
    ]


def _commands(checked: Checked) -> list[str]:
    """Return what to type to see more of the first row that is worse."""
    worse = [row for row in checked.rows if row.regressions]
    if not worse or checked.current.run is None:
        return []
    row, run = worse[0], checked.current.run
    words = []
    if worst := _worst(row):
        page = cut(worst[0].page, _ID).removesuffix("…")
        against = ["--against", checked.against[row.label]] if row.label in checked.against else []
        words.append(["bench", "show", page, row.label, *against, "--run", run])
    if row.label in checked.against:
        sides = [f"{run}/{label}" for label in (checked.against[row.label], row.label)]
        words.append(["bench", "compare", *sides, "--html", "changes.html"])
    return list(map(shlex.join, words))


def _score(value: float | None, outcome: str) -> str:
    return percent(value) if outcome == "ok" else f"{percent(value)} ({plain(outcome)})"


def _sections(checked: Checked, row: RowChecked) -> Iterator[Block]:
    """Yield a row with its causes, and its pages won and lost folded away, for a pull request."""
    yield Heading(plain(row.label), 3)
    if causes := checked.causes.get(row.label, []):
        yield Items([cause_text(cause) for cause in causes])
    lost = _worst(row)
    won = [change for change in reversed(row.changes) if change.change > 0]
    for title, changed in (("worse", lost), ("better", won)):
        if changed:
            yield Details(
                f"{counted(len(changed), 'page')} {title}",
                list(_pages(checked, row.label, changed)),
            )
    if other := len(row.changes) - len(lost) - len(won):
        yield Paragraph(f"{counted(other, 'page')} changed and score the same.")


def _pages(checked: Checked, label: str, pages: Sequence[PageChange]) -> Iterator[Block]:
    lines = []
    for change in pages[:_PAGES_WRITTEN]:
        words = _words(checked, label, change.page)
        both = [percent(change.before), percent(change.after)]
        counts = (
            ["–", "–", ""] if words is None else [str(words.lost), str(words.gained), words.excerpt]
        )
        ended = change.outcomes if change.outcome_before != change.outcome_after else counts[2]
        lines.append(Row([change.page, *both, *counts[:2], ended]))
    yield Table(_OF_PAGE, lines)
    if len(pages) > _PAGES_WRITTEN:
        yield Paragraph(f"and {len(pages) - _PAGES_WRITTEN} more")


def _interval(row: RowChecked) -> str:
    lo, hi = row.whole.difference.lo, row.whole.difference.hi
    return "–" if lo is None or hi is None else f"{points(lo, 2)} to {points(hi, 2)}"


_OF_ROW: Sequence[tuple[Column, Callable[[RowChecked], str]]] = (
    (Column("", "left"), lambda row: row.verdict.value),
    (Column("row", "left"), lambda row: row.label),
    (Column("before"), lambda row: percent(row.whole.before, 2)),
    (Column("after"), lambda row: percent(row.whole.after, 2)),
    (Column("difference"), lambda row: points(row.whole.difference.value, 2)),
    (Column("95 %"), _interval),
    (Column("won/tied/lost"), lambda row: row.whole.difference.counts),
    (Column("cost"), lambda row: "–" if row.cost is None else f"{row.cost.growth:+.0%}"),
)
_OF_PAGE = (
    Column("page", "left"),
    Column("before"),
    Column("after"),
    Column("words lost"),
    Column("gained"),
    Column("", "left"),
)


def _notes(checked: Checked) -> Iterator[str]:
    """Yield how it was judged, one line each."""
    if checked.not_checked:
        rows_left = counted(len(checked.not_checked), "row")
        named = ", ".join(map(plain, checked.not_checked[:PAGES]))
        more = ", …" if len(checked.not_checked) > PAGES else ""
        yield f"{rows_left} of the baseline not asked for: {named}{more}"
    yield from map(plain, checked.notes)
    if checked.causes and not any(checked.texts_before.values()):
        yield "The baseline keeps no texts; with --update --with-texts it shows lost words."
    rules = checked.rules
    yield (
        f"Fails: a loss over {percent(rules.epsilon)} points, or over {percent(rules.least)} (slices "
        f"too) and significant (5 %, Holm over {checked.comparisons}); a page over "
        f"{percent(rules.page_loss)}, or {rules.few_pages} over {percent(rules.few_loss)} each."
    )
    if costs := [row.cost for row in checked.rows if row.cost is not None]:
        grown = [cost.growth for cost in costs]
        low, high = min(cost.lo for cost in costs), max(cost.hi for cost in costs)
        yield (
            f"CPU time over the control's changed by {min(grown):+.0%} to {max(grown):+.0%} (95 % "
            f"intervals over pages {low:+.0%} to {high:+.0%}); beyond "
            f"{rules.cost_tolerance:+.0%}, measured twice, it counts."
        )
    for row in checked.rows:
        if small := row.small_slices(rules):
            named = ", ".join(
                f"{plain(region.where)} {points(region.difference.value)}" for region in small
            )
            yield f"Warning: {plain(row.label)} lost on slices too small to test: {named}."
    if sizes := [size for row in checked.rows if (size := row.detectable) is not None]:
        yield (
            f"Losses as uneven as these are found four times in five from "
            f"{percent(max(sizes), 2)} points."
        )
