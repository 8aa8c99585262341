"""Tokens in order, for edit distances: as strings of one character a token, which compare fast."""

from collections.abc import Sequence
from math import isqrt

_STRANGER = "\0"
_MOST_WORDS = 0x10FFFE


class GoldWords:
    """The tokens of a gold text, numbered, so that other texts can be written in its numbers.

    Every token that the gold has not becomes the same character: it equals none of the gold's.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        known = list(dict.fromkeys(tokens))[:_MOST_WORDS]
        self._letters = {token: chr(number) for number, token in enumerate(known, 1)}
        # A gold token past the last number differs from the strangers, so that it is never found.
        self.coded = "".join([self._letters.get(token, chr(_MOST_WORDS + 1)) for token in tokens])
        """The gold text, a character a token."""

    def encode(self, tokens: Sequence[str]) -> str:
        """Return another text, a character a token."""
        return "".join([self._letters.get(token, _STRANGER) for token in tokens])


def longest(m: int, n: int, cells: int) -> int:
    """Return the length to which two sequences of m and n items are cut.

    So that the product of their lengths is at most ``cells``; the shorter is only cut when both
    are longer than the root of that. What is cut off counts as not found, so a figure of cut
    texts is never too high.
    """
    return max(isqrt(cells), cells // max(1, min(m, n)))
