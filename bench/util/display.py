"""Making strangers' strings fit to show: names, versions and messages are hostile input."""

import unicodedata

_UNSAFE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def plain(text: str) -> str:
    """Return a text on one line without control characters, escapes or direction marks."""
    return "".join(
        " " if unicodedata.category(c) in ("Zl", "Zp") or c in "\t\n\r" else c
        for c in text
        if c in "\t\n\r" or unicodedata.category(c) not in _UNSAFE
    ).strip()


def cut(text: str, longest: int) -> str:
    """Return a text of so many characters at most, what is left out of its end said to be."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
