"""What to say to a word that is not known: the closest ones that are."""

from collections.abc import Iterable

_SIMILARITY = 0.5
"""Ratio of ``difflib.SequenceMatcher`` from which on a word is close."""


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
