"""Is there gold, and is it in the page?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.datasets import html_text
from bench.datasets.lint import grams
from bench.datasets.lint.findings import Finding, Severity, on_page
from bench.datasets.lint.page import PageView

ABSENT_ERROR = 0.5
"""Share of the gold's n-grams that the page lacks, from which on the gold is another page's."""
ABSENT_WARNING = 0.2
"""The same, from which on a person should look."""
EMPTY = "empty-gold"
NOT_IN_PAGE = "gold-not-in-page"
IN_SOURCE = "gold-in-source-only"

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_ESCAPED_SPACE = re.compile(r"\\[nrt]")


def check(view: PageView) -> Iterator[Finding]:
    """Find gold that is empty, or not in the page."""
    if view.gold.text is None:
        return
    if not view.gold_words:
        yield _empty(view)
        return
    lines = [line for line in map(grams.folded, view.gold.text.splitlines()) if line]
    missing = grams.absent(lines, view.words)
    if missing < ABSENT_WARNING:
        return
    missing_in_source = min(missing, grams.absent(lines, _source(view.html)))
    if missing_in_source < min(ABSENT_WARNING, missing / 2):
        detail = f"{missing:.0%} of the gold is not in the page's text, but in its source"
        yield on_page(IN_SOURCE, Severity.WARNING, view.page.id, detail)
        return
    severity = Severity.ERROR if missing_in_source >= ABSENT_ERROR else Severity.WARNING
    detail = f"{missing:.0%} of the gold's {grams.N}-grams are not in the page's text"
    if missing_in_source < missing:
        detail += f", {missing_in_source:.0%} not in its source"
    yield on_page(NOT_IN_PAGE, severity, view.page.id, detail)


def _empty(view: PageView) -> Finding:
    wanted = [each for each in view.gold.with_snippets if each.strip()]
    if wanted:
        detail = f"no gold text, but {len(wanted)} snippets that must appear"
        return on_page(EMPTY, Severity.ERROR, view.page.id, detail)
    detail = f"the page's text has {len(view.words)} words"
    return on_page(EMPTY, Severity.WARNING, view.page.id, detail)


def _source(html: str) -> list[str]:
    """Return every word of a page's source, those in scripts and attributes included."""
    plain = _ESCAPED_SPACE.sub(" ", html_text.unescape(html))
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), plain)
    # Markup inside of scripts' strings parts words too; outside it is no text.
    return grams.folded(re.sub(r"<[^<>]{0,500}>", " ", plain)) + grams.folded(plain)
