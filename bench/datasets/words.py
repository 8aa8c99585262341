"""Words of any language: runs of letters and digits, and single characters where nobody writes spaces.

For lengths, shares and likeness of texts. Scores have their own tokens (``bench.metrics.texts.tokens``).
"""

from __future__ import annotations

import re

# Thai, Lao, Myanmar, Khmer; kana, Bopomofo and Han; half-width kana; Han beyond the basic plane.
_NO_SPACES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u312f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
_WORD = re.compile(rf"[{_NO_SPACES}]|[^\W{_NO_SPACES}]+")


def words(text: str) -> list[str]:
    """Return the words of a text in order."""
    return _WORD.findall(text)
