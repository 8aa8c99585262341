"""What a leaderboard says beside its numbers, the same in every medium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.report.text import plain
from bench.scoring.leaderboard import Leaderboard

_SHOWN = 3
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
    """Return what could not be run and why, variants of one extractor together."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for each in board.missing:
        name = each.label.partition(":")[0]
        groups.setdefault((name, each.reason, each.remedy), []).append(each.label)
    return [
        (
            plain(labels[0] if len(labels) == 1 else f"{name} ({len(labels)} variants)"),
            f"{plain(reason)[:200]}; to mend: {plain(remedy)[:200]}",
        )
        for (name, reason, remedy), labels in groups.items()
    ]


def method(board: Leaderboard) -> str:
    """Say what the figures are."""
    return (
        f"Precision, recall, F1 and accuracy by {board.n}-grams, in per cent; ± is half the 95 % "
        f"interval of F1 ({board.resamples:,} bootstrap resamples of pages, seed {board.seed}). "
        "Page F1 is the mean over all pages, where a failed page counts 0."
    )


def notes(board: Leaderboard) -> list[str]:
    """Return what a reader has to know before quoting a figure, one line each."""
    return [plain(each) for each in _notes(board)]


def _notes(board: Leaderboard) -> list[str]:
    found = [SMOKE] if board.gold["smoke"] else []
    moved = board.moved_by_page_f1
    if moved:
        ranked = sum(line.rank is not None for line in board.lines)
        label, place, by_page = moved[0]
        found.append(
            f"By page F1 the order differs for {len(moved)} of {ranked}; most for {label}, "
            f"from place {place} to {by_page}."
        )
    if not board.timings_ranked:
        found.append("Timings are contended (workers ran side by side) and not to be compared.")
    if board.contradictions is not None:
        found.append(_contradictions(board.contradictions))
    tried = [
        f"{line.label} ({line.network_attempts})" for line in board.lines if line.network_attempts
    ]
    if tried:
        found.append(f"Tried to reach the network, in vain: {', '.join(tried)}.")
    found.extend(f"Warning: {each}." for each in board.warnings)
    return found


def _contradictions(pages: Mapping[str, Sequence[str]]) -> str:
    if not pages:
        return "Asked twice more and in another order of pages, every extractor said the same."
    parts = [
        f"{label} on {len(ids)} pages ({', '.join(ids[:_SHOWN])}"
        f"{', …' if len(ids) > _SHOWN else ''})"
        for label, ids in pages.items()
    ]
    return f"Texts changed when asked again: {'; '.join(parts)}."


def outcomes(counts: dict[str, int]) -> str:
    """Return the outcomes other than ok, the most frequent first: ``2 empty, 1 timeout``."""
    odd = sorted(((n, name) for name, n in counts.items() if n and name != "ok"), reverse=True)
    return ", ".join(f"{n} {name}" for n, name in odd)
