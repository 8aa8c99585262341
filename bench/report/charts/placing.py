"""Puts labels beside points so that none covers another label, a point or a line.

Each label tries places around its point, nearer ones first, and moves to the cheapest while the
others stay; a few sweeps settle it. No randomness: the same input gives the same places.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_RADII = (5.0, 8.0, 12.0, 17.0, 23.0, 30.0, 38.0, 48.0, 60.0, 74.0, 90.0)
_ANGLES = tuple(np.deg2rad(np.arange(0, 360, 15)))
_PADDING = np.array([4.0, 1.2])
_COVERS, _CROSSES, _HIDES_POINT, _HIDES_LINE, _AMBIGUOUS = 1000.0, 60.0, 120.0, 3.0, 9.0
_SWEEPS = 12
_STEPS = np.linspace(0.15, 1.0, 9)


def place(
    anchors: Floats, sizes: Floats, points: Floats, lines: Floats, bounds: Sequence[float]
) -> list[tuple[float, float] | None]:
    """Return the centre of each label, or None for one that found no free place.

    ``anchors`` and ``sizes`` have a row per label, the important first; ``points`` are not to be
    covered, ``lines`` (sampled) rather not; ``bounds`` is left, bottom, right, top.
    """
    if not len(anchors):
        return []
    options = [_options(a, s, bounds) for a, s in zip(anchors, sizes, strict=True)]
    fixed = [
        _fixed_cost(places, anchor, size, points, lines)
        for places, anchor, size in zip(options, anchors, sizes, strict=True)
    ]
    centres = np.full(anchors.shape, np.nan)
    for _ in range(_SWEEPS):
        before = centres.copy()
        for at in range(len(anchors)):
            others = [i for i in range(len(anchors)) if i != at and not np.isnan(centres[i, 0])]
            cost = fixed[at] + _mutual_cost(options[at], at, others, centres, anchors, sizes)
            centres[at] = options[at][int(np.argmin(cost))]
        if np.array_equal(before, centres):
            break
    return _without_overlaps(centres, sizes)


def samples(corners: Floats, step: float = 4.0) -> Floats:
    """Return points along the broken line through these corners, no more than ``step`` apart."""
    parts = [corners[:1]]
    for start, end in pairwise(corners):
        count = max(1, int(np.hypot(*(end - start)) // step) + 1)
        parts.append(start + (end - start) * np.linspace(0, 1, count + 1)[1:, None])
    return np.concatenate(parts)


def nearest(centre: npt.ArrayLike, size: npt.ArrayLike, to: npt.ArrayLike) -> Floats:
    """Return the point of a box that is nearest to another point: where its leader line ends."""
    half = np.asarray(size) / 2
    middle = np.asarray(centre)
    inside: Floats = np.clip(np.asarray(to), middle - half, middle + half)
    return inside


def _options(anchor: Floats, size: Floats, bounds: Sequence[float]) -> Floats:
    """Return centres around a point whose boxes lie within the bounds, nearest first."""
    left, bottom, right, top = bounds
    places = [
        anchor + np.array([np.cos(a) * (r + size[0] / 2), np.sin(a) * (r + size[1] / 2)])
        for r in _RADII
        for a in _ANGLES
    ]
    low = np.array([left, bottom]) + size / 2
    high = np.array([right, top]) - size / 2
    inside = [centre for centre in places if (centre >= low).all() and (centre <= high).all()]
    return np.array(inside or [np.clip(anchor, np.minimum(low, high), np.maximum(low, high))])


def _fixed_cost(
    options: Floats, anchor: Floats, size: Floats, points: Floats, lines: Floats
) -> Floats:
    """Return what each place costs whatever the other labels do."""
    gaps = np.maximum(np.abs(options - anchor) - size / 2, 0)
    distance = np.hypot(gaps[:, 0], gaps[:, 1])
    cost = distance.copy()
    cost += np.where(options[:, 0] < anchor[0], 0.6, 0.0)
    cost += _HIDES_POINT * _inside(options, size + 7, points).sum(axis=1)
    cost += _HIDES_LINE * _inside(options, size + 1, lines).sum(axis=1)
    others = points[(np.abs(points - anchor) > 0.5).any(axis=1)]
    leaders = _leaders(options, np.broadcast_to(size, options.shape), anchor)
    for step in leaders:
        near = np.hypot(*(step[:, None, :] - others[None, :, :]).transpose(2, 0, 1)) < 3.5
        cost += _CROSSES / len(_STEPS) * near.sum(axis=1)
    if len(others):
        apart = np.maximum(np.abs(options[:, None, :] - others[None]) - size / 2, 0)
        cost += _AMBIGUOUS * (np.hypot(*apart.transpose(2, 0, 1)).min(axis=1) < distance + 1)
    total: Floats = cost
    return total


def _mutual_cost(
    options: Floats, at: int, others: Sequence[int], centres: Floats, anchors: Floats, sizes: Floats
) -> Floats:
    """Return what each place of a label costs beside the other labels where they now are."""
    if not others:
        return np.zeros(len(options))
    centre, size, anchor = centres[others], sizes[others], anchors[others]
    leaders = _leaders(options, np.broadcast_to(sizes[at], options.shape), anchors[at])
    gaps = np.abs(options[:, None] - centre) - (sizes[at] + size) / 2 - _PADDING
    cost: Floats = _COVERS * _both(gaps < 0).sum(axis=1)
    hidden = _both(np.abs(leaders[:, :, None] - centre) < size / 2 + 1).any(axis=0)
    theirs = _leaders(centre, size, anchor)
    samples_hidden = _inside(options, sizes[at] + 2, theirs.reshape(-1, 2))
    hides = samples_hidden.reshape(len(options), *theirs.shape[:2]).any(axis=1)
    crossed = _intersect(anchors[at], leaders[-1][:, None], anchor, nearest(centre, size, anchor))
    cost += _CROSSES * np.concatenate([hidden, hides, crossed], axis=1).sum(axis=1)
    return cost


def _both(inside: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return what holds in x and y; ``all`` over so few takes ten times as long."""
    both: npt.NDArray[np.bool_] = np.logical_and(inside[..., 0], inside[..., 1])
    return both


def _leaders(centres: Floats, sizes: Floats, anchor: Floats) -> Floats:
    """Return samples of the leader lines to boxes: shape (steps, boxes, 2)."""
    ends = np.clip(anchor, centres - sizes / 2, centres + sizes / 2)
    lines: Floats = anchor + (ends - anchor)[None] * _STEPS[:, None, None]
    return lines


def _inside(centres: Floats, size: Floats, points: Floats) -> npt.NDArray[np.bool_]:
    """Return which points lie in a box of that size around each centre."""
    if not len(points):
        return np.zeros((len(centres), 0), dtype=bool)
    x, y = (
        np.abs(np.subtract.outer(centres[:, at], points[:, at])) < size[at] / 2 for at in (0, 1)
    )
    inside: npt.NDArray[np.bool_] = x & y
    return inside


def _intersect(start: Floats, ends: Floats, a: Floats, b: Floats) -> npt.NDArray[np.bool_]:
    """Return which of the segments from ``start`` to ``ends`` cross the segment ``a`` to ``b``."""

    def side(p: Floats, q: Floats, r: Floats) -> Floats:
        turn: Floats = (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (
            q[..., 1] - p[..., 1]
        ) * (r[..., 0] - p[..., 0])
        return turn

    return (side(start, ends, a) * side(start, ends, b) < 0) & (
        side(a, b, start) * side(a, b, ends) < 0
    )


def _without_overlaps(centres: Floats, sizes: Floats) -> list[tuple[float, float] | None]:
    """Drop labels that still cover one more important."""
    kept: list[int] = []
    for at in range(len(centres)):
        gaps = [np.abs(centres[at] - centres[i]) - (sizes[at] + sizes[i]) / 2 for i in kept]
        if not any((gap < 0).all() for gap in gaps):
            kept.append(at)
    return [
        (float(centres[at, 0]), float(centres[at, 1])) if at in kept else None
        for at in range(len(centres))
    ]
