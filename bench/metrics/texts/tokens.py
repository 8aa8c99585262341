"""Texts as tokens: the one place that says what a word is, and where characters count instead."""

import re
from typing import Literal

Unit = Literal["word", "character"]

UNSPACED = frozenset(
    {
        "zh", "zho", "chi", "cmn", "yue", "wuu", "hak", "nan", "gan", "lzh", "ja", "jpn", "th",
        "tha", "lo", "lao", "km", "khm", "my", "mya", "bur",
    }
)  # fmt: skip
"""Languages written without spaces between words, by ISO 639-1 and 639-3 (and 639-2/B): Chinese
(Mandarin, Cantonese, Wu, Hakka, Min Nan, Gan, literary), Japanese, Thai, Lao, Khmer, Burmese."""

_WORD = re.compile(r"\w+")


def tokenize(text: str) -> list[str]:
    r"""Return the words of a text: runs of ``\w``, case kept, as in AEB's ``evaluate.py``."""
    return _WORD.findall(text)


def characters(text: str) -> list[str]:
    """Return the characters (code points) of a text but for white space, as chrF takes them.

    Popović (2015), "chrF: character n-gram F-score for automatic MT evaluation",
    https://aclanthology.org/W15-3049.
    """
    return list("".join(text.split()))


def of(text: str, unit: Unit) -> list[str]:
    """Return the tokens of a text as scores and lengths count them."""
    return tokenize(text) if unit == "word" else characters(text)


def unit_for(language: str | None) -> Unit:
    """Return what to count in a language given as BCP 47 tag or ISO 639 code; words if unknown."""
    primary = re.split(r"[-_]", (language or "").strip().lower(), maxsplit=1)[0]
    return "character" if primary in UNSPACED else "word"
