"""ROUGE-N and ROUGE-LSum: the figures of Google's ``rouge-score`` 0.1.2 without its stemmer.

Tokens are runs of ``a-z0-9`` in the lower-cased text. ROUGE-N counts n-grams: with g(x), e(x) the
counts in gold and extraction and o = Σ min(g, e), P = o / Σ e, R = o / Σ g, F1 = 2PR/(P+R), each
0 where its denominator is.

ROUGE-LSum splits both texts at line breaks. For each gold line, and each line found, one longest
common subsequence is taken; the gold tokens that are in any of them are hits, for each word at
most as many as the extraction has. P and R are hits over tokens found and gold tokens. Where
there are several longest subsequences the one counts that ``rouge-score`` takes: from the ends of
both lines, equal tokens are taken, else it steps back to where the longer subsequence is, in the
gold line on a tie.

Two empty texts score 1 (``rouge-score``: 0). Texts that have words, but none in ``a-z0-9``, score
0 as they do there: ROUGE says nothing about Chinese. The SIGIR 2023 study tokenizes otherwise (at
white space, sentences found by NLTK), so that its figures are near these and not the same.

https://github.com/google-research/google-research/tree/master/rouge.

How ROUGE-LSum is computed here: the table of common subsequences of every gold line with a line
found is kept as bits, one integer for each token found, whose bit i says whether the table grows
from gold token i − 1 to i (Hyyrö 2004, "Bit-parallel LCS-length computation revisited"). All gold
lines stand side by side in it, with a zero between them that stops the carry. Walking back is done
for all gold lines at once as well. Time grows with gold tokens times tokens found. At the limit,
50,000 tokens each, it is some seconds (a quarter of a minute where they stand in lines of one or
two words) and 130 MiB. Beyond it texts are cut and the rest counts as not found, so that the
figures are lower bounds.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import isqrt

from bench.metrics.base import Counts, Metric, precision_recall_f1
from bench.metrics.texts.tokens import tokenize
from bench.model import Gold

MAX_GOLD_TOKENS = 50_000
MAX_CELLS = MAX_GOLD_TOKENS**2
MAX_TOKENS = 500_000

_CITATION = (
    "Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, "
    "https://aclanthology.org/W04-1013"
)
_TOKEN = re.compile("[a-z0-9]+")
_BLOCK_BITS = 2048
_KEPT_BITS = 2**28

_Rows = list[tuple[int, int]]
"""For each token found, where it stands in the gold and the state of the table after it."""


class RougeN(Metric):
    """Counts n-grams of words."""

    citation = _CITATION
    stem = "rouge"
    family = "rouge-n"
    lengths = (1, 2)

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.name = f"rouge-{n}"
        grams = {1: "single words", 2: "pairs of words"}.get(n, f"{n}-grams of words")
        self.title = f"ROUGE-{n}: {grams}"

    def count(self, gold: Gold, language: str | None, texts: Sequence[str]) -> Iterable[Counts]:
        """Return precision, recall and F1."""
        gold_text, n = gold.text or "", self.n or 1
        no_words = not tokenize(gold_text)
        counts = _ngrams(_tokens(gold_text), n)

        def score(text: str) -> tuple[float, ...]:
            grams = _ngrams(_tokens(text), n)
            if not grams and no_words and not tokenize(text):
                return 1.0, 1.0, 1.0
            hits = sum(min(count, counts[gram]) for gram, count in grams.items() if gram in counts)
            return precision_recall_f1(hits, grams.total(), counts.total())

        return map(score, texts)


class RougeLsum(Metric):
    """Counts the words of longest common subsequences, line by line."""

    name = "rouge-lsum"
    title = "ROUGE-LSum: longest common subsequence, line by line"
    citation = _CITATION

    def count(self, gold: Gold, language: str | None, texts: Sequence[str]) -> Iterable[Counts]:
        """Return precision, recall and F1."""
        gold_text = gold.text or ""
        no_words = not tokenize(gold_text)
        gold_lines = _lines(gold_text)
        gold_size = sum(map(len, gold_lines))
        blocks = [_Block(block) for block in _blocks(_cut(gold_lines, MAX_GOLD_TOKENS))]

        def score(text: str) -> tuple[float, ...]:
            lines = _lines(text)
            size = sum(map(len, lines))
            if not size and no_words and not tokenize(text):
                return 1.0, 1.0, 1.0
            if not size or not gold_size:
                return 0.0, 0.0, 0.0
            lines = _cut(lines, min(MAX_TOKENS, MAX_CELLS // min(gold_size, MAX_GOLD_TOKENS)))
            there = Counter(token for line in lines for token in line)
            # A line that comes again finds the same tokens again.
            different = list(dict.fromkeys(map(tuple, lines)))
            hits: Counter[str] = Counter()
            for block in blocks:
                hits.update(block.hits(different))
            return precision_recall_f1((hits & there).total(), size, gold_size)

        return map(score, texts)


class _Block:
    """Some gold lines side by side in the bits of integers: first line, first token lowest."""

    def __init__(self, lines: Sequence[Sequence[str]]) -> None:
        self._tokens: list[str] = []
        self._places: dict[str, int] = {}
        self._all = 0
        longest = max(map(len, lines))
        shifts = [1 << power for power in range((longest - 1).bit_length())] or [1]
        together = [0] * len(shifts)
        for line in lines:
            start = len(self._tokens)
            for place, token in enumerate(line, start):
                self._places[token] = self._places.get(token, 0) | 1 << place
            self._tokens += [*line, ""]
            self._all |= (1 << len(line)) - 1 << start
            for at, shift in enumerate(shifts):
                together[at] |= (1 << max(0, len(line) - shift)) - 1 << start
        # For each shift, the bits that stay in their line when so much higher ones move down.
        self._smear = list(zip(shifts, together, strict=True))

    def hits(self, lines: Sequence[Sequence[str]]) -> Iterator[str]:
        """Yield the gold tokens that are in a longest common subsequence with any of the lines."""
        matched = 0
        for line in lines:
            matched |= self._walked(self._columns(line))
        for bit, token in zip(reversed(f"{matched:b}"), self._tokens, strict=False):
            if bit == "1":
                yield token

    def _columns(self, line: Sequence[str]) -> list[int]:
        """Return where each token of a line found stands; several in a row nowhere are as one."""
        columns: list[int] = []
        last = 0
        for token in line:
            here = self._places.get(token, 0)
            if here or last:
                columns.append(here)
            last = here
        return columns

    def _walked(self, columns: list[int]) -> int:
        """Return the bits of the gold tokens in the longest common subsequence that is taken."""
        size = len(columns)
        # Too large a table is kept in part and computed again from there, piece by piece.
        piece = size if size * self._all.bit_length() <= _KEPT_BITS else isqrt(size)
        starts = range(0, size, max(1, piece))
        states, state = [], self._all
        for start in starts:
            states.append(state)
            if start + piece < size:
                *_, (_, state) = self._rows(columns[start : start + piece], state)
        hits, reach = 0, self._all
        for start in reversed(starts):
            rows = list(self._rows(columns[start : start + piece], states.pop()))
            hits, reach = self._back(rows, hits, reach)
        return hits

    def _rows(self, columns: list[int], state: int) -> Iterator[tuple[int, int]]:
        """Yield each column with the table's state after it: 0 bits are where it grows."""
        whole = self._all
        for here in columns:
            if here:
                matched = state & here
                state = ((state + matched) | (state ^ matched)) & whole
            yield here, state

    def _back(self, rows: _Rows, hits: int, reach: int) -> tuple[int, int]:
        """Walk back; ``reach`` has, in each line, ones up to the gold token that is next."""
        whole, smear = self._all, self._smear
        _, neighbours = smear[0]
        for here, state in reversed(rows):
            # Up to the highest token that is equal or where the table grows, if one is in reach.
            reach &= here | (whole ^ state)
            if not reach:
                break
            for shift, together in smear:
                reach |= (reach >> shift) & together
            if here:
                taken = (reach ^ ((reach >> 1) & neighbours)) & here
                hits |= taken
                reach ^= taken
        return hits, reach


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


def _lines(text: str) -> list[list[str]]:
    return [tokens for line in text.split("\n") if (tokens := _tokens(line))]


def _ngrams(tokens: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


def _cut(lines: list[list[str]], most: int) -> list[list[str]]:
    """Return the lines up to so many tokens."""
    kept, left = [], most
    for line in lines:
        if left <= 0:
            break
        kept.append(line[:left])
        left -= len(line)
    return kept


def _blocks(lines: list[list[str]]) -> Iterator[list[list[str]]]:
    """Yield the lines in blocks: integers of some thousand bits are quick, longer ones are not."""
    block: list[list[str]] = []
    size = 0
    for line in lines:
        if block and size + len(line) > _BLOCK_BITS:
            yield block
            block, size = [], 0
        block.append(line)
        size += len(line) + 1
    if block:
        yield block
