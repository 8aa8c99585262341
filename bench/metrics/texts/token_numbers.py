"""Tokens as numbers, of all texts of a page at once: tokens of one number are equal.

Words are cut and numbered in NumPy by the bytes of their UTF-8: eight of them are one integer,
which most words fit into. That is several times quicker than strings, and exact (no hashing).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, count, groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bench.metrics.texts.tokens import Unit, characters, tokenize

Ints = npt.NDArray[np.int64]

_CHARS_AT_ONCE = 1_000_000
"""Each takes some dozens of bytes of memory."""
_ASCII, _LEADS = 0x80, 0xC0
_IN_WORD = bytes(byte >= _ASCII or bool(tokenize(chr(byte))) for byte in range(256))
BYTES = 8
_FIRST_BYTES = np.array([(1 << 8 * size) - 1 for size in range(BYTES + 1)], np.uint64)
"""By a word's size: what is its own of the eight bytes from where it starts."""


class Words(NamedTuple):
    """The words of some texts, text after text, by where they are in the texts' UTF-8."""

    raw: bytes
    """All texts, each with a byte after it that is in no word; eight more stand at the end."""
    starts: Ints
    stops: Ints
    ends: Ints
    """How many words there are up to the end of each text."""
    bounds: Ints
    """Where each text begins, and where one more would."""

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Words":
        """Cut some texts at their words."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        raw = b"\n".join([*encoded, bytes(BYTES)])
        in_word = np.frombuffer(bytearray(raw.translate(_IN_WORD)), np.bool_)
        _leave_out_symbols(raw, in_word)
        starts, stops = np.flatnonzero(np.diff(in_word, prepend=False)).reshape(-1, 2).T
        bounds = np.cumsum([0, *(len(text) + 1 for text in encoded)])
        return cls(raw, starts, stops, starts.searchsorted(bounds[1:]), bounds)

    def eight_bytes(self, words: slice | Ints, start: int = 0) -> npt.NDArray[np.uint64]:
        """Return eight bytes of each of some words from this byte on; 0 for those past its end."""
        from_each = np.ndarray(len(self.raw) - BYTES, "<u8", self.raw, strides=(1,))
        starts = self.starts[words] + start
        sizes = np.minimum(self.stops[words] - starts, BYTES)
        eight: npt.NDArray[np.uint64] = from_each[starts] & _FIRST_BYTES[sizes]
        return eight

    def at(self, words: Ints) -> list[str]:
        """Return some of the words."""
        return b"\n".join(self._encoded(words)).decode().split("\n") if words.size else []

    def one_by_one(self, words: Ints) -> list[int]:
        """Return a number from 0 on for each of some words."""
        numbers: dict[bytes, int] = defaultdict(count().__next__)
        return [numbers[word] for word in self._encoded(words)]

    def _encoded(self, words: Ints) -> Iterator[bytes]:
        starts, stops = self.starts[words].tolist(), self.stops[words].tolist()
        return (self.raw[start:stop] for start, stop in zip(starts, stops, strict=True))


def of_texts(texts: Sequence[str], unit: Unit) -> tuple[Ints, Ints]:
    """Return the numbers of all tokens, text after text, and where each text's end.

    Tokens of the first text, the gold, count from 1. One that it has not is 0, or (rarely) has a
    number that none of the gold's has.
    """
    return (_of_characters if unit == "character" else _of_words)(texts)


def some_at_once(texts: Sequence[str], least: int = 0) -> Iterator[list[str]]:
    """Yield texts in parts: each of a million characters, or the ``least`` if that is more.

    And of one more text of any length.
    """
    chars_at_once = max(_CHARS_AT_ONCE, least)
    parts = [total // chars_at_once for total in accumulate(map(len, texts))]
    for _, some in groupby(zip(parts, texts, strict=True), itemgetter(0)):
        yield [text for _, text in some]


def among(known: npt.NDArray[Any], values: npt.NDArray[Any]) -> Ints:
    """Return each value's place among the different known ones, from 1; 0 for others, and for 0."""
    different = np.unique(np.append(known, np.zeros(1, known.dtype)))
    places = different.searchsorted(values)
    return np.where(different.take(places, mode="clip") == values, places, 0)


def _of_characters(texts: Sequence[str]) -> tuple[Ints, Ints]:
    cut = ["".join(characters(text)) for text in texts]
    ends = np.cumsum([len(text) for text in cut])
    raw = "".join(cut).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(raw, "<u4") + 1
    return among(codes[: ends[0]], codes), ends


def _of_words(texts: Sequence[str]) -> tuple[Ints, Ints]:
    words = Words.of(texts)
    beginnings = words.eight_bytes(slice(None))
    numbers = among(beginnings[: words.ends[0]], beginnings)
    # Eight bytes do not tell them apart; what shares these with no word of the gold stays 0.
    longer = np.flatnonzero((words.stops - words.starts > BYTES) & (numbers > 0))
    if longer.size:
        numbers[longer] = numbers.max() + 1 + np.array(words.one_by_one(longer))
    return numbers, words.ends


def _leave_out_symbols(raw: bytes, in_word: npt.NDArray[np.bool_]) -> None:
    """Say of characters beyond ASCII that are in no word that their bytes are in none."""
    encoded = np.frombuffer(raw, np.uint8)
    leads = np.flatnonzero(encoded >= _LEADS)
    sizes = 2 + (encoded[leads] >= 0xE0) + (encoded[leads] >= 0xF0)
    four_from = np.ndarray(len(raw) - BYTES, "<u4", raw, strides=(1,))
    codes = four_from[leads] & _FIRST_BYTES.astype(np.uint32)[sizes]
    different = np.unique(codes)
    symbols = np.array([_is_symbol(code) for code in different.tolist()], bool)
    symbol = symbols[different.searchsorted(codes)]
    leads, sizes = leads[symbol], sizes[symbol]
    for place in range(4):
        in_word[leads[sizes > place] + place] = False


@lru_cache(1 << 16)
def _is_symbol(code: int) -> bool:
    """Return whether a character is in no word, by its UTF-8 as an integer, low byte first."""
    encoded = code.to_bytes(4, "little").rstrip(b"\0")
    return not tokenize(encoded.decode("utf-8", "surrogatepass"))
