"""Majority vote by n-grams: a word of the page stays where enough extractors have it.

As in Bevendorff et al. (2023), "An Empirical Comparison of Web Content Extraction Algorithms",
SIGIR, https://doi.org/10.1145/3539618.3591920; ``extractors/ensemble.py`` and ``extractors.py`` of
https://github.com/chatnoir-eu/web-content-extraction-benchmark, revision 36be6d9. Words are what
stands between white space. A word of the page has an extractor's vote where the n words that end
with it, or the n that begin with it, stand in that extractor's text, n = 5; before the first and
after the last word of page and text there is padding, which equals itself. It stays with 0.66
votes for each extractor, rounded down, and this counts extractors, not weights: a vote of weight 2
counts twice towards the same threshold.

Two things are ours. The study takes all text of the page from Resiliparse, ensembles here have
texts of extractors alone: one of them, which has no vote, gives the page. And one vote is needed
at least, where the study's rounding would ask for none of a single extractor.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.methods.ensembles.base import Ensemble

N = 5
SHARE = 0.66

_PADDING = ""  # no word is empty


def majority(
    page: str,
    texts: Sequence[str],
    weights: Sequence[float] | None = None,
    *,
    n: int = N,
    share: float = SHARE,
) -> str:
    """Return the words of ``page`` that enough of ``texts`` have, a space between them.

    ``weights`` are those of the texts' votes, 1 each by default; ``share`` times the number of
    texts, rounded down but at least 1, is enough. Their order does not matter.
    """
    words = page.split()
    grams = list(_grams(words, n))
    known = set(grams)
    votes = [0.0] * len(words)
    for text, weight in zip(texts, weights or [1.0] * len(texts), strict=True):
        shared = known.intersection(_grams(text.split(), n))
        if not shared:
            continue
        has = [gram in shared for gram in grams]
        # Padded by n - 1, the gram that ends with a word has its number, the one that begins
        # with it comes n - 1 later.
        for at, (ending, beginning) in enumerate(zip(has, has[n - 1 :], strict=False)):
            if ending or beginning:
                votes[at] += weight
    enough = max(1, int(len(texts) * share))
    return " ".join(word for word, vote in zip(words, votes, strict=True) if vote >= enough)


def _grams(words: list[str], n: int) -> Iterator[tuple[str, ...]]:
    if not words:
        return iter(())
    padding = [_PADDING] * (n - 1)
    padded = [*padding, *words, *padding]
    return zip(*(padded[start:] for start in range(n)), strict=False)


class Vote(Ensemble):
    """An ensemble by majority vote.

    The first of ``members`` gives all words of the page and does not vote, the others do. Settings
    are ``weights``, by label and 1 where none is named, ``n`` and ``share``.
    """

    def load(
        self,
        weights: Mapping[str, float] | None = None,
        n: int = N,
        share: float = SHARE,
        **settings: Any,
    ) -> None:
        """Take the settings."""
        self._weights = dict(weights or {})
        self._n, self._share = n, share

    def combine(self, texts: Mapping[str, str]) -> str:
        """Return the words of the first text that enough of the others have."""
        if strangers := self._weights.keys() - texts.keys():
            raise LookupError(f"weights name {', '.join(sorted(strangers))}, which is no member")
        page, *voters = texts
        weights = [self._weights.get(label, 1.0) for label in voters]
        votes = [texts[label] for label in voters]
        return majority(texts[page], votes, weights, n=self._n, share=self._share)
