"""``python -m tests.perf.dorosz_search``: the search behind the settings of both Dorosz methods.

Reads the development pages of WCXB (``bench gold add wcxb``), no other set, and prints the tables
of docs/methods.md: precision, recall and F1 (4-gram) of each setting, in per cent. With a number N
only each N-th page is used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from statistics import fmean

import justext

from bench.datasets import catalogue
from bench.methods.dorosz import energy, links
from bench.methods.dorosz import tree as trees
from bench.methods.dorosz.tree import Tree
from bench.metrics.texts import shingles
from bench.metrics.texts.shingles import PageScore
from bench.worker.decode import decode

MEASURES = {
    "characters": cache(energy.characters),
    "words": cache(energy.words),
    "stop_words": cache(energy.words_in(justext.get_stoplist("English"))),
}
P = {
    energy.PROSE: (0, 1, 2, 4, 5, 6, 7, 8, 10, 15),
    energy.FORMULA: (4, 8, 10, 12, 14, 16, 20, 30),
}
SHARES = (0.5, 0.3, 0.2, 0.1, 0.05, 0.02)
LARGE = (5, 10, 20, 30, 40, 50, 60, 80)

Page = tuple[Tree, Callable[[str], PageScore]]
Figures = tuple[float, float, float]


def pages(every: int) -> list[Page]:
    """Parse the pages once; those without gold text are left out."""
    parsed = []
    data_set = catalogue.open_gold("wcxb")
    for page_id in data_set.ids[::every]:
        item = data_set.read(page_id)
        if item.gold.text is not None:
            html = decode(item.page.html, item.page.encoding)
            parsed.append((trees.parse(html), scorer(item.gold.text)))
    return parsed


def scorer(gold: str) -> Callable[[str], PageScore]:
    """Return a scorer that remembers: neighbours on the grid often return the same text."""
    return cache(lambda text: next(shingles.scores(gold, [text])))


def figures(texts: Iterable[str], all_pages: Sequence[Page]) -> Figures:
    """Return precision, recall and F1 as the leaderboard has them."""
    counts = [score(text) for text, (_, score) in zip(texts, all_pages, strict=True)]
    precision = fmean(page.tp / (page.tp + page.fp) for page in counts if page.tp + page.fp)
    recall = fmean(page.tp / (page.tp + page.fn) for page in counts if page.tp + page.fn)
    return precision, recall, 2 * precision * recall / ((precision + recall) or 1)


def table(
    head: Sequence[str],
    settings: Iterable[Sequence[object]],
    run: Callable[..., Iterable[str]],
    all_pages: Sequence[Page],
) -> None:
    """Print one line for each setting."""
    print("\n| " + " | ".join([*head, "precision", "recall", "F1"]) + " |")
    print("|" + "--:|" * (len(head) + 3))
    for setting in settings:
        cells = [
            *map(str, setting),
            *(f"{100 * figure:.1f}" for figure in figures(run(*setting), all_pages)),
        ]
        print("| " + " | ".join(cells) + " |", flush=True)


def main(every: int = 1) -> None:
    """Print the tables."""
    known = pages(every)
    print(f"{len(known)} pages of WCXB's development part")

    def of_energy(measure: str, reading: str, p: float, share: float = 1.0) -> Iterable[str]:
        for tree, _ in known:
            yield trees.main_text(tree, energy.ranked(tree, MEASURES[measure], reading, p), share)

    def of_links(large: int, share: float) -> Iterable[str]:
        for tree, _ in known:
            yield trees.main_text(tree, links.ranked(tree, large), share)

    head = ("measure", "reading", "p")
    for reading, grid in P.items():
        settings = [(measure, reading, p) for measure in MEASURES for p in grid]
        table(head, settings, of_energy, known)
    chosen = ("words", energy.PROSE, energy.P)
    table((*head, "share"), [(*chosen, share) for share in SHARES], of_energy, known)
    table(
        ("large", "share"),
        [(large, share) for share in (1.0, 0.1) for large in LARGE],
        of_links,
        known,
    )
    table(("large", "share"), [(links.LARGE, share) for share in SHARES], of_links, known)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
