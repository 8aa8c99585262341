r"""Union: all that any extractor has, in the order of the page as far as the texts agree on it.

Texts are merged one after the other along the longest common subsequence of their words
(``\w+``, case kept, as the scorer takes them), so that each text is a subsequence of the result:
what several have stands there once. RapidFuzz finds it (Hyyrö 2004).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from rapidfuzz.distance import LCSseq

from bench.methods.ensembles.base import Ensemble

_CELLS = 400_000_000
"""Product of lengths up to which two texts are aligned by word: 50 MB of bits, well below 1 s."""

_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\w+\W*|^\W+")


def union(texts: Iterable[str]) -> str:
    """Return a text that holds the words of every one of ``texts``, each in its order.

    What stands between two words goes with the one before. Texts too long to be aligned (some
    20,000 words each) are merged by lines: those that the first has not come after it.
    """
    merged: list[str] = []
    for text in texts:
        merged = _merged(merged, _pieces(text))
    return "".join(merged)


def _pieces(text: str) -> list[str]:
    """Return words with what follows them; nothing can run into the last one."""
    pieces: list[str] = _PIECE.findall(text)
    if pieces and not pieces[-1][-1].isspace():
        pieces[-1] += "\n"
    return pieces


def _merged(first: list[str], second: list[str]) -> list[str]:
    if not first or not second:
        return first or second
    if len(first) * len(second) > _CELLS:
        return first + _lines_not_in(first, second)
    numbers: dict[str, int] = {}
    a, b = (
        [numbers.setdefault(_word(piece), len(numbers)) for piece in pieces]
        for pieces in (first, second)
    )
    merged: list[str] = []
    for step in LCSseq.opcodes(a, b):
        merged += first[step.src_start : step.src_end]
        if step.tag != "equal":
            merged += second[step.dest_start : step.dest_end]
    return merged


def _word(piece: str) -> str:
    word = _WORD.match(piece)
    return word[0] if word else ""


def _lines_not_in(first: list[str], second: list[str]) -> list[str]:
    spare = Counter(_lines(first))
    missing: list[str] = []
    for line in _lines(second):
        if spare[line]:
            spare[line] -= 1
        else:
            missing.append(line + "\n")
    return missing


def _lines(pieces: list[str]) -> list[str]:
    return [line for line in "".join(pieces).splitlines() if line.strip()]


class Union(Ensemble):
    """An ensemble that has all that any of its members has."""

    def combine(self, texts: Mapping[str, str]) -> str:
        """Return the union of the texts."""
        return union(texts.values())
