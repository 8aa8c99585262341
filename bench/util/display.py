"""Making strangers' strings fit to show: names, versions and messages are hostile input."""

from __future__ import annotations

import unicodedata

_UNSAFE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def plain(text: str) -> str:
    """Return a text on one line without control characters, escapes or direction marks."""
    return "".join(
        " " if unicodedata.category(c) in ("Zl", "Zp") or c in "\t\n\r" else c
        for c in text
        if c in "\t\n\r" or unicodedata.category(c) not in _UNSAFE
    ).strip()


def percent(value: float | None, digits: int = 1) -> str:
    """Return a share as a percentage, a dash where there is none."""
    return "–" if value is None else f"{value * 100:.{digits}f}"


def number(value: float | None, digits: int = 0) -> str:
    """Return a number, a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def mib(size: int | None) -> str:
    """Return bytes as MiB."""
    return "–" if size is None else f"{size / 2**20:.0f}"


def megabytes(size_bytes: int) -> str:
    """Return a size as people say it: 0.3 MB, 82 MB."""
    size = size_bytes / 1e6
    return f"{size:.0f} MB" if size >= 10 else f"{max(size, 0.1):.1f} MB"


def seconds(value: float) -> str:
    """Return a time with as many digits as it deserves."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def milliseconds(value: float) -> str:
    """Return milliseconds with about three significant digits."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"
