"""Where extractors agree: overlap of their texts, what all of them find together, and the oracle.

Texts are compared by their distinct n-grams of words (shingles, ``bench.metrics.texts.shingles``). The
overlap of two texts is Jaccard's |A ∩ B| / |A ∪ B| (Broder 1997, resemblance), 1 for two empty
texts; the overlap of two rows is its mean over pages. The union finds a gold n-gram that any row
finds. The oracle picks, page by page, the row with the highest score: the ceiling of any way to
choose among these rows.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bench.metrics.texts import tokens
from bench.metrics.texts.tokens import Unit
from bench.stats.figure import Floats
from bench.stats.paired import TIE

Ints = npt.NDArray[np.int64]
Numbers = Sequence[int] | npt.NDArray[np.uint32]
"""A text's tokens, each different one with its own number from 1 on."""
WORDS = 2**15
"""Below so many different words, four are one integer whatever other texts there are."""


class PageOverlap(NamedTuple):
    """How the texts of one page overlap."""

    pairs: Floats
    """Shape (rows, rows), each from 0 to 1."""
    union: float
    """Share of the gold's distinct n-grams that at least one text has; NaN without gold."""
    common: float
    """Share that every text has; NaN without gold."""


class Shingles(NamedTuple):
    """Which of the distinct n-grams of a page's texts each of them has."""

    grams: Ints
    """As integers that are equal where n-grams are; of up to ``WORDS`` words, in any other too."""
    there: npt.NDArray[np.bool_]
    """Shape (texts, n-grams)."""

    @classmethod
    def none(cls) -> "Shingles":
        """Return those of no text."""
        return cls(np.zeros(0, np.int64), np.zeros((0, 0), bool))

    def of(self, texts: Sequence[int]) -> "Shingles":
        """Return those of some of the texts."""
        if list(texts) == list(range(len(self.there))):
            return self
        there = self.there[texts]
        had = there.any(axis=0)
        return Shingles(self.grams[had], there[:, had])

    def with_texts(self, texts: Sequence[Numbers], n: int = 4) -> "Shingles":
        """Return those of these texts as well."""
        import pandas as pd

        codes, sizes = _numbered(texts, n, WORDS)
        places, different = pd.factorize(np.concatenate([self.grams, codes]))
        before, known = self.there.shape
        there = np.zeros((before + len(texts), len(different)), bool)
        there[:before, :known] = self.there
        there[np.repeat(np.arange(before, len(there)), sizes), places[known:]] = True
        return Shingles(different, there)


def of_page(gold: str | None, texts: Sequence[str], n: int = 4, unit: Unit = "word") -> PageOverlap:
    """Return how some texts of a page overlap each other, and together cover its gold."""
    numbers: defaultdict[str, int] = defaultdict(count(1).__next__)
    different = list(dict.fromkeys(texts))
    numbered = [list(map(numbers.__getitem__, tokens.of(text, unit))) for text in different]
    wanted = list(map(numbers.__getitem__, tokens.of(gold or "", unit)))
    shingles = Shingles.none().with_texts([wanted, *numbered], n)
    return of_shingles(shingles, [1 + different.index(text) for text in texts])


def of_shingles(shingles: Shingles, rows: Sequence[int]) -> PageOverlap:
    """Return the same for texts of which the first is the gold; ``rows`` are places of others."""
    texts = list(dict.fromkeys(rows))
    there, wanted = shingles.there[texts], shingles.there[0]
    ones = there.astype(np.float32)
    shared = ones @ ones.T
    sizes = shared.diagonal()
    either = sizes[:, None] + sizes[None, :] - shared
    pairs = np.divide(shared, either, out=np.ones_like(shared), where=either > 0)
    size = int(wanted.sum())
    union = common = float("nan")
    if size and texts:
        of_gold = there[:, wanted]
        union = int(of_gold.any(axis=0).sum()) / size
        common = int(of_gold.all(axis=0).sum()) / size
    places = [texts.index(row) for row in rows]
    return PageOverlap(pairs[np.ix_(places, places)].astype(np.float64), union, common)


def counts(texts: Sequence[Numbers], n: int) -> npt.NDArray[np.float32]:
    """Return how often each text has each n-gram that any has, shape (texts, n-grams)."""
    import pandas as pd  # not at the top: it takes its time

    codes, sizes = _numbered(texts, n)
    places, different = pd.factorize(codes)  # by hashing: several times quicker than by sorting
    shape = (len(texts), len(different))
    cells = np.repeat(np.arange(len(texts)), sizes) * len(different) + places
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float32)


def _numbered(texts: Sequence[Numbers], n: int, words: int = 1) -> tuple[Ints, list[int]]:
    """Return every text's n-grams, text after text, as integers that are equal where they are.

    And how many each text has. ``words`` is their least base.
    """
    import pandas as pd

    # A text shorter than n has one shingle of its own length: 0, which is no word, fills it up.
    padded = [np.pad(own, (0, n - len(own))) if 0 < len(own) < n else own for own in texts]
    numbers = np.concatenate([np.zeros(0, np.int64), *padded]).astype(np.int64)
    words = max(words, 1 + int(numbers.max(initial=0)))
    size = max(0, numbers.size - n + 1)
    code, base = numbers[:size], words
    for place in range(1, n):
        if base > 2**62 // words:
            places, different = pd.factorize(code)
            code, base = places.astype(np.int64), len(different)
        code = code * words + numbers[place : place + size]
        base *= words
    starts = accumulate(map(len, padded), initial=0)
    sizes = [max(0, len(own) - n + 1) for own in padded]
    # But for those that begin in one text and end in another.
    own_codes = [code[start : start + own] for start, own in zip(starts, sizes, strict=False)]
    return np.concatenate([code[:0], *own_codes]), sizes


class Gathered:
    """Overlaps, summed page by page; sums of several processes can be added up."""

    def __init__(self, rows: int) -> None:
        self._pairs = np.zeros((rows, rows))
        self._pages = 0
        self._union: list[float] = []
        self._common: list[float] = []

    def add(self, page: PageOverlap) -> None:
        """Count one page."""
        self._pairs += page.pairs
        self._pages += 1
        self._union.append(page.union)
        self._common.append(page.common)

    def join(self, other: "Gathered") -> None:
        """Count the pages that another one has counted."""
        self._pairs += other._pairs
        self._pages += other._pages
        self._union += other._union
        self._common += other._common

    @property
    def overlap(self) -> Floats:
        """Mean overlap of each two rows, shape (rows, rows)."""
        return self._pairs / max(1, self._pages)

    @property
    def union(self) -> float | None:
        """Mean share of the gold that at least one row finds; None without gold."""
        return _mean(self._union)

    @property
    def common(self) -> float | None:
        """Mean share of the gold that every row finds; None without gold."""
        return _mean(self._common)


def _mean(values: Sequence[float]) -> float | None:
    known = [each for each in values if not np.isnan(each)]
    return float(np.mean(known)) if known else None


@dataclass(frozen=True)
class Oracle:
    """The best row of each page, and who it is how often."""

    value: float | None
    """Mean over pages of the highest score; None where no page has one."""
    single: float | None
    """The highest mean of any one row, over the same pages."""
    best: int | None
    """That row's place."""
    pages: int
    """Pages on which any row has a score."""
    alone: tuple[int, ...]
    """For each row, pages on which it is better than every other row."""
    shared: tuple[int, ...]
    """For each row, pages on which it is best together with others."""
    all_same: int
    """Pages on which every row has the same score."""
    chosen: tuple[tuple[int, float], ...]
    """The row that adds most to those before it, and the oracle's value with it: greedy, best first."""


def oracle(scores: Floats, few: int = 5) -> Oracle:
    """Return the oracle over page scores of shape (rows, pages); NaN where a page does not count.

    ``few`` is how many rows are chosen greedily.
    """
    rows = scores.shape[0]
    there = ~np.isnan(scores).all(axis=0) if rows else np.zeros(scores.shape[1], bool)
    known = np.nan_to_num(scores[:, there])
    pages = int(there.sum())
    if not pages:
        nothing = (0,) * rows
        return Oracle(None, None, None, 0, nothing, nothing, 0, ())
    top = known.max(axis=0)
    best = known >= top - TIE
    winners = best.sum(axis=0)
    means = known.mean(axis=1)
    return Oracle(
        value=float(top.mean()),
        single=float(means.max()),
        best=int(means.argmax()),
        pages=pages,
        alone=tuple(int(n) for n in (best & (winners == 1)).sum(axis=1)),
        shared=tuple(int(n) for n in (best & (winners > 1)).sum(axis=1)),
        all_same=int((winners == rows).sum()) if rows > 1 else 0,
        chosen=_greedy(known, few),
    )


def _greedy(known: Floats, few: int) -> tuple[tuple[int, float], ...]:
    reached = np.zeros(known.shape[1])
    chosen: list[tuple[int, float]] = []
    while len(chosen) < min(few, known.shape[0]):
        values = np.maximum(known, reached).mean(axis=1)
        for row, _ in chosen:
            values[row] = -1.0
        row = int(values.argmax())
        if chosen and values[row] <= chosen[-1][1] + TIE:
            break
        reached = np.maximum(reached, known[row])
        chosen.append((row, float(values[row])))
    return tuple(chosen)


def correlations(scores: Floats) -> Floats:
    """Return Pearson's correlation of each two rows' page scores, shape (rows, rows).

    Over the pages that both have; NaN where one of them has the same score on every page.
    """
    rows = scores.shape[0]
    found = np.full((rows, rows), np.nan)
    for a in range(rows):
        for b in range(a, rows):
            both = ~np.isnan(scores[a]) & ~np.isnan(scores[b])
            x, y = scores[a, both], scores[b, both]
            if x.size > 1 and np.ptp(x) > TIE and np.ptp(y) > TIE:
                found[a, b] = found[b, a] = float(np.corrcoef(x, y)[0, 1])
    return found
