"""What can be said of some extractors' texts of one page without gold.

All figures compare texts with each other, or with the page's own text. Programs of one family
(variants, ports of one algorithm) are one opinion: what several of them return counts once.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bench.datasets.lint import grams
from bench.metrics.texts import tokens
from bench.metrics.texts.tokens import Unit
from bench.scoring import agreement
from bench.stats.figure import Floats

N = 4
HARDLY_ANY = 0.1
"""Share of the other families that may keep a word that still counts as kept by one row alone."""

_Hashes = npt.NDArray[np.uint64]


class PageSurvey(NamedTuple):
    """Figures of each row on one page, each of shape (rows,); NaN where there is nothing to say."""

    words: Floats
    """NaN for a failed cell, 0 for an empty text."""
    consensus: Floats
    """Mean 4-gram F1 with the texts of each other family; 0 for a failed cell."""
    invented: Floats
    """Share of the text's 4-grams, none over the end of a line, that the page's text has not."""
    invented_words: Floats
    """Share of its words that the page's text has not."""
    repeated: Floats
    """Share of its lines that it has already."""
    alone: Floats
    """Words that it keeps and hardly any other family does."""
    lost: Floats
    """Words that every other family keeps and it does not."""


def of_page(
    page_words: Sequence[str],
    texts: Sequence[str | None],
    families: Sequence[str | None],
    unit: Unit = "word",
) -> PageSurvey:
    """Return the figures of a page's texts; None is the text of a failed cell.

    ``page_words`` are those of ``grams.folded``. ``families`` holds the family of each row that is
    an opinion, None for the others (controls): they are compared with all families, and none is
    compared with them.
    """
    answered = [at for at, text in enumerate(texts) if text is not None]
    different = list(dict.fromkeys(text for text in texts if text is not None))
    numbers: defaultdict[str, int] = defaultdict(count(1).__next__)
    cut = [list(map(numbers.__getitem__, tokens.of(text, unit))) for text in different]
    rows = [different.index(str(texts[at])) for at in answered]
    own = [families[at] for at in answered]
    opinions = sorted({family for family in own if family is not None})
    members = np.array([[family == one for family in own] for one in opinions], bool)
    members = members.reshape(len(opinions), len(answered))

    consensus = np.zeros(len(texts))
    consensus[answered] = _consensus(_f1(cut)[np.ix_(rows, rows)], members)
    alone, lost = (np.full(len(texts), np.nan) for _ in range(2))
    alone[answered], lost[answered] = _alone_and_lost(agreement.counts(cut, 1)[rows], members)

    by_text = np.array([_of_text(page_words, text) for text in different]).reshape(-1, 3)
    invented, invented_words, repeated = np.full((3, len(texts)), np.nan)
    words = np.full(len(texts), np.nan)
    if answered:
        invented[answered], invented_words[answered], repeated[answered] = by_text[rows].T
        words[answered] = [len(cut[row]) for row in rows]
    return PageSurvey(words, consensus, invented, invented_words, repeated, alone, lost)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text that are not empty, white space in them made one space."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def hashed_lines(text: str) -> _Hashes:
    """Return a number for each line of a text, the same in every process."""
    return grams.hashed(lines_of(text))


def recurring(pages: Sequence[_Hashes], same: Sequence[object]) -> Floats:
    """Return for each page of one host the share of its lines that other pages have, too.

    Of pages with the ``same`` name one counts: a copy says nothing of what is boilerplate. NaN for a
    page without lines, and where no two pages have different names.
    """
    distinct = dict(zip(same, pages, strict=True))
    shares = np.full(len(pages), np.nan)
    if len(distinct) > 1:
        every = [np.unique(lines) for lines in distinct.values()]
        values, often = np.unique(np.concatenate(every), return_counts=True)
        for at, lines in enumerate(pages):
            if lines.size:
                shares[at] = np.isin(lines, values[often > 1]).mean()
    return shares


def _of_text(page_words: Sequence[str], text: str) -> tuple[float, float, float]:
    lines = lines_of(text)
    folded = [grams.folded(line) for line in lines]
    if not any(folded):
        return np.nan, np.nan, np.nan
    return (
        grams.absent(folded, page_words),
        grams.absent(folded, page_words, 1),
        1 - len(set(lines)) / len(lines),
    )


def _f1(texts: Sequence[Sequence[int]]) -> Floats:
    """Return the 4-gram F1 of each two texts, 2 Σ min(a, b) / (Σ a + Σ b); 1 for two empty ones."""
    often = agreement.counts(texts, N)
    sizes = often.sum(axis=1)
    shared = np.array([np.minimum(own, often).sum(axis=1) for own in often]).reshape(
        len(texts), len(texts)
    )
    either = sizes[:, None] + sizes[None, :]
    both = np.divide(2 * shared, either, out=np.ones_like(shared), where=either > 0)
    return np.asarray(both, np.float64)


def _consensus(f1: Floats, members: npt.NDArray[np.bool_]) -> Floats:
    """Return each row's mean F1 with every other family, itself a mean over the family's rows."""
    with_family = f1 @ members.T / members.sum(axis=1)
    others = np.where(members.T, 0.0, with_family).sum(axis=1)
    families = (~members).sum(axis=0)
    unknown = np.full(len(f1), np.nan)
    return np.asarray(np.divide(others, families, out=unknown, where=families > 0), np.float64)


def _alone_and_lost(
    often: npt.NDArray[np.float32], members: npt.NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return words that a row alone keeps, and words that it alone loses, as multisets.

    A family keeps a word as often as the one of its rows that has it most often.
    """
    alone, lost = np.full((2, len(often)), np.nan)
    kept = np.array([often[own].max(axis=0) for own in members]).reshape(
        len(members), often.shape[1]
    )
    for row, own in enumerate(often):
        others = kept[~members[:, row]]
        if len(others):
            hardly = int(len(others) * HARDLY_ANY)
            top = np.partition(others, len(others) - 1 - hardly, axis=0)[len(others) - 1 - hardly]
            alone[row] = np.maximum(own - top, 0).sum()
            lost[row] = np.maximum(others.min(axis=0) - own, 0).sum()
    return alone, lost
