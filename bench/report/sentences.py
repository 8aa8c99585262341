"""What a leaderboard says beside its numbers, the same in every medium."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from bench.scoring.leaderboard import UNRELIABLE, Leaderboard, Line
from bench.stats.estimate import FEW_PAGES, MIN_PAGES
from bench.util.display import NAME, cut, grouped, of_any_name, plain, without_paths
from bench.util.numbers import counted, percent

if TYPE_CHECKING:
    from bench.scoring.survey import Survey

_SHOWN = 3
_FOOTER = 80
"""Characters of a line below a leaderboard."""
_TITLE = 37
"""Characters of a metric's title there."""
_NOT_RANKED = {
    "site-specific": "rules were written for these sites",
    "ensemble": "made of other extractors' texts, at their cost",
}
SMOKE = (
    "This is a smoke and regression set written for the project: figures on it are no evidence "
    "about the web."
)


def heading(board: Leaderboard) -> str:
    """Name the data set and how many pages it has."""
    name, title = plain(board.gold["name"]), plain(board.gold["title"])
    shown = name if name == title else f"{name}: {title}"
    return f"{shown}, {board.gold['pages']} pages"


def not_run(board: Leaderboard | Survey) -> list[tuple[str, str]]:
    """Return what could not be run and why, all that have reason and remedy in common together.

    A remedy that ends in the extractor's own name is the same but for that name.
    """
    by_reason = grouped(
        ((missing.reason, of_any_name(missing.remedy, _extractor(missing.label))), missing.label)
        for missing in board.missing
    )
    return [
        (_together(labels), f"{without_paths(plain(reason))[:200]}; fix: {_remedy(remedy, labels)}")
        for (reason, remedy), labels in by_reason.items()
    ]


def _together(labels: Sequence[str]) -> str:
    """Name rows in one line: variants of one extractor as their number."""
    by_name = grouped((_extractor(label), label) for label in labels)
    return ", ".join(
        plain(variants[0] if len(variants) == 1 else f"{name} ({len(variants)} variants)")
        for name, variants in by_name.items()
    )


def _remedy(remedy: str, labels: Sequence[str]) -> str:
    names = dict.fromkeys(_extractor(label) for label in labels)
    if not remedy.endswith(NAME):
        return plain(remedy)[:200]
    return plain(remedy.removesuffix(NAME))[:200] + " " + plain(" ".join(names))


def _extractor(label: str) -> str:
    return label.partition("@")[0].partition("+")[0].partition(":")[0]


_TITLES = {"f1": "F1", "page_f1": "page F1"}
_SHORT = {
    "precision": "prec",
    "recall": "rec",
    "accuracy": "acc",
    "page_f1": "page\nF1",
    "similarity": "simil",
}


def title(figure: str) -> str:
    """Return how a figure is called."""
    return _TITLES.get(figure, figure)


def short_title(figure: str) -> str:
    """Return how a figure is called at the head of a narrow column."""
    return _SHORT.get(figure, title(figure))


def method(board: Leaderboard) -> str:
    """Say what the figures are."""
    metric = board.metric
    page_f1 = "page_f1" in metric.figures
    several = len(metric.figures) > 1
    return (
        f"{metric.title[:1].upper()}{metric.title[1:]}, in per cent; ±: half the 95 % interval"
        f"{f' of {title(metric.main)}' if several else ''} (AEB prints a standard deviation, half as "
        "much). #: one more than the rows that are significantly better; *: not distinguishable "
        "from the best (paired test on the same pages, Holm's correction, 5 %)."
        + (" Page F1 is the mean over all pages, where a failed page counts 0." if page_f1 else "")
    )


def footer(board: Leaderboard) -> list[str]:
    """Return what stands below a leaderboard on a terminal: two lines that fit 80 columns."""
    metric = board.metric.title.partition(" (")[0]
    figures = f"{cut(plain(metric), _TITLE)} in %; *: not distinguishable from the best"
    shorts = [plain(note.short) for note in _notes(board) if note.short]
    if not shorts:
        return [figures]
    lines = [
        f"Notes: {'; '.join([*shorts[:shown], *more])} (all: --markdown)"
        for shown in range(len(shorts) + 1)
        for more in [[f"{len(shorts) - shown} more"] if shown < len(shorts) else []]
    ]
    fitting = [line for line in lines if len(line) <= _FOOTER]
    return [figures, fitting[-1]]


def notes(board: Leaderboard) -> list[str]:
    """Return what a reader has to know before quoting a figure, one line each, gravest first."""
    return [without_paths(plain(note.text)) for note in _notes(board)]


class _Note(NamedTuple):
    text: str
    short: str = ""
    """In a few words, for a terminal; empty for what only explains a column."""


def _notes(board: Leaderboard) -> Iterator[_Note]:
    if board.gold["smoke"]:
        yield _Note(SMOKE, "smoke set")
    if board.mix:
        shares = [
            f"{name} {', '.join(f'{label} {percent(share)} %' for label, share in label_shares.items())}"
            for name, label_shares in board.mix.items()
        ]
        yield _Note(f"Pages are weighed to a mix: {'; '.join(shares)}.", "pages weighed to a mix")
    for at, warning in enumerate(board.warnings):
        short = counted(len(board.warnings), "warning") if at == 0 else ""
        yield _Note(f"Warning: {warning}.", short)
    pages = int(board.gold["pages"])
    labelled = max(
        (row.figures["page_f1"].pages for row in board.lines if "page_f1" in row.figures),
        default=pages,
    )
    if labelled < pages:
        some = f"{labelled} of {pages} pages"
        yield _Note(f"Scored on {some}: the others have no gold text.", f"gold of {some}")
    if not board.timings_ranked:
        yield _Note(
            f"Timings are {incomparable(board.machines)}: do not compare them.",
            "timings not comparable",
        )
    yield from _about_rows(board)
    yield from _evidence(board)
    if moved := board.moved_by_page_f1:
        ranked = sum(line.standing is not None for line in board.lines)
        label, place, by_page = moved[0]
        yield _Note(
            f"By page F1 the order differs for {len(moved)} of {ranked} (↑ ↓); most for {label}, "
            f"from place {place} to {by_page}.",
            "page F1 orders differently",
        )
    for kind, reason in _NOT_RANKED.items():
        if labels := [line.label for line in board.lines if line.kind == kind]:
            yield _Note(f"Not ranked, since {reason}: {', '.join(labels)}.")
    if any(line.variant_of for line in board.lines):
        yield _Note(
            "Variants stand under their program and are compared with it; --variants ranks them."
        )


def _about_rows(board: Leaderboard) -> Iterator[_Note]:
    """Yield what is to be known of single rows."""
    lines = board.lines
    if tuned := [line.label for line in lines if is_tuned_on(line, board.gold["name"])]:
        yield _Note(
            "Trained or tuned on this data set, or by its authors, so that figures may flatter: "
            f"{', '.join(tuned)}.",
            f"tuned on this set: {', '.join(tuned)}",
        )
    tried = [f"{line.label} ({line.network_attempts})" for line in lines if line.network_attempts]
    if tried:
        yield _Note(
            f"Tried to reach the network, which is blocked: {', '.join(tried)}.",
            f"network tried by {counted(len(tried), 'row')}",
        )
    for flag, meaning in _FLAGS.items():
        if labels := [line.label for line in lines if flag in line.flags.split()]:
            yield _Note(
                f"{meaning}: {', '.join(labels)}.",
                f"{flag} of {counted(len(labels), 'row')} doubtful",
            )
    if board.contradictions is not None:
        yield _contradictions(board.contradictions)
    if unreliable := [line.label for line in lines if line.competes and line.unreliable]:
        yield _Note(
            f"Failed on more than {UNRELIABLE * 100:.0f} % of pages, so that its cost is of the others "
            f"alone: {', '.join(unreliable)}.",
            f"{counted(len(unreliable), 'row')} failed often",
        )


def _evidence(board: Leaderboard) -> Iterator[_Note]:
    """Say how much so many pages can tell, as far as the verdict does not."""
    if board.labelled < MIN_PAGES:
        return
    if board.labelled < FEW_PAGES:
        yield _Note(
            f"Fewer than {FEW_PAGES} pages: intervals are somewhat too narrow.",
            "few pages: intervals are too narrow",
        )
    if board.detectable is not None:
        yield _Note(
            f"So many pages show a difference of {percent(board.detectable)} points between two "
            "good rows four times in five; of smaller ones most are missed."
        )


def tuned_on(line: Line) -> dict[str, str]:
    """Return the data sets a row was trained or tuned on, or whose authors it shares, and sources."""
    words = (word.partition("=") for word in line.tuned_on)
    return {plain(name): plain(url) for name, _, url in words}


def is_tuned_on(line: Line, data_set: str) -> bool:
    """Whether a row is tuned on a data set, on a part of it, or on what it is a part of."""
    return any(
        f"{one}:".startswith(f"{other}:")
        for name in tuned_on(line)
        for one, other in ((name, data_set), (data_set, name))
    )


_FLAGS = {
    "clock": "Reported less time than the harness or the kernel measured",
    "protocol": "Sent what the worker protocol does not allow",
}


def _contradictions(pages: Mapping[str, Sequence[str]]) -> _Note:
    if not pages:
        return _Note(
            "Every extractor returned the same texts when run twice more, in another order of pages."
        )
    parts = [
        f"{label} on {len(ids)} pages ({', '.join(ids[:_SHOWN])}"
        f"{', …' if len(ids) > _SHOWN else ''})"
        for label, ids in pages.items()
    ]
    text = f"Texts changed from one call to the next: {'; '.join(parts)}."
    return _Note(text, f"texts of {counted(len(pages), 'row')} changed between calls")


def incomparable(machines: int) -> str:
    """Return what timings are that are not ranked."""
    return (
        f"of {machines} different machines"
        if machines > 1
        else "contended (workers ran side by side)"
    )


def outcomes(counts: Mapping[str, int]) -> str:
    """Return the outcomes other than ok, the most frequent first: ``2 empty, 1 timeout``."""
    odd = sorted(((n, name) for name, n in counts.items() if n and name != "ok"), reverse=True)
    return ", ".join(f"{n} {name}" for n, name in odd)
