"""Removes symbols that are no part of a sentence.

After the chain of Cadavid Rengifo and Gómez Perdomo (2009), "Sistema de extracción de cuerpos de
texto de la web para tareas lingüísticas", Ingeniería e Investigación 29(3),
https://doi.org/10.15446/ing.investig.v29n3.15183, which names such a filter and prints no table of
symbols. Decided here: a word is what stands between white space. One without any letter or digit
goes, unless it is a dash, an ampersand or a mathematical sign between two words, or a mark that ends
or quotes a sentence (French sets those apart). Bullets, pictures, arrows, box drawing and characters
for private use go wherever they stand; signs of currency, mathematics and measure stay in words.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Dict, Iterator

_BETWEEN_WORDS = frozenset(
    ("-", "–", "—", "―", "&", "+", "=", "<", ">", "±", "×", "÷", "≤", "≥", "≈")
)
_MARKS = re.compile(r"""[.,;:!?¡¿…"'()\[\]«»‹›“”„‘’。、！？，；：「」『』（）।॥؟،؛]+""")
_PICTURES = frozenset(("So", "Co", "Cn", "Cc"))
_BULLETS = "•‣⁃"
_SPACE = ord(" ")
_OF_MEASURE = "°©®™№℃℉"


def symbols(text: str) -> str:
    """Return the text without bullets, arrows, bars and pictures; its lines stay lines."""
    return "\n".join(" ".join(_kept_words(line)) for line in text.split("\n"))


def _kept_words(line: str) -> Iterator[str]:
    waiting, before = "", False
    for word in line.translate(_REMOVED).split():
        is_word = any(map(str.isalnum, word))
        if word in _BETWEEN_WORDS:
            # Between two words, or not at all: the next one decides.
            waiting = word if before else ""
        elif is_word or _MARKS.fullmatch(word):
            if waiting:
                yield waiting
            yield word
            waiting, before = "", before or is_word


class _Removed(Dict[int, int]):
    """A table for ``str.translate``, filled as characters are met."""

    def __missing__(self, code: int) -> int:
        character = chr(code)
        picture = unicodedata.category(character) in _PICTURES and character not in _OF_MEASURE
        # A space, because what stands on either side of it is no one word.
        self[code] = _SPACE if picture or character in _BULLETS else code
        return self[code]


_REMOVED = _Removed()
