"""The paper's claim, that frequency tells words from glued ones the better the larger a corpus is.

Cadavid Rengifo, Gómez Perdomo (2009), tables II and III: after 300 links a glued form is as frequent
as *gramática*, after 2,000 the word is ten times as frequent as its most frequent glued form.

Without the pages, glued words are guessed from the whole corpus, once for all sizes: a form is glued
that is two of its words run together, each of four letters or more and more frequent than the form.
That takes compounds (*keyboard*) for glued, and misses what is glued to short words.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bench.corpus import words
from bench.corpus.store import TEXT, Store
from bench.model import UsageError

LETTERS = 4
"""Of each part of a glued form."""


@dataclass(frozen=True)
class Size:
    """What a corpus was after some texts."""

    texts: int
    words: int
    distinct_words: int
    glued: int
    """Glued forms that have occurred."""
    ratio: float | None
    """How often the rarer of a form's two words has occurred for each time that the form has:
    the median over the forms; None where there is none."""
    below: float | None
    """Share of the forms that are at most a tenth as frequent as either of their words."""


def growth(store: Store, sizes: Sequence[int]) -> list[Size]:
    """Return the corpus after so many texts, and as it is. Raises ``UsageError`` for too many."""
    ends = store.ends()
    if not ends or max(sizes, default=0) > len(ends):
        raise UsageError(f"--at: {store.folder} has {len(ends)} texts; give no more")
    parts = _glued(dict(store.words()))
    wanted = sorted({*sizes, len(ends)})
    counts: Counter[str] = Counter()
    after = []
    for number, text in enumerate(_texts(store, ends), 1):
        counts.update(words.words(text))
        if number in wanted:
            after.append(_size(number, counts, parts))
    return after


def _glued(frequencies: Mapping[str, int]) -> dict[str, tuple[str, str]]:
    """Return the two words of each form that looks glued: of several pairs the most frequent."""
    parts = {}
    for form, frequency in frequencies.items():
        cuts = range(LETTERS, len(form) - LETTERS + 1)
        pairs = ((form[:cut], form[cut:]) for cut in cuts)
        rarer = {pair: min(frequencies.get(part, 0) for part in pair) for pair in pairs}
        best = max(rarer, key=rarer.__getitem__, default=None)
        if best is not None and rarer[best] > frequency:
            parts[form] = best
    return parts


def _size(texts: int, counts: Counter[str], parts: Mapping[str, tuple[str, str]]) -> Size:
    ratios = [
        min(counts[first], counts[second]) / counts[form]
        for form, (first, second) in parts.items()
        if counts[form]
    ]
    below = sum(ratio >= 10 for ratio in ratios) / len(ratios) if ratios else None
    ratio = median(ratios) if ratios else None
    return Size(texts, counts.total(), len(counts), len(ratios), ratio, below)


def _texts(store: Store, ends: Sequence[int]) -> Iterator[str]:
    with (store.folder / TEXT).open("rb") as file:
        for end in ends:
            yield file.read(end - file.tell()).decode()
