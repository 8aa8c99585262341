"""How hard a page is: how much of it is not the main text, how much is links, how deep it is.

The share of a page's words that are outside the gold is the page complexity of Bevendorff et al.
(2023), "An Empirical Comparison of Web Content Extraction Algorithms", SIGIR,
https://doi.org/10.1145/3539618.3591920; link density is that of Kohlschütter et al. (2010),
"Boilerplate Detection using Shallow Text Features", WSDM, https://doi.org/10.1145/1718487.1718542.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from bench.datasets.html_text import HtmlText
from bench.datasets.words import words


@dataclass(frozen=True)
class Complexity:
    """Of one page. Shares are from 0 to 1, None where there is nothing to share."""

    page_words: int
    outside: float | None
    """Share of the page's words that are not in the gold (as multisets)."""
    link_density: float | None
    """Share of the page's words that stand in links."""
    depth: int
    """Elements from the root to the deepest one."""


def of_page(page: HtmlText, gold: str | None) -> Complexity:
    """Return the complexity of a page; ``outside`` is None for a page without gold text."""
    own = words(page.text)
    if not own:
        return Complexity(0, None, None, page.depth)
    inside = (Counter(own) & Counter(words(gold))).total() if gold is not None else None
    return Complexity(
        page_words=len(own),
        outside=None if inside is None else 1 - inside / len(own),
        # A word that a link cuts in two is two words there.
        link_density=min(1.0, len(words(page.link_text)) / len(own)),
        depth=page.depth,
    )
