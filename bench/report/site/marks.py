"""Marked differences as HTML: gold with what is missing, extraction with what is surplus.

The same spans as ``bench.report.marked`` finds (a test holds them against each other), worked out
for many extractions of one page: texts are cut into words by whole passes of regular expressions,
and what is left out of long stretches is never put together.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, count

from markupsafe import Markup

from bench.report import marked
from bench.report.marked import Kind, Span
from bench.report.site.rendering import visible

CONTEXT = 30
"""Words that stay at either end of a long stretch that is the same."""
_LONGEST = 1500
_HEAD, _TAIL = 800, 400
_SIDE_HEAD, _SIDE_TAIL = 6000, 3000
"""Characters of a side at its beginning and end, whatever is marked in them."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Sides:
    """One extraction beside its gold."""

    gold: Markup
    text: Markup
    missing: int
    """Words."""
    surplus: int
    """Words."""


class _Words:
    """A text as pieces (a word and what follows it) and the numbers of its words."""

    def __init__(self, text: str, numbers: defaultdict[str, int]) -> None:
        self.pieces = marked._pieces(text)
        # A text without a word is one piece, and the same as any other such.
        words = _WORD.findall(text) or [""] * len(self.pieces)
        self.numbers = list(map(numbers.__getitem__, words))


class GoldMarks:
    """A page's gold, prepared once for any number of extractions."""

    def __init__(self, gold: str) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._gold = _Words(gold, self._numbers)

    def sides(self, text: str) -> Sides:
        """Return both sides of a difference, long stretches shortened and said to be."""
        found = _Words(text, self._numbers)
        blocks = list(marked._aligned(self._gold.numbers, found.numbers))
        short = list(_shortened(self._spans(blocks, found)))
        return Sides(
            gold=_side(short, marked.MISSING, "del"),
            text=_side(short, marked.SURPLUS, "ins"),
            missing=_count(blocks, marked.MISSING),
            surplus=_count(blocks, marked.SURPLUS),
        )

    def spans(self, text: str) -> list[Span]:
        """Return the abridged spans of an extraction."""
        found = _Words(text, self._numbers)
        return list(self._spans(marked._aligned(self._gold.numbers, found.numbers), found))

    def _spans(self, blocks: Iterable[marked.Block], found: _Words) -> Iterator[Span]:
        missing: list[str] = []
        surplus: list[str] = []
        same: list[str] = []
        for kind, start, end in blocks:
            if start == end:
                continue
            if kind is marked.SAME:
                yield from _told(missing, marked.MISSING)
                yield from _told(surplus, marked.SURPLUS)
                same += found.pieces[start:end]
                continue
            yield from _same(same)
            if kind is marked.MISSING:
                missing += self._gold.pieces[start:end]
            else:
                surplus += found.pieces[start:end]
        yield from _told(missing, marked.MISSING)
        yield from _told(surplus, marked.SURPLUS)
        yield from _same(same)


def _told(pieces: list[str], kind: Kind) -> Iterator[Span]:
    if pieces:
        yield Span(kind, "".join(pieces))
        pieces.clear()


def _same(pieces: list[str]) -> Iterator[Span]:
    left_out = len(pieces) - 2 * CONTEXT
    if left_out > 20:
        yield Span(marked.SAME, "".join(pieces[:CONTEXT]))
        yield Span(marked.LEFT_OUT, f"{left_out:,} words the same")
        del pieces[:-CONTEXT]
    yield from _told(pieces, marked.SAME)


def shortened(text: str) -> Markup:
    """Return a text alone, its middle left out where it is long."""
    return _markup(_piece(each, "") for each in _shortened([Span(marked.SAME, text)]))


def _count(blocks: Sequence[marked.Block], kind: Kind) -> int:
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
        yield (
            Span(marked.LEFT_OUT, note)
            if span.kind == marked.SAME
            else Span(span.kind, f" [… {note} …] ")
        )
        yield Span(span.kind, span.text[-_TAIL:])


def _side(spans: Sequence[Span], kind: Kind, tag: str) -> Markup:
    """Return the spans that belong to one side; what is left out of the same belongs to both."""
    shown = (marked.SAME, marked.LEFT_OUT, kind)
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
    return [*spans[:first], Span(marked.LEFT_OUT, f"{rest:,} characters"), *spans[last:]]


def _piece(span: Span, tag: str) -> str:
    # Escaped here and not by Markup's own format, which takes ten times as long: there are
    # millions of pieces in a large site.
    words = html.escape(span.text)
    if span.kind == marked.LEFT_OUT:
        return f'<em class="cut">[… {words} …]</em> '
    return f"<{tag}>{words}</{tag}>" if tag else words


def _markup(escaped: Iterable[str]) -> Markup:
    """Return escaped pieces as one; what acts without being seen is shown by its number."""
    return Markup(visible("".join(escaped)))  # noqa: S704 (escaped piece by piece)
