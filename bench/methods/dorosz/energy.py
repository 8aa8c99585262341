"""Node energy: a page is cut where its text is gathered (Dorosz 2008, the first method).

Each text v has energy m(v), measured in characters, words, or words that are in a dictionary or a
stop list. An element gathers the energy of its children w, less at each step up the tree:

    E(v) = f · Σ E(w),    f = p / k as the formula is printed, k the height of the tree

Walking down from the root, a node none of whose children has more energy than itself is coherent;
otherwise each child is looked at in turn. So a node stays whole unless one child has more than the
share f of all its children's energy.

Decisions of ours:

- The paper contradicts itself. Its prose says that tall trees disperse little energy at a step; as
  its formula is printed they disperse much. ``FORMULA`` is f = p / k, as printed. ``PROSE`` takes
  p / k for what disperses, measured by what is left: f = 1 / (1 + p / k), which nears 1 in tall
  trees. (1 - p / k would be nothing at all in a tree no higher than p.) Which of them works, and
  with which p, was found on pages: docs/methods.md.
- k is the depth of the deepest node below the body, and 1 for an empty body.
- Words are what stands between white space; in a dictionary they are looked up in lower case,
  without the punctuation around them.
- Energy that falls below the smallest number there is has dispersed: a node above nothing but such
  children is coherent. This takes trees hundreds of levels deep.
"""

from __future__ import annotations

from typing import Callable, Container

from bench.methods.dorosz import tree as trees
from bench.methods.dorosz.tree import Text, Tree

Measure = Callable[[str], float]

PROSE = "prose"
FORMULA = "formula"
P = 7.0
"""For ``PROSE`` and words."""
_AROUND_WORDS = ".,;:!?\"'()[]«»„”“’…"


def characters(text: str) -> float:
    """Return how many characters a text has, white space aside."""
    return len("".join(text.split()))


def words(text: str) -> float:
    """Return how many words a text has."""
    return len(text.split())


def words_in(dictionary: Container[str]) -> Measure:
    """Return a measure that counts the words of a text that are in a dictionary (lower case)."""

    def measure(text: str) -> float:
        return sum(word.strip(_AROUND_WORDS) in dictionary for word in text.lower().split())

    return measure


def kept(reading: str, p: float, height: int) -> float:
    """Return f, the share of energy that one step up leaves, in a tree of this height.

    ``reading`` is ``formula``, p / k, or ``prose``, k / (k + p). Raises ``ValueError`` for another.
    """
    k = max(1, height)
    if reading == FORMULA:
        return p / k
    if reading == PROSE:
        return k / (k + p)
    raise ValueError(f"the reading is {reading!r}; there are {FORMULA} and {PROSE}")


def energies(tree: Tree, measure: Measure, share: float) -> tuple[list[float], list[float]]:
    """Return E of each node, and the greatest E among its children (0 where it has none).

    ``share`` is f. One pass from the last node to the first: each child adds to its parent once.
    """
    energy = [measure(text) if text else 0.0 for text in tree.text]
    greatest = [0.0] * len(energy)
    parent = tree.parent
    for node in range(len(energy) - 1, 0, -1):
        node_energy = energy[node]
        if node_energy:
            above = parent[node]
            energy[above] += share * node_energy
            if node_energy > greatest[above]:  # noqa: PLR1730 - a call for every node would take twice as long
                greatest[above] = node_energy
    return energy, greatest


def ranked(tree: Tree, measure: Measure, reading: str, p: float) -> dict[int, float]:
    """Return the coherent nodes of a tree in document order, each with its energy.

    Raises ``ValueError`` for an unknown ``reading``.
    """
    energy, greatest = energies(tree, measure, kept(reading, p, tree.height))
    nodes = trees.coherent_nodes(tree, lambda node: greatest[node] <= energy[node])
    return {node: energy[node] for node in nodes}


def coherent(html: str, measure: Measure = words, reading: str = PROSE, p: float = P) -> list[Text]:
    """Return the coherent texts of a page with their energies, in document order.

    An empty body has none. Raises ``ValueError`` for an unknown ``reading``.
    """
    tree = trees.parse(html)
    return trees.texts(tree, ranked(tree, measure, reading, p))
