"""Fallback chains: the text of the first program, of the next where that is too short, and so on."""

import re
from collections.abc import Iterable, Mapping, Sequence

from bench.methods.ensembles.base import Ensemble

_WORD = re.compile(r"\w+")


def consulted(texts: Iterable[str], least_words: Sequence[int]) -> int:
    """Return how many of the texts are asked for: those up to the first that is long enough.

    ``least_words`` says of each text but the last how many words that is.
    """
    for number, (text, least) in enumerate(zip(texts, least_words, strict=False), 1):
        if sum(1 for _ in _WORD.finditer(text)) >= least:
            return number
    return len(least_words) + 1


class Chain(Ensemble):
    """Takes the first text that is long enough; the last where none is."""

    name = "chain"

    def load(self, least_words: Sequence[int]) -> None:
        """Take the least words of every member but the last."""
        self._least_words = least_words

    def combine(self, texts: Mapping[str, str]) -> str:
        """Return the text of the last member that is asked."""
        members_texts = list(texts.values())
        return members_texts[consulted(members_texts, self._least_words) - 1]
