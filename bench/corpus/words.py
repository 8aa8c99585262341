"""Words and phrases of a text.

A word is a maximal run of letters with their marks (combining accents, vowel signs, joiners), in
Unicode form C and lower case. Scripts that write no space between words are not cut into words.
A phrase ends at ``. ? ! … ; :`` before white space, at the full-width marks of East Asian scripts,
and at the end of a line, which is where blocks end; not at commas.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

_SOFT_HYPHEN = "\u00ad"
_JOINERS = "\u200c\u200d"
_SPACE = ord(" ")
_PHRASE_END = re.compile(r"[.?!…;:]+[\"'”’»)\]]*(?=\s|$)|[。！？；：]+|\n", re.MULTILINE)


def normal(text: str) -> str:
    """Return a text as the corpus keeps it: Unicode form C, without soft hyphens."""
    return unicodedata.normalize("NFC", text.replace(_SOFT_HYPHEN, ""))


def words(text: str) -> list[str]:
    """Return the words of a normal text in order."""
    runs = text.lower().translate(_letters).split()
    # A mark that follows no letter begins no word.
    return [word for run in runs if (word := run if run[0].isalpha() else _from_letter(run))]


def frequencies(text: str) -> Counter[str]:
    """Return how often each word stands in a normal text."""
    return Counter(words(text))


def phrases(text: str) -> Iterator[str]:
    """Yield the phrases of a normal text that have a word, without the marks at their ends."""
    for phrase in _PHRASE_END.split(text):
        if any(map(str.isalpha, phrase)):
            yield " ".join(phrase.split())


def _from_letter(run: str) -> str:
    """Return a run from its first letter on."""
    start = 0
    while start < len(run) and not run[start].isalpha():
        start += 1
    return run[start:]


def unaccented(text: str) -> str:
    """Return a text in lower case without marks: what words are looked for by."""
    parts = unicodedata.normalize("NFD", text.lower())
    return "".join(part for part in parts if not unicodedata.combining(part))


class _Letters(dict[int, int]):
    """A table for ``str.translate``, filled as characters are met: a space for what is in no word."""

    def __missing__(self, code: int) -> int:
        character = chr(code)
        in_word = unicodedata.category(character)[0] in "LM" or character in _JOINERS
        self[code] = code if in_word else _SPACE
        return self[code]


_letters = _Letters()
