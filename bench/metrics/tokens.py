"""Texts as tokens: the one place that says what a word is."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")


def tokenize(text: str) -> list[str]:
    r"""Return the words of a text: runs of ``\w``, case kept, as in AEB's ``evaluate.py``."""
    return _WORD.findall(text)
