"""Rank groups: rows that were not told apart share a rank and a letter.

Not to be told apart is not transitive (a like b, b like c, a unlike c), so a row may carry several
letters. The letters are the compact letter display of Piepho (2004, Journal of Computational and
Graphical Statistics 13:456-466), found by his insert-and-absorb: **two rows share a letter if and
only if they were not told apart.**
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bench.stats import paired
from bench.stats.bootstrap import Bootstrap
from bench.stats.figure import Figure, Flags


@dataclass(frozen=True)
class Group:
    """Where a row stands among the others."""

    rank: int
    """1 is best; rows that share it were, each with each, not told apart."""
    letters: tuple[str, ...]

    @property
    def text(self) -> str:
        """The letters as they are shown: ``bc``, or ``z aa`` where any has two characters."""
        return ("" if all(len(each) == 1 for each in self.letters) else " ").join(self.letters)


def of_figure(figure: Figure, bootstrap: Bootstrap = Bootstrap()) -> list[Group]:
    """Return the groups of rows, given best first: every row compared with every other.

    All pairs share the draws of pages and the swaps, so that the cost is a few matrix products and
    a pass over (pairs x resamples). Leave controls out: each row more is a comparison more to be
    corrected for with every other.
    """
    pairs = list(combinations(range(figure.rows), 2))
    apart = np.zeros((figure.rows, figure.rows), bool)
    for (a, b), difference in zip(pairs, paired.differences(figure, pairs, bootstrap), strict=True):
        apart[a, b] = apart[b, a] = difference.told_apart()
    return of(apart)


def of(apart: Flags) -> list[Group]:
    """Return the groups of rows, best first, from whether row i and row j were told apart."""
    if apart.ndim != 2 or not np.array_equal(apart, apart.T) or apart.diagonal().any():
        raise ValueError("whether rows were told apart is symmetric, and none is apart from itself")
    columns = _columns(apart)
    return [
        Group(rank, tuple(letter(at) for at, rows in enumerate(columns) if rows >> row & 1))
        for row, rank in enumerate(_ranks(apart))
    ]


def letter(at: int) -> str:
    """Return the letter of a group counted from 0: a to z, then aa, ab, … as spreadsheets do."""
    text = ""
    at += 1
    while at:
        at, place = divmod(at - 1, 26)
        text = chr(ord("a") + place) + text
    return text


def _ranks(apart: Flags) -> list[int]:
    """Return a rank for each row; a new one begins at a row told apart from any of the last."""
    ranks: list[int] = []
    leader = 0
    for row in range(len(apart)):
        if apart[row, leader:row].any():
            leader = row
        ranks.append(leader + 1)
    return ranks


def _columns(apart: Flags) -> list[int]:
    """Return the sets of rows that share a letter, as bit masks, in the order of their rows."""
    columns = {(1 << len(apart)) - 1} if len(apart) else set()
    for i, j in zip(*np.nonzero(np.triu(apart)), strict=True):
        both = 1 << int(i) | 1 << int(j)
        split = [each for each in columns if each & both == both]
        columns.difference_update(split)
        # Insert: each without one and without the other. Absorb: none that is part of another.
        new = {each & ~(1 << int(row)) for each in split for row in (i, j)}
        for each in sorted(new, key=int.bit_count, reverse=True):
            if not any(each & other == each for other in columns):
                columns.add(each)
    return sorted(columns, key=_rows)


def _rows(column: int) -> list[int]:
    return [row for row in range(column.bit_length()) if column >> row & 1]
