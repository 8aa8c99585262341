"""Marked differences as HTML: gold with what is missing, extraction with what is surplus.

The same spans as ``bench.report.marked`` finds (a test holds them against each other), worked out
for many extractions of one page: each is cut into words once, and what is left out of long
stretches is never put together.
"""

from __future__ import annotations

import html
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from markupsafe import Markup

from bench.report.alignment import MISSING, SAME, SURPLUS, Block, Kind, aligned
from bench.report.marked import FEW, LEFT_OUT, Lexicon, Span, Words, stretches
from bench.report.site.rendering import visible

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


class GoldMarks:
    """A page's gold, prepared once for any number of extractions."""

    def __init__(self, gold: str) -> None:
        self._lexicon = Lexicon()
        self.gold = Words(gold, self._lexicon)

    def words(self, text: str) -> Words:
        """Return a text's words, numbered as the gold's are."""
        return Words(text, self._lexicon)

    def sides(self, found: Words) -> Sides:
        """Return both sides of a difference, long stretches shortened and said to be."""
        blocks = list(aligned(self.gold.numbers, found.numbers))
        short = list(_shortened(self._spans(blocks, found)))
        return Sides(
            gold=_side(short, MISSING, "del"),
            text=_side(short, SURPLUS, "ins"),
            missing=_count(blocks, MISSING),
            surplus=_count(blocks, SURPLUS),
        )

    def spans(self, found: Words) -> list[Span]:
        """Return the abridged spans of an extraction."""
        return list(self._spans(aligned(self.gold.numbers, found.numbers), found))

    def _spans(self, blocks: Iterable[Block], found: Words) -> Iterator[Span]:
        for kind, own in stretches(blocks):
            if kind is SAME:
                yield from _same(own, found)
            else:
                yield (self.gold if kind is MISSING else found).span(kind, own)


def _same(blocks: Sequence[tuple[int, int]], found: Words) -> Iterator[Span]:
    """Yield a stretch of the same, in one piece or its two ends; its blocks adjoin each other."""
    start, end = blocks[0][0], blocks[-1][1]
    left_out = end - start - 2 * CONTEXT
    if left_out > FEW:
        yield Span(SAME, found.text(start, start + CONTEXT))
        yield Span(LEFT_OUT, f"{left_out:,} words the same")
        start = end - CONTEXT
    yield Span(SAME, found.text(start, end))


def shortened(text: str) -> Markup:
    """Return a text alone, its middle left out where it is long."""
    return _markup(_piece(each, "") for each in _shortened([Span(SAME, text)]))


def _count(blocks: Sequence[Block], kind: Kind) -> int:
    return sum(end - start for own, start, end in blocks if own == kind)


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
    shown = (SAME, LEFT_OUT, kind)
    own = [each for each in spans if each.kind in shown]
    return _markup(_piece(each, tag if each.kind == kind else "") for each in _ends(own))


def _ends(spans: list[Span]) -> list[Span]:
    """Return the spans of a side that is not too long, else those at its beginning and end."""
    ends = list(accumulate(len(each.text) for each in spans))
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
    words = html.escape(span.text)
    if span.kind == LEFT_OUT:
        return f'<em class="cut">[… {words} …]</em> '
    return f"<{tag}>{words}</{tag}>" if tag else words


def _markup(escaped: Iterable[str]) -> Markup:
    """Return escaped pieces as one; what acts without being seen is shown by its number."""
    return Markup(visible("".join(escaped)))  # noqa: S704 (escaped piece by piece)
