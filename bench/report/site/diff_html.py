"""Marked differences as HTML: gold with what is missing, extraction with what is surplus."""

import html
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from markupsafe import Markup

from bench.report.site.rendering import visible
from bench.report.text_diff import LEFT_OUT, MISSING, SAME, SURPLUS, Diff, Kind, Span

CONTEXT = 20
"""Words that stay at either end of a long stretch that is the same."""
_LONGEST = 1200
_HEAD, _TAIL = 600, 300
_SIDE_HEAD, _SIDE_TAIL = 4000, 2000
"""Characters of a side at its beginning and end, whatever is marked in them."""


@dataclass(frozen=True)
class Sides:
    """One extraction beside its gold."""

    gold: Markup
    text: Markup
    missing: int
    """Words."""
    surplus: int
    """Words."""


def sides(diff: Diff) -> Sides:
    """Return both sides of a difference, long stretches shortened and said to be."""
    spans = list(_shortened(diff.spans(CONTEXT)))
    return Sides(
        gold=_side(spans, MISSING, "del"),
        text=_side(spans, SURPLUS, "ins"),
        missing=diff.words(MISSING),
        surplus=diff.words(SURPLUS),
    )


def shortened(text: str) -> Markup:
    """Return a text alone, its middle left out where it is long."""
    return _markup(_piece(span, "") for span in _shortened([Span(SAME, text)]))


def _shortened(spans: Iterable[Span]) -> Iterator[Span]:
    for span in spans:
        if len(span.text) <= _LONGEST:
            yield span
            continue
        rest = len(span.text) - _HEAD - _TAIL
        yield Span(span.kind, span.text[:_HEAD])
        note = f"{rest:,} characters"
        # A note on what is missing or surplus stands on its own side, as part of it.
        yield (Span(LEFT_OUT, note) if span.kind == SAME else Span(span.kind, f" [… {note} …] "))
        yield Span(span.kind, span.text[-_TAIL:])


def _side(spans: Sequence[Span], kind: Kind, tag: str) -> Markup:
    """Return the spans that belong to one side; what is left out of the same belongs to both."""
    own = [span for span in spans if span.kind in (SAME, LEFT_OUT, kind)]
    return _markup(_piece(span, tag if span.kind == kind else "") for span in _ends(own))


def _ends(spans: list[Span]) -> list[Span]:
    """Return the spans of a side that is not too long, else those at its beginning and end."""
    ends = list(accumulate(len(span.text) for span in spans))
    if not ends or ends[-1] <= _SIDE_HEAD + _SIDE_TAIL:
        return spans
    first = bisect_left(ends, _SIDE_HEAD) + 1
    last = max(first, bisect_left(ends, ends[-1] - _SIDE_TAIL) + 1)
    if first == last:
        return spans
    rest = ends[last - 1] - ends[first - 1]
    return [*spans[:first], Span(LEFT_OUT, f"{rest:,} characters"), *spans[last:]]


def _piece(span: Span, tag: str) -> str:
    # Escaped here and not by Markup's own format, which takes ten times as long: there are
    # millions of pieces in a large site.
    words = html.escape(span.text, quote=False)
    if span.kind == LEFT_OUT:
        return f'<em class="cut">[… {words} …]</em> '
    return f"<{tag}>{words}</{tag}>" if tag else words


def _markup(escaped: Iterable[str]) -> Markup:
    """Return escaped pieces as one; what acts without being seen is shown by its number."""
    return Markup(visible("".join(escaped)))  # noqa: S704 (escaped piece by piece)
