r"""What an extraction lacks of its gold and has beside it, word by word.

Words are compared as the scorer compares them (``\w+``, case kept); what stands between two words
goes with the one before. The alignment is a longest common subsequence (Myers 1986 has the edit
graph), found by RapidFuzz's bit-parallel algorithm (Hyyrö 2004); texts too long for that are cut
first at words that stand once in both (patience diff).
"""

import bisect
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple, Self, cast

import numpy as np
import numpy.typing as npt

from bench.metrics.texts import token_numbers
from bench.metrics.texts.token_numbers import BYTES, Ints

Kind = Literal["same", "missing", "surplus", "left out"]
SAME: Kind = "same"
MISSING: Kind = "missing"
SURPLUS: Kind = "surplus"
LEFT_OUT: Kind = "left out"

Match = tuple[int, int, int]
"""Words that are the same: where they start in the gold and in the extraction, and how many."""
Numbers = str | list[int]
"""Words as numbers: as characters, which compare fast, unless there are more words than those."""

_LEAST_TO_BEGIN = -0x40
"""Bytes below (as they are signed) go on with a character of UTF-8."""
_MANY = 500
"""Words that are numbered sooner together than one by one."""
_FEW = 20
"""Words that are shown rather than said to be left out."""
_CELLS = 400_000_000
"""Product of lengths up to which two texts are aligned as a whole: 50 MB of bits, well below 1 s."""


class Span(NamedTuple):
    """A stretch of one kind.

    ``same`` and ``surplus`` together are the extraction, character by character; ``missing`` is
    the gold's. ``left out`` says how many words stood there.
    """

    kind: Kind
    text: str


class Lexicon:
    """The words of a page's texts by number, from 1 on."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        self.words = list(words)
        """Every different word in the order of numbers."""

    def cut(self, texts: Sequence[str]) -> Iterator["Words"]:
        """Yield texts cut at their words."""
        for some in token_numbers.some_at_once(texts):
            # What is known comes first, and so keeps its numbers.
            words = token_numbers.Words.of(["\n".join(self.words), *some])
            numbers, new = _numbered(words)
            self.words += words.at(new)
            encoded = np.frombuffer(words.raw, np.int8)
            parts = zip(pairwise(words.ends), pairwise(words.bounds[1:]), strict=True)
            for text, ((first, end), (start, stop)) in zip(some, parts, strict=True):
                starts = words.starts[first:end] - start
                yield Words(text, numbers[first:end], starts, encoded[start : stop - 1])


class Words:
    """A text cut at its words, each with what follows it, and with its number.

    What stands before the first word goes with it; a text without a word is one that is empty.
    """

    def __init__(
        self, text: str, tokens: npt.NDArray[np.uint32], starts: Ints, encoded: npt.NDArray[np.int8]
    ) -> None:
        self.whole = text
        self.tokens = tokens
        """Numbers of its words."""
        self._starts = starts
        self._encoded = encoded

    @cached_property
    def numbers(self) -> Numbers:
        """What is aligned: the same, or of a text without a word its one piece, number 0."""
        numbers = self.tokens if self.tokens.size or not self.whole else np.zeros(1, np.uint32)
        if numbers.max(initial=0) > sys.maxunicode:
            return cast(list[int], numbers.tolist())
        return numbers.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")

    @cached_property
    def _bounds(self) -> tuple[Ints, Ints]:
        """Where words begin and the text ends in its UTF-8, and where bytes begin no character."""
        starts = np.concatenate([[0], self._starts[1:], [self._encoded.size]])
        return starts, np.flatnonzero(self._encoded < _LEAST_TO_BEGIN)

    def places(self, words: Sequence[int]) -> list[int]:
        """Return where some words begin in the text; the first does where it does."""
        starts, inside = self._bounds
        places = starts[np.array(words, np.int64)]
        return cast(list[int], (places - inside.searchsorted(places)).tolist())


class Diff:
    """An extraction beside its gold; both were cut with one lexicon."""

    def __init__(self, gold: Words, text: Words) -> None:
        self._gold = gold
        self._text = text
        self._matches = _joined(_aligned(gold.numbers, text.numbers))

    @classmethod
    def of(cls, gold: str, text: str) -> Self:
        """Return the difference of two texts."""
        return cls(*Lexicon().cut([gold, text]))

    def words(self, kind: Kind) -> int:
        """Return how many words are the same, missing or surplus."""
        same = sum(size for _, _, size in self._matches)
        all_words = {
            SAME: 2 * same,
            MISSING: len(self._gold.numbers),
            SURPLUS: len(self._text.numbers),
        }
        return all_words[kind] - same

    def spans(self, context: int | None = None) -> Iterator[Span]:
        """Yield what is the same, missing and surplus, in reading order.

        Between two stretches of the same all that is missing comes first, then all surplus. With
        ``context``, long stretches of the same are cut down to so many words at either end.
        """
        gold, text = self._gold.whole, self._text.whole
        ends = len(self._gold.numbers), len(self._text.numbers)
        matches = [*self._matches, (*ends, 0)]
        shown = [
            size if context is None or size - 2 * context <= _FEW else context
            for _, _, size in matches
        ]
        in_gold = self._gold.places([place for a, _, size in matches for place in (a, a + size)])
        in_text = self._text.places(
            [
                place
                for (_, b, size), some in zip(matches, shown, strict=True)
                for place in (b, b + some, b + size - some, b + size)
            ]
        )
        missing = surplus = 0
        for at, ((_, _, size), some) in enumerate(zip(matches, shown, strict=True)):
            start, end = in_gold[2 * at : 2 * at + 2]
            if missing < start:
                yield Span(MISSING, gold[missing:start])
            missing = end
            start, head, tail, end = in_text[4 * at : 4 * at + 4]
            if surplus < start:
                yield Span(SURPLUS, text[surplus:start])
            surplus = end
            if some < size:
                yield Span(SAME, text[start:head])
                yield Span(LEFT_OUT, f"{size - 2 * some:,} words the same")
                yield Span(SAME, text[tail:end])
            elif size:
                yield Span(SAME, text[start:end])


def spans(gold: str, text: str, context: int | None = None) -> list[Span]:
    """Return the spans of an extraction and what it lacks of its gold, as ``Diff.spans``."""
    return list(Diff.of(gold, text).spans(context))


def _numbered(words: token_numbers.Words) -> tuple[npt.NDArray[np.uint32], Ints]:
    """Return a number for each word, and of each number but the first text's a word that has it.

    The first text's words, of which no two are the same, have their places, from 1 on.
    """
    import pandas as pd  # not at the top: it takes its time

    codes, different = pd.factorize(words.eight_bytes(slice(None)))
    size = len(different)
    sizes = words.stops - words.starts
    longer, done = np.flatnonzero(sizes > BYTES), BYTES
    while longer.size > _MANY:
        # What is the same so far is told apart by the next bytes.
        following, different = pd.factorize(words.eight_bytes(longer, done))
        both, pairs = pd.factorize(codes[longer] * len(different) + following)
        codes[longer] = size + both
        size, done = size + len(pairs), done + BYTES
        longer = longer[sizes[longer] > done]
    if longer.size:
        codes[longer] = size + np.array(words.one_by_one(longer))
        size = int(codes.max()) + 1
    known = int(words.ends[0])
    a_word, numbers = np.full(size, -1), np.zeros(size, np.uint32)
    a_word[codes] = np.arange(codes.size)
    numbers[codes[:known]] = np.arange(1, known + 1)
    new = np.flatnonzero((a_word >= 0) & (numbers == 0))
    numbers[new] = np.arange(known + 1, known + 1 + new.size)
    return numbers[codes], a_word[new]


def _joined(matches: Iterable[Match]) -> list[Match]:
    """Return matches in which none adjoins the next."""
    joined: list[Match] = []
    for a, b, size in matches:
        if joined and (a, b) == (joined[-1][0] + joined[-1][2], joined[-1][1] + joined[-1][2]):
            joined[-1] = (*joined[-1][:2], joined[-1][2] + size)
        elif size:
            joined.append((a, b, size))
    return joined


# -- alignment -------------------------------------------------------------------------------


def _aligned(a: Numbers, b: Numbers) -> Iterator[Match]:
    """Yield what two texts have in common, ``a`` the gold; some may adjoin each other, or be empty."""
    shorter = min(len(a), len(b))
    start = _alike(shorter, lambda done, end: a[done:end] == b[done:end])
    end = _alike(
        shorter - start,
        lambda done, end: a[len(a) - end : len(a) - done] == b[len(b) - end : len(b) - done],
    )
    yield 0, 0, start
    yield from _cut(a[start : len(a) - end], b[start : len(b) - end], start)
    yield len(a) - end, len(b) - end, end


def _alike(most: int, same: Callable[[int, int], bool]) -> int:
    """Return how much of the beginning is the same, by halves: slices are compared at once."""
    done = 0
    while done < most:
        end = (done + most + 1) // 2
        if same(done, end):
            done = end
        else:
            most = end - 1
    return done


def _cut(a: Numbers, b: Numbers, offset: int) -> Iterator[Match]:
    """Align what differs, in one go or between words that stand once in both."""
    if len(a) * len(b) <= _CELLS:
        yield from _by_subsequence(a, b, offset, offset)
        return
    at_a = at_b = 0
    for in_a, in_b in [*_anchors(a, b), (len(a), len(b))]:
        if in_a < len(a) and (in_a - at_a) * (in_b - at_b) < _CELLS // 64:
            continue
        yield from _between(a[at_a:in_a], b[at_b:in_b], offset + at_a, offset + at_b)
        at_a, at_b = in_a, in_b


def _between(a: Numbers, b: Numbers, offset_a: int, offset_b: int) -> Iterator[Match]:
    # Where too much is left without a word to hold on to, part by part: a little less is the same.
    parts = math.ceil(math.sqrt(len(a) * len(b) / _CELLS)) or 1
    for part in range(parts):
        from_a, to_a = (len(a) * bound // parts for bound in (part, part + 1))
        from_b, to_b = (len(b) * bound // parts for bound in (part, part + 1))
        yield from _by_subsequence(
            a[from_a:to_a], b[from_b:to_b], offset_a + from_a, offset_b + from_b
        )


def _by_subsequence(a: Numbers, b: Numbers, offset_a: int, offset_b: int) -> Iterator[Match]:
    from rapidfuzz.distance import LCSseq

    for match in LCSseq.editops(a, b).as_matching_blocks():
        yield offset_a + match.a, offset_b + match.b, match.size


def _anchors(a: Numbers, b: Numbers) -> list[tuple[int, int]]:
    """Return places of words that stand once in either text, in the same order in both."""
    once_a = {word for word, times in Counter(a).items() if times == 1}
    once_b = {word for word, times in Counter(b).items() if times == 1}
    places = {word: at for at, word in enumerate(b) if word in once_b}
    pairs = [(at, places[word]) for at, word in enumerate(a) if word in once_a and word in places]
    # Longest increasing subsequence of the places in b, by patience sorting.
    tops: list[int] = []
    piles: list[int] = []
    before = [-1] * len(pairs)
    for index, (_, at) in enumerate(pairs):
        pile = bisect.bisect_left(tops, at)
        before[index] = piles[pile - 1] if pile else -1
        if pile == len(tops):
            tops.append(at)
            piles.append(index)
        else:
            tops[pile], piles[pile] = at, index
    chain: list[tuple[int, int]] = []
    index = piles[-1] if piles else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]
