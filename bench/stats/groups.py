"""Where rows stand: who is not distinguishable from the best, and who is beaten by how many.

Two families of comparisons are each held at 5 % by Holm's correction: every row with the one of
the highest figure (k - 1 comparisons), and every row with every other (k (k - 1) / 2). A row's rank
is one more than the rows that beat it, so that no row ranks below others unless one beats it.

Letters, for tables that ask for them, are the compact letter display of Piepho (2004, Journal of
Computational and Graphical Statistics 13:456-466), by his insert-and-absorb: **two rows share a
letter if and only if they do not differ significantly.** That is not transitive (a like b, b like
c, a unlike c), so a row may carry several.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

import numpy as np

from bench.stats import paired, sample_size
from bench.stats.estimate import SampleSize, Standing
from bench.stats.figure import Figure, Flags


@dataclass(frozen=True)
class Standings:
    """All rows, best first."""

    rows: Sequence[Standing]
    detectable: float | None = None
    """Median, over the rows that are not distinguishable from the best, of the difference from it
    that one comparison finds four times in five; of all rows where there is no such row."""


def of_figure(figure: Figure) -> Standings:
    """Return where rows stand, given best first.

    Leave out what does not compete: each row more is a comparison more to be corrected for.
    """
    every = list(combinations(range(figure.rows), 2))
    values = figure.values()
    differ = np.zeros((figure.rows, figure.rows), bool)
    differences = paired.differences(figure, every)
    for (a, b), difference in zip(every, differences, strict=True):
        differ[a, b] = differ[b, a] = difference.significant()
    best = [True]
    close: list[float] = []
    far: list[float] = []
    # Pairs with the best come first; among themselves they are corrected for fewer comparisons.
    with_best = paired.corrected(differences[: figure.rows - 1])
    alike = sum(not difference.significant() for difference in with_best)
    influences = figure.influences()
    sizes: list[SampleSize | None] = [None] * figure.rows
    for row, difference in enumerate(with_best, 1):
        best.append(not difference.significant())
        if best[row]:
            pulls = influences[0] - influences[row]
            sizes[row] = sample_size.to_separate(difference, pulls, alike)
        differ[0, row] = differ[row, 0] = differ[0, row] or difference.significant()
        if (size := difference.detectable()) is not None:
            (far if difference.significant() else close).append(size)
    beaten_by = (differ & (values[:, None] > values)).sum(axis=0)
    return Standings(
        [
            Standing(is_best, int(count), own, size)
            for is_best, count, own, size in zip(
                best, beaten_by, letters(differ), sizes, strict=False
            )
        ],
        median(close or far) if close or far else None,
    )


def letters(differ: Flags) -> list[tuple[str, ...]]:
    """Return the letters of rows, best first, from whether row i and row j differ."""
    if differ.ndim != 2 or not np.array_equal(differ, differ.T) or differ.diagonal().any():
        raise ValueError("whether rows differ is symmetric, and none differs from itself")
    columns = _columns(differ)
    return [
        tuple(letter(at) for at, rows in enumerate(columns) if rows >> row & 1)
        for row in range(len(differ))
    ]


def letter(at: int) -> str:
    """Return the letter of a group counted from 0: a to z, then aa, ab, … as spreadsheets do."""
    text = ""
    at += 1
    while at:
        at, place = divmod(at - 1, 26)
        text = chr(ord("a") + place) + text
    return text


def _columns(differ: Flags) -> list[int]:
    """Return the sets of rows that share a letter, as bit masks, in the order of their rows."""
    columns = {(1 << len(differ)) - 1} if len(differ) else set()
    for i, j in zip(*np.nonzero(np.triu(differ)), strict=True):
        both = 1 << int(i) | 1 << int(j)
        split = [column for column in columns if column & both == both]
        columns.difference_update(split)
        # Insert: each without one and without the other. Absorb: none that is part of another.
        new = {column & ~(1 << int(row)) for column in split for row in (i, j)}
        for column in sorted(new, key=int.bit_count, reverse=True):
            if not any(column & other == column for other in columns):
                columns.add(column)
    return sorted(columns, key=_rows)


def _rows(column: int) -> list[int]:
    return [row for row in range(column.bit_length()) if column >> row & 1]
