"""The Pareto front: what nothing else beats in both cost and quality."""

from collections.abc import Sequence


def front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the places of the (cost, quality) that no other beats, cheapest first.

    Another beats it that costs no more and is no worse, and is not the same. So quality rises along
    the front; equal points are all on it, in the order in which they are given.
    """
    optimal: list[int] = []
    for at in sorted(range(len(points)), key=lambda at: (points[at][0], -points[at][1])):
        if (
            not optimal
            or points[at][1] > points[optimal[-1]][1]
            or points[at] == points[optimal[-1]]
        ):
            optimal.append(at)
    return optimal
