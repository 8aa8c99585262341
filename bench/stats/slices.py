"""Figures by slice of the pages (page type, language, length), and averages over slices.

Micro: each page weighs the same, so large slices decide. Macro: each slice weighs the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from bench.stats.bootstrap import Bootstrap
from bench.stats.figure import Estimate, Figure, Flags, estimate, estimates

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
    names = sorted({each for each in labels if each is not None and each != UNKNOWN})
    named = [UNKNOWN if each is None else each for each in labels]
    names += [UNKNOWN] if UNKNOWN in named else []
    return {name: np.array([each == name for each in named], bool) for name in names}


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


def of(
    figure: Figure,
    labels: Sequence[str | None],
    bootstrap: Bootstrap = Bootstrap(),
) -> list[Slice]:
    """Return each slice's figures, with intervals where the slice has pages enough."""
    return [
        Slice(
            name,
            int(mask.sum()),
            tuple(estimates(figure.on(mask), bootstrap)),
        )
        for name, mask in masks(labels).items()
    ]


def averages(
    figure: Figure,
    labels: Sequence[str | None],
    bootstrap: Bootstrap = Bootstrap(),
) -> Averages:
    """Return micro and macro averages; pages without a label are a slice of their own.

    The macro average is drawn slice by slice (stratified: Efron & Tibshirani 1993, §8.3), and is
    over the slices in which the row has a page that counts.
    """
    values, draws, there = [], [], []
    for at, mask in enumerate(masks(labels).values()):
        part = figure.on(mask)
        values.append(part.values())
        own = replace(bootstrap, seed=bootstrap.seed + at)
        draws.append(part.values(own.weights(part.pages)))
        there.append(part.counted > 0)
    micro = estimates(figure, bootstrap)
    if not values:
        return Averages(tuple(micro), tuple(micro))
    counts = np.array(there, np.float64)
    share = counts / np.maximum(counts.sum(axis=0), 1.0)
    mean = (np.array(values) * share).sum(axis=0)
    drawn = (np.array(draws) * share[:, None, :]).sum(axis=0)
    macro = [
        estimate(int(pages), float(value), own)
        for pages, value, own in zip(figure.counted, mean, drawn.T, strict=True)
    ]
    return Averages(tuple(micro), tuple(macro))
