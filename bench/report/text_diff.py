r"""What an extraction lacks of its gold and has beside it, word by word.

Words are compared as the scorer compares them (``\w+``, case kept); what stands between two words
goes with the one before. The alignment is a longest common subsequence (Myers 1986 has the edit
graph), found by RapidFuzz's bit-parallel algorithm (Hyyrö 2004); texts too long for that are cut
first at words that stand once in both (patience diff).
"""

import bisect
import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, count, groupby
from typing import Literal, NamedTuple, Self

from bench.metrics.texts.tokens import tokenize

Kind = Literal["same", "missing", "surplus", "left out"]
SAME: Kind = "same"
MISSING: Kind = "missing"
SURPLUS: Kind = "surplus"
LEFT_OUT: Kind = "left out"

Block = tuple[Kind, int, int]
"""Kind, and start and end in the gold's words (missing) or the extraction's (same, surplus)."""

_FEW = 20
"""Words that are shown rather than said to be left out."""
_CELLS = 400_000_000
"""Product of lengths up to which two texts are aligned as a whole: 50 MB of bits, well below 1 s."""
_WORD = re.compile(r"\w+")
_SIZE = array("q").itemsize


class Span(NamedTuple):
    """A stretch of one kind.

    ``same`` and ``surplus`` together are the extraction, character by character; ``missing`` is
    the gold's. ``left out`` says how many words stood there.
    """

    kind: Kind
    text: str


class Lexicon(dict[str, bytes]):
    """The words of each sentence as numbers (int64), one for each different word as they come.

    Texts of one page have most of their sentences in common: each different one is cut once.
    """

    def __init__(self, words: Sequence[str] = ()) -> None:
        super().__init__()
        self.numbers = defaultdict(count(len(words)).__next__, zip(words, count(), strict=False))
        """The number of each word; the first are ``words``."""
        self._starts: dict[str, list[int]] = {}

    def __missing__(self, sentence: str) -> bytes:
        numbers = array("q", list(map(self.numbers.__getitem__, tokenize(sentence)))).tobytes()
        self[sentence] = numbers
        return numbers

    def starts(self, sentence: str) -> Sequence[int]:
        """Return where a sentence's words begin; asked of few, those at which a span ends."""
        if sentence not in self._starts:
            self._starts[sentence] = [word.start() for word in _WORD.finditer(sentence)]
        return self._starts[sentence]


class Words:
    """A text cut at its words, each with what follows it, and with its number.

    What stands before the first word goes with it; a text without a word is one that is empty.
    """

    def __init__(self, text: str, lexicon: Lexicon) -> None:
        self.whole = text
        self._lexicon = lexicon
        # No word reaches over the end of a line or a sentence.
        self._sentences = text.replace(". ", ".\n").split("\n")
        self.tokens = array("q", b"".join(map(lexicon.__getitem__, self._sentences)))
        """Numbers of its words, int64."""
        self.numbers = self.tokens or array("q", [lexicon.numbers[""]] if text else [])
        """What is aligned: the same, or of a text without a word its one piece."""

    @cached_property
    def _bytes_before(self) -> list[int]:
        """How many bytes of numbers stand before each sentence."""
        return list(
            accumulate(map(len, map(self._lexicon.__getitem__, self._sentences)), initial=0)
        )

    @cached_property
    def _characters_before(self) -> list[int]:
        """How many characters stand before each sentence, but for ends of lines."""
        return list(accumulate(map(len, self._sentences), initial=0))

    def text(self, start: int, end: int) -> str:
        """Return what some words are in the text, with what stands between and after them."""
        return self.whole[self._place(start) : self._place(end)] if start < end else ""

    def _place(self, word: int) -> int:
        """Return where a word begins; the first does where the text does."""
        if not word:
            return 0
        if word >= len(self.tokens):
            return len(self.whole)
        at = bisect.bisect_right(self._bytes_before, word * _SIZE) - 1
        starts = self._lexicon.starts(self._sentences[at])
        first = self._bytes_before[at] // _SIZE
        return self._characters_before[at] + at + starts[word - first]


class Diff:
    """An extraction beside its gold; both were cut with one lexicon."""

    def __init__(self, gold: Words, text: Words) -> None:
        self._gold = gold
        self._text = text
        self._blocks = list(_aligned(gold.numbers, text.numbers))

    @classmethod
    def of(cls, gold: str, text: str) -> Self:
        """Return the difference of two texts."""
        lexicon = Lexicon()
        return cls(Words(gold, lexicon), Words(text, lexicon))

    def words(self, kind: Kind) -> int:
        """Return how many words are of a kind."""
        return sum(end - start for block_kind, start, end in self._blocks if block_kind == kind)

    def spans(self, context: int | None = None) -> Iterator[Span]:
        """Yield what is the same, missing and surplus, in reading order.

        With ``context``, long stretches of the same are cut down to so many words at either end.
        """
        for kind, blocks in _stretches(self._blocks):
            words = self._gold if kind is MISSING else self._text
            # Blocks of the same adjoin each other.
            start, end = blocks[0][0], blocks[-1][1]
            left_out = 0 if context is None else end - start - 2 * context
            if kind is not SAME:
                yield Span(kind, "".join(words.text(*block) for block in blocks))
            elif context is None or left_out <= _FEW:
                yield Span(SAME, words.text(start, end))
            else:
                yield Span(SAME, words.text(start, start + context))
                yield Span(LEFT_OUT, f"{left_out:,} words the same")
                yield Span(SAME, words.text(end - context, end))


def spans(gold: str, text: str, context: int | None = None) -> list[Span]:
    """Return the spans of an extraction and what it lacks of its gold, as ``Diff.spans``."""
    return list(Diff.of(gold, text).spans(context))


def _stretches(blocks: Iterable[Block]) -> Iterator[tuple[Kind, list[tuple[int, int]]]]:
    """Yield stretches of one kind, each as the blocks (start and end) that it is made of.

    Between two stretches of the same all that is missing comes first, then all surplus.
    """
    some = (block for block in blocks if block[1] < block[2])
    for _, run in groupby(some, lambda block: block[0] == SAME):
        by_kind: dict[Kind, list[tuple[int, int]]] = {MISSING: [], SURPLUS: [], SAME: []}
        for kind, start, end in run:
            by_kind[kind].append((start, end))
        yield from ((kind, stretch) for kind, stretch in by_kind.items() if stretch)


# -- alignment -------------------------------------------------------------------------------


def _aligned(a: Sequence[int], b: Sequence[int]) -> Iterator[Block]:
    """Yield the blocks of two lists of word numbers, ``a`` the gold's; some may be empty."""
    shorter = min(len(a), len(b))
    start = _alike(shorter, lambda done, end: a[done:end] == b[done:end])
    end = _alike(
        shorter - start,
        lambda done, end: a[len(a) - end : len(a) - done] == b[len(b) - end : len(b) - done],
    )
    yield SAME, 0, start
    yield from _cut(a[start : len(a) - end], b[start : len(b) - end], start)
    yield SAME, len(b) - end, len(b)


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


def _cut(a: Sequence[int], b: Sequence[int], offset: int) -> Iterator[Block]:
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


def _between(a: Sequence[int], b: Sequence[int], offset_a: int, offset_b: int) -> Iterator[Block]:
    # Where too much is left without a word to hold on to, part by part: a little less is the same.
    parts = math.ceil(math.sqrt(len(a) * len(b) / _CELLS)) or 1
    for part in range(parts):
        from_a, to_a = (len(a) * bound // parts for bound in (part, part + 1))
        from_b, to_b = (len(b) * bound // parts for bound in (part, part + 1))
        yield from _by_subsequence(
            a[from_a:to_a], b[from_b:to_b], offset_a + from_a, offset_b + from_b
        )


def _by_subsequence(
    a: Sequence[int], b: Sequence[int], offset_a: int, offset_b: int
) -> Iterator[Block]:
    from rapidfuzz.distance import LCSseq

    for step in LCSseq.opcodes(a, b):
        if step.tag == "equal":
            yield SAME, offset_b + step.dest_start, offset_b + step.dest_end
            continue
        yield MISSING, offset_a + step.src_start, offset_a + step.src_end
        yield SURPLUS, offset_b + step.dest_start, offset_b + step.dest_end


def _anchors(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
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
