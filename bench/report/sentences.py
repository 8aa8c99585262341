"""What a leaderboard says beside its numbers, the same in every medium."""

from collections.abc import Iterator, Mapping, Sequence

from bench.scoring.leaderboard import UNRELIABLE, Leaderboard, Line
from bench.stats.figure import FEW_PAGES, MIN_PAGES
from bench.util.display import plain
from bench.util.numbers import percent

_SHOWN = 3
_NAME = "NAME"
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


def not_run(board: Leaderboard) -> list[tuple[str, str]]:
    """Return what could not be run and why, all that have reason and remedy in common together.

    A remedy that ends in the extractor's own name is the same but for that name.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for each in board.missing:
        name = _extractor(each.label)
        remedy = each.remedy
        if remedy.endswith(f" {name}"):
            remedy = f"{remedy.removesuffix(name)}{_NAME}"
        groups.setdefault((each.reason, remedy), []).append(each.label)
    return [
        (_together(labels), f"{plain(reason)[:200]}; fix: {_remedy(remedy, labels)}")
        for (reason, remedy), labels in groups.items()
    ]


def _together(labels: Sequence[str]) -> str:
    """Name rows in one line: variants of one extractor as their number."""
    by_name: dict[str, list[str]] = {}
    for label in labels:
        by_name.setdefault(_extractor(label), []).append(label)
    return ", ".join(
        plain(own[0] if len(own) == 1 else f"{name} ({len(own)} variants)")
        for name, own in by_name.items()
    )


def _remedy(remedy: str, labels: Sequence[str]) -> str:
    names = dict.fromkeys(_extractor(label) for label in labels)
    if not remedy.endswith(_NAME):
        return plain(remedy)[:200]
    return plain(remedy.removesuffix(_NAME))[:200] + " " + plain(" ".join(names))


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


def notes(board: Leaderboard) -> list[str]:
    """Return what a reader has to know before quoting a figure, one line each."""
    return [plain(note) for note in _notes(board)]


def _notes(board: Leaderboard) -> list[str]:
    notes = [SMOKE] if board.gold["smoke"] else []
    moved = board.moved_by_page_f1
    if moved:
        ranked = sum(line.standing is not None for line in board.lines)
        label, place, by_page = moved[0]
        notes.append(
            f"By page F1 the order differs for {len(moved)} of {ranked} (↑ ↓); most for {label}, "
            f"from place {place} to {by_page}."
        )
    notes += _evidence(board)
    if any(line.variant_of for line in board.lines):
        notes.append(
            "Variants stand under their program and are compared with it; --variants ranks them."
        )
    unreliable = [line.label for line in board.lines if line.competes and line.unreliable]
    if unreliable:
        notes.append(
            f"Failed on more than {UNRELIABLE * 100:.0f} % of pages, so that its cost is of the others "
            f"alone: {', '.join(unreliable)}."
        )
    notes += _left_out(board)
    if not board.timings_ranked:
        notes.append(f"Timings are {board.incomparable}: do not compare them.")
    if board.contradictions is not None:
        notes.append(_contradictions(board.contradictions))
    attempts = [
        f"{line.label} ({line.network_attempts})" for line in board.lines if line.network_attempts
    ]
    if attempts:
        notes.append(f"Tried to reach the network, which is blocked: {', '.join(attempts)}.")
    for flag, meaning in _FLAGS.items():
        labels = [line.label for line in board.lines if flag in line.flags.split()]
        if labels:
            notes.append(f"{meaning}: {', '.join(labels)}.")
    notes.extend(f"Warning: {warning}." for warning in board.warnings)
    return notes


def _left_out(board: Leaderboard) -> Iterator[str]:
    for kind, reason in _NOT_RANKED.items():
        labels = [line.label for line in board.lines if line.kind == kind]
        if labels:
            yield f"Not ranked, since {reason}: {', '.join(labels)}."
    tuned = [line.label for line in board.lines if is_tuned_on(line, board.gold["name"])]
    if tuned:
        yield (
            f"Trained or tuned on this data set, or by its authors, so that figures may flatter: "
            f"{', '.join(tuned)}."
        )


def _evidence(board: Leaderboard) -> list[str]:
    """Say how much so many pages can tell."""
    pages = max((line.figures[board.metric.main].pages for line in board.lines), default=0)
    if pages < MIN_PAGES:
        return [f"Fewer than {MIN_PAGES} pages: too few for intervals and comparisons."]
    notes = []
    if board.detectable is not None:
        notes.append(
            f"So many pages show a difference of {percent(board.detectable)} points between two "
            "good rows four times in five; of smaller ones most are missed."
        )
    if pages < FEW_PAGES:
        notes.append(f"Fewer than {FEW_PAGES} pages: intervals are somewhat too narrow.")
    return notes


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
    "clock": "Reported less time than the harness or the kernel measured, which counts",
    "protocol": "Sent what the worker protocol does not allow",
}


def _contradictions(pages: Mapping[str, Sequence[str]]) -> str:
    if not pages:
        return "Every extractor returned the same texts when run twice more, in another order of pages."
    parts = [
        f"{label} on {len(ids)} pages ({', '.join(ids[:_SHOWN])}"
        f"{', …' if len(ids) > _SHOWN else ''})"
        for label, ids in pages.items()
    ]
    return f"Texts changed from one call to the next: {'; '.join(parts)}."


def cpu_ms(line: Line) -> float | None:
    """Return the mean CPU time of a page in milliseconds; None where none was measured."""
    return (
        line.cost.cpu_s / max(1, line.cost.answered) * 1000
        if line.cost and line.cost.cpu_s
        else None
    )


def outcomes(counts: Mapping[str, int]) -> str:
    """Return the outcomes other than ok, the most frequent first: ``2 empty, 1 timeout``."""
    odd = sorted(((n, name) for name, n in counts.items() if n and name != "ok"), reverse=True)
    return ", ".join(f"{n} {name}" for n, name in odd)
