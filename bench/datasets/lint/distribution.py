"""Languages and sizes: what the set is a sample of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.datasets.facts import primary
from bench.datasets.lint.findings import Finding, Severity
from bench.datasets.lint.page import PageView

LANGUAGES = "languages"
SIZES = "sizes"
UNKNOWN = "unknown"
LONG = 10
"""A page with more words than this many times the median stands out."""
_SHOWN = 8


@dataclass(frozen=True)
class Size:
    """One page's language and sizes."""

    page_id: str
    language: str
    html_bytes: int
    words: int
    gold_words: int


def size(view: PageView) -> Size:
    """Return a page's language (as stated, else as declared) and sizes."""
    language = primary(view.page.language) or view.parsed.language or UNKNOWN
    return Size(view.page.id, language, len(view.page.html), len(view.words), len(view.gold_words))


def languages(sizes: Sequence[Size]) -> Mapping[str, int]:
    """Return pages by language, most first."""
    counts = Counter(each.language for each in sizes)
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def check(sizes: Sequence[Size]) -> Iterator[Finding]:
    """Say which languages and sizes there are, and name pages far from the rest."""
    if not sizes:
        return
    counts = languages(sizes)
    shown = [f"{name} {count}" for name, count in list(counts.items())[:_SHOWN]]
    more = f", {len(counts) - _SHOWN} others" if len(counts) > _SHOWN else ""
    yield Finding(LANGUAGES, Severity.NOTE, (), ", ".join(shown) + more)
    kinds: dict[str, tuple[list[float], str]] = {
        "HTML": ([each.html_bytes / 1024 for each in sizes], " KiB"),
        "text": ([each.words for each in sizes], " words"),
        "gold": ([each.gold_words for each in sizes], " words"),
    }
    for name, (values, unit) in kinds.items():
        digits = 1 if name == "HTML" else 0
        low, middle, high = (f"{each:,.{digits}f}" for each in np.quantile(values, [0, 0.5, 1]))
        detail = f"{name}: {low} to {high}{unit}, median {middle}"
        yield Finding(SIZES, Severity.NOTE, (), detail)
    median = float(np.median([each.words for each in sizes]))
    long = [each for each in sizes if each.words > LONG * median > 0]
    if long:
        ids = tuple(each.page_id for each in long)
        detail = f"more than {LONG} times the words of the median page: {', '.join(ids[:_SHOWN])}"
        detail += f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
        yield Finding(SIZES, Severity.NOTE, ids, detail)
