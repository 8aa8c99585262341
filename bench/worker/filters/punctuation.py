"""Makes one mark of a run of punctuation.

Paper as in ``symbols``. Decided here: a run of one mark becomes that mark, three dots or more
become three, two become one, and a mixture of marks that end a sentence keeps each of them once
("?!?!" becomes "?!"). Marks that words are made of (slashes, quotes, brackets, underscores) are left
alone.
"""

from __future__ import annotations

import re
from typing import Match

_DOTS = re.compile(r"\.{2,}|…{2,}")
_SAME = re.compile(r"([,;:!?¡¿\-–—―~*#=•·。、！？，；：।॥؟،؛])\1+")
_ENDS = re.compile(r"[!?！？؟]{2,}")


def punctuation(text: str) -> str:
    """Return the text with each run as one mark: "!!!" becomes "!", "....." becomes "..."."""
    return _SAME.sub(r"\1", _ENDS.sub(_each_once, _DOTS.sub(_dots, text)))


def _dots(match: Match[str]) -> str:
    run = match.group()
    return "…" if run[0] == "…" else "..." if len(run) > 2 else "."


def _each_once(match: Match[str]) -> str:
    return "".join(dict.fromkeys(match.group()))
