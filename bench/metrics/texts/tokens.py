"""Texts as tokens: the one place that says what a word is, and where characters count instead."""

import re
from typing import Literal

Unit = Literal["word", "character"]

UNSPACED = frozenset({"zh", "ja", "th", "lo", "km", "my"})
"""Languages written without spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese."""

_WORD = re.compile(r"\w+")
_SPACED = {at: " " for at in range(128) if not _WORD.match(chr(at))}
"""A space for whatever is no part of an ASCII word."""


def tokenize(text: str) -> list[str]:
    r"""Return the words of a text: runs of ``\w``, case kept, as in AEB's ``evaluate.py``."""
    if text.isascii():
        # The same words; without letters of other scripts there is a quicker way to them.
        return text.translate(_SPACED).split()
    return _WORD.findall(text)


def characters(text: str) -> list[str]:
    """Return the characters (code points) of a text but for white space, as chrF takes them.

    Popović (2015), "chrF: character n-gram F-score for automatic MT evaluation",
    https://aclanthology.org/W15-3049.
    """
    return list("".join(text.split()))


def unit_for(language: str | None) -> Unit:
    """Return what to count in a language given as BCP 47 tag or ISO 639-1 code; words if unknown."""
    primary = re.split(r"[-_]", (language or "").strip().lower(), maxsplit=1)[0]
    return "character" if primary in UNSPACED else "word"
