"""Languages and sizes: what the set is a sample of."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.datasets.facts import primary
from bench.datasets.lint.findings import Finding, Severity
from bench.datasets.lint.page_checks import PageView

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
    language = primary(view.page.language) or view.parsed.language or "unknown"
    return Size(view.page.id, language, len(view.page.html), len(view.words), len(view.gold_words))


def languages(sizes: Sequence[Size]) -> Mapping[str, int]:
    """Return pages by language, most first."""
    counts = Counter(size.language for size in sizes)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def check(sizes: Sequence[Size]) -> Iterator[Finding]:
    """Say which languages and sizes there are, and name pages far from the rest."""
    if not sizes:
        return
    shown = [f"{name} {count}" for name, count in languages(sizes).items()]
    more = f", {len(shown) - _SHOWN} others" if len(shown) > _SHOWN else ""
    yield Finding("languages", Severity.NOTE, (), ", ".join(shown[:_SHOWN]) + more)
    words = [size.words for size in sizes]
    for name, values, digits, unit in (
        ("HTML", [size.html_bytes / 1024 for size in sizes], 1, "KiB"),
        ("text", words, 0, "words"),
        ("gold", [size.gold_words for size in sizes], 0, "words"),
    ):
        low, middle, high = (f"{value:,.{digits}f}" for value in np.quantile(values, [0, 0.5, 1]))
        detail = f"{name}: {low} to {high} {unit}, median {middle}"
        yield Finding("sizes", Severity.NOTE, (), detail)
    median = float(np.median(words))
    ids = tuple(size.page_id for size in sizes if size.words > LONG * median > 0)
    if ids:
        detail = f"more than {LONG} times the words of the median page: {', '.join(ids[:_SHOWN])}"
        detail += f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
        yield Finding("sizes", Severity.NOTE, ids, detail)
