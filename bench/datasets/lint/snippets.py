"""Do a page's snippets agree with each other, and with its gold text?"""

from __future__ import annotations

from collections.abc import Iterator

from bench.datasets.lint.findings import Finding, Severity, on_page
from bench.datasets.lint.page import PageView

CONTRADICT = "contradicting-snippets"
OUTSIDE = "snippets-against-gold"
_SHOWN = 60


def check(view: PageView) -> Iterator[Finding]:
    """Find snippets that no text can satisfy, and snippets that the gold text itself fails."""
    wanted = [" ".join(each.split()) for each in view.gold.with_snippets if each.strip()]
    unwanted = [" ".join(each.split()) for each in view.gold.without_snippets if each.strip()]
    inside = [(no, yes) for no in unwanted for yes in wanted if no in yes]
    if inside:
        # With a gold text, other metrics can still be had on the page.
        severity = Severity.ERROR if view.gold.text is None else Severity.WARNING
        no, yes = inside[0]
        detail = f"must not appear: {no[:_SHOWN]!r}, but is in what must: {yes[:_SHOWN]!r}"
        yield on_page(CONTRADICT, severity, view.page.id, _more(detail, len(inside)))
    gold = " ".join((view.gold.text or "").split())
    if not gold:
        return
    lacking = [each for each in wanted if each not in gold]
    having = [each for each in unwanted if each in gold]
    if lacking:
        detail = f"must appear, but is not in the gold: {lacking[0][:_SHOWN]!r}"
        yield on_page(OUTSIDE, Severity.WARNING, view.page.id, _more(detail, len(lacking)))
    if having:
        detail = f"must not appear, but is in the gold: {having[0][:_SHOWN]!r}"
        yield on_page(OUTSIDE, Severity.WARNING, view.page.id, _more(detail, len(having)))


def _more(detail: str, count: int) -> str:
    return detail if count == 1 else f"{detail}, and {count - 1} more"
