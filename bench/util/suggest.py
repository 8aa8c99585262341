"""What a word of the user's means among known ones: itself, a glob, or one that is close."""

import fnmatch
from collections.abc import Iterable

_SIMILARITY = 0.5
"""Ratio of ``difflib.SequenceMatcher`` from which on a word is close."""


def matching(pattern: str, known: Iterable[str]) -> list[str]:
    """Return the known words that a pattern means: that very word, or those that it is a glob for."""
    words = list(known)
    return [pattern] if pattern in words else fnmatch.filter(words, pattern)


def hint(word: str, known: Iterable[str], otherwise: str = "", *, most: int = 1) -> str:
    """Return ``did you mean X?`` for the closest known words, at most so many.

    Where none is close: ``otherwise``, by default all that there are.
    """
    import difflib  # an error's matter alone

    words = list(known)
    close = difflib.get_close_matches(word, words, n=most, cutoff=_SIMILARITY)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return otherwise or f"there are {', '.join(words)}"
