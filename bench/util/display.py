"""Making strangers' strings fit to show: names, versions and messages are hostile input."""

import re
import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from os.path import commonprefix
from typing import TypeVar

_SHORT, _WHOLE = 8, 40
"""Characters of a short id, and of an id that is shown whole."""
_UNSAFE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
NAME = "NAME"
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


_PLACE = re.compile(r"(?<![\w:/.~<])~?/(?:[^\s/:'\"(),;<>]+/)+(?=[^\s/])")
_PACKAGES = re.compile(r"(?<!\S)\S*/(?:site|dist)-packages/")


def without_paths(text: str) -> str:
    """Return a message without where files lie on this machine, which is nobody's business.

    Of a file in an installed package its place in the package is kept, of others the name.
    """
    return _PLACE.sub("…/", _PACKAGES.sub("", text.replace("file:///", "/")))


def plain(text: str) -> str:
    """Return a text on one line without control characters, escapes or direction marks."""
    return "".join(
        " " if unicodedata.category(c) in ("Zl", "Zp") or c in "\t\n\r" else c
        for c in text
        if c in "\t\n\r" or unicodedata.category(c) not in _UNSAFE
    ).strip()


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return the first names and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def of_any_name(remedy: str, name: str) -> str:
    """Return a remedy with ``NAME`` in place of the extractor's own name at its end."""
    return f"{remedy.removesuffix(name)}{NAME}" if remedy.endswith(f" {name}") else remedy


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the values that have a key in common together, in the order in which they come."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def cut(text: str, longest: int) -> str:
    """Return a text of so many characters at most, what is left out of its end said to be."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """Return for each id a beginning that no other id has; ids of a few characters are kept whole."""
    short = {}
    around = ["", *sorted(ids), ""]
    for before, own, after in zip(around, around[1:], around[2:], strict=False):
        shared = max(len(commonprefix([own, other])) for other in (before, after))  # noqa: RUF071
        length = max(_SHORT, shared + 1)
        short[own] = own if len(own) <= max(length, _WHOLE) else own[:length]
    return short
