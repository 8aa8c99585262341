"""Did the people who marked the gold leave their marks in the page?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from bench.datasets.lint.findings import Finding, Severity, on_page
from bench.datasets.lint.page import PageView

NAME = "annotation-residue"

# What annotation leaves behind, by data set, as it stands inside a tag.
MARKS = {
    # WebMainBench: what is content, and text made selectable
    "cc-select attribute": r"\s(?:cc-select|data-anno-uid)\b",
    "mark-selected class": r"\bclass\s*=[^=]*\bmark-selected\b",
    "marked-text element": r"^/?marked-(?:text|tail|inline)\b",
    "__boilernet attribute": r"\b__boilernet_(?:label|is_content)\s*=",  # BoilerNet, Google Trends
    "x-nc class": r"\bx-nc-(?:sel[0-9]|invisible)\b",  # L3S-GN1: 1 to 5 are kinds of content
    "<text id> wrapper": r"^text\s[^>]*\bid\s*=[^>]*\b(?:title|encoding)\s*=",  # CleanEval
}
_WORDS = (
    "cc-select", "data-anno-uid", "mark-selected", "<marked-", "__boilernet_", "x-nc-", "<text ",
)  # fmt: skip
_TAG = re.compile(r"<([^<>]{1,4000}+)")
_PATTERNS = {name: re.compile(pattern, re.I) for name, pattern in MARKS.items()}


def check(view: PageView) -> Iterator[Finding]:
    """Find attributes, classes and elements that annotation put into the page."""
    source = view.html.lower()
    if not any(word in source for word in _WORDS):
        return
    found: Counter[str] = Counter()
    for tag in _TAG.finditer(view.html):
        for name, pattern in _PATTERNS.items():
            found[name] += bool(pattern.search(tag[1]))
    detail = ", ".join(f"{name} × {count}" for name, count in found.items() if count)
    if detail:
        yield on_page(NAME, Severity.ERROR, view.page.id, detail)
