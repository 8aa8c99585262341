"""Link position: a page is cut where its links stand (Dorosz 2008, the second method).

The paper's rules, and what each becomes here:

1. A link is a text of its own: an ``a`` with ``href`` is coherent where no other rule takes it in.
2. A large text with links inside its sentences keeps them: they neither bound it nor leave it.
3. Links higher in the tree than a large text are unrelated to it and bound it from above: a node
   is cut if a link below it, outside sentences, is higher than a large text below it.
4. A run of links without text between is navigation, each link apart: a node is cut if it holds
   two neighbours of a run.
5. A link with its teaser, grouped under one node inside a larger structure of links, is one text.

Walking down from the body, a node is coherent if it has no link below it; if it is a link (1); if
it is a teaser (5); or if it has a large text and neither (3) nor (4) cuts it. Otherwise each child
is looked at in turn.

Decisions of ours:

- Sentences stand in a block: the texts and inline elements that share a line-breaking element.
  Its own words are those outside links. A link is inside a sentence if its block has at least as
  many own words as words in links. A text is large if its block has ``large`` own words or more;
  where that begins was found on pages: docs/methods.md.
- "Higher" compares steps from the body: of the link, and of the element that is the block.
- A link without a word in it (a picture) is no text, and does not count as a link.
- Between two links of a run stands no word (letters or digits), so "|" and "·" do not end it. Two
  links to one place (a headline, then "more") are no run.
- A teaser is a node with words outside links, no large text, and links that all lead to one place;
  the larger structure around it is its parent, if that has links to other places as well.
- Energy is the number of words, those in links included.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import NamedTuple

from bench.methods.dorosz import tree as trees
from bench.methods.dorosz.tree import Text, Tree

LARGE = 40
"""Own words from which on the text of a block is large."""

_WORD = re.compile(r"\w")
_NONE = -1


class Words(NamedTuple):
    """Words of a tree, one entry for each node, and the links that have any."""

    all: list[int]
    """Of a text."""
    outside: list[int]
    """Of a text that is in no link."""
    unlinked: list[int]
    """Of a block: words outside links."""
    linked: list[int]
    """Of a block: words in links."""
    links: list[int]
    """Links with a word in them, in document order."""


def count_words(tree: Tree) -> Words:
    """Return the words of a tree. A text without letters or digits has none."""
    size = len(tree.tag)
    words = Words([0] * size, [0] * size, [0] * size, [0] * size, [])
    # The link that each node is in.
    within = [_NONE] * size
    for node, text in enumerate(tree.text):
        if node in tree.target:
            within[node] = node
        elif node:
            within[node] = within[tree.parent[node]]
        count = len(text.split())
        if not count or not _WORD.search(text):
            continue
        link = within[node]
        words.all[node] = count
        if link == _NONE:
            words.outside[node] = count
            words.unlinked[tree.block[node]] += count
        else:
            words.linked[tree.block[link]] += count
            if not words.links or words.links[-1] != link:
                words.links.append(link)
    return words


class Positions:
    """Where the links and the large texts of a tree stand.

    Answers in constant time what the rules ask about a node and all below it. Words, links and
    pairs of links are counted up in document order, so that a node's count is a difference.
    """

    def __init__(self, tree: Tree, large: int = LARGE) -> None:
        size = len(tree.tag)
        words = count_words(tree)
        self._tree = tree
        self._words = _summed(words.all)
        self._outside = _summed(words.outside)
        # Steps from the body to the deepest large text, and to the highest link outside sentences.
        self._large = [
            tree.depth[node] if count >= large else _NONE
            for node, count in enumerate(words.unlinked)
        ]
        self._free = [size] * size
        for link in words.links:
            block = tree.block[link]
            if words.unlinked[block] < words.linked[block]:
                self._free[link] = tree.depth[link]
        self._count_links(tree, words.links)
        for node in range(size - 1, 0, -1):
            above = tree.parent[node]
            if self._large[node] > self._large[above]:  # noqa: PLR1730 - as in energy
                self._large[above] = self._large[node]
            if self._free[node] < self._free[above]:  # noqa: PLR1730
                self._free[above] = self._free[node]

    def _count_links(self, tree: Tree, links: list[int]) -> None:
        size = len(tree.tag)
        is_link, moves, runs = [0] * size, [0] * len(links), [0] * len(links)
        for at, link in enumerate(links):
            is_link[link] = 1
            before = links[at - 1] if at else link
            moves[at] = int(tree.target[link] != tree.target[before])
            free = self._free[link] < size and self._free[before] < size
            adjacent = self._outside[link] == self._outside[before]
            runs[at] = int(moves[at] and free and adjacent)
        self._links, self._moves, self._runs = _summed(is_link), _summed(moves), _summed(runs)

    def words(self, node: int) -> int:
        """Return the words of all texts of a node."""
        return self._below(self._words, node)

    def is_coherent(self, node: int) -> bool:
        """Return whether a node, reached from above, is one text by the rules."""
        if not self._below(self._links, node) or node in self._tree.target:
            return True
        if self._large[node] == _NONE:
            above = self._tree.parent[node]
            alone = self._below(self._outside, node) and not self._pairs(self._moves, node)
            return bool(alone) and above != _NONE and self._pairs(self._moves, above) > 0
        # Rule 3: whether a link outside sentences is higher than a large text.
        return self._free[node] >= self._large[node] and not self.has_run(node)

    def has_run(self, node: int) -> bool:
        """Return whether two neighbours of a run of links are both there (rule 4)."""
        return self._pairs(self._runs, node) > 0

    def _below(self, sums: list[int], node: int) -> int:
        return sums[self._tree.end[node]] - sums[node]

    def _pairs(self, pairs: list[int], node: int) -> int:
        """Count the links of a node that make a pair with the one before, but its first link."""
        first, last = self._links[node], self._links[self._tree.end[node]]
        return pairs[last] - pairs[first + 1] if last > first else 0


def _summed(counts: list[int]) -> list[int]:
    return [0, *accumulate(counts)]


def ranked(tree: Tree, large: int) -> dict[int, float]:
    """Return the coherent nodes of a tree in document order, each with its words as energy."""
    positions = Positions(tree, large)
    nodes = trees.coherent_nodes(tree, positions.is_coherent)
    return {node: float(positions.words(node)) for node in nodes}


def coherent(html: str, large: int = LARGE) -> list[Text]:
    """Return the coherent texts of a page with their words as energies, in document order.

    An empty body has none.
    """
    tree = trees.parse(html)
    return trees.texts(tree, ranked(tree, large))
