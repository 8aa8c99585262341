"""Figures by slice of the pages (page type, language, length), and averages over slices.

Micro: each page weighs the same, so large slices decide. Macro: each slice weighs the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bench.stats.estimate import ALPHA, Estimate, estimate
from bench.stats.figure import Figure, Flags, estimates, standard_errors

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Slice:
    """The rows' figures on some of the pages."""

    name: str
    pages: int
    estimates: tuple[Estimate, ...]


@dataclass(frozen=True)
class Averages:
    """The same figure averaged both ways, for each row."""

    micro: tuple[Estimate, ...]
    macro: tuple[Estimate, ...]


def masks(labels: Sequence[str | None]) -> dict[str, Flags]:
    """Return which pages each label has, by name; pages without a label come last."""
    names = sorted({label for label in labels if label is not None and label != UNKNOWN})
    named = [UNKNOWN if label is None else label for label in labels]
    names += [UNKNOWN] if UNKNOWN in named else []
    return {name: np.array([label == name for label in named], bool) for name in names}


def length_labels(lengths: Sequence[int], edges: Sequence[int]) -> list[str]:
    """Return each page's bin of length; a bin begins at its edge: ``0-99``, ``100-999``, ``1000+``.

    Numbers are padded with zeros, so that the names sort as the lengths do.
    """
    if list(edges) != sorted(set(edges)) or any(edge <= 0 for edge in edges):
        raise ValueError(f"edges must rise and be over 0: {list(edges)}")
    starts = [0, *edges]
    width = len(str(starts[-1]))
    names = [f"{start:0{width}}-{after - 1:0{width}}" for start, after in pairwise(starts)]
    names.append(f"{starts[-1]:0{width}}+")
    return [names[int(at)] for at in np.searchsorted(list(edges), lengths, "right")]


def length_edges(lengths: Sequence[int], bins: int = 4) -> list[int]:
    """Return edges that cut pages into bins of about the same size, fewer where lengths repeat."""
    if not len(lengths):
        return []
    shares = np.arange(1, bins) / bins
    least = min(lengths)
    cut = {int(edge) for edge in np.ceil(np.quantile(lengths, shares))}
    return sorted(edge for edge in cut if edge > max(least, 0))


def of(figure: Figure, labels: Sequence[str | None]) -> list[Slice]:
    """Return each slice's figures, with intervals where the slice has pages enough."""
    return [
        Slice(name, int(mask.sum()), tuple(estimates(figure.on(mask))))
        for name, mask in masks(labels).items()
    ]


def averages(figure: Figure, labels: Sequence[str | None]) -> Averages:
    """Return micro and macro averages; pages without a label are a slice of their own.

    The macro average is over the slices in which the row has a page that counts. Slices are drawn
    apart from each other, so its variance is the sum of theirs (stratified sampling: Cochran 1977,
    §5.3), and its interval Student's.
    """
    from scipy.special import stdtrit

    micro = tuple(estimates(figure))
    every = (figure.on(mask) for mask in masks(labels).values())
    parts = [part for part in every if part.units]
    if not parts:
        return Averages(micro, micro)
    counts = np.array([part.counted > 0 for part in parts], np.float64)
    share = counts / np.maximum(counts.sum(axis=0), 1.0)
    values = (np.array([part.values() for part in parts]) * share).sum(axis=0)
    errors = np.array([standard_errors(part.influences()) for part in parts])
    error = np.sqrt(((errors * share) ** 2).sum(axis=0))
    reach = float(stdtrit(max(1, figure.units - len(parts)), 1 - ALPHA / 2)) * error
    macro = [
        estimate(pages, figure.units, value, se, max(0.0, value - own), min(1.0, value + own))
        for pages, value, se, own in zip(
            figure.counted.tolist(), values.tolist(), error.tolist(), reach.tolist(), strict=True
        )
    ]
    return Averages(micro, tuple(macro))
