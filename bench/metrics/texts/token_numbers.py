"""Tokens as numbers, of all texts of a page at once: tokens of one number are equal.

Words are cut and numbered in NumPy by the bytes of their UTF-8: eight of them are one integer,
which most words fit into. That is several times quicker than strings, and exact (no hashing).
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.metrics.texts.tokens import Unit, characters, tokenize

Ints = npt.NDArray[np.int64]

_ASCII = 0x80
_IN_WORD = bytes(byte >= _ASCII or bool(tokenize(chr(byte))) for byte in range(256))
_BYTES = 8
_FIRST_BYTES = np.array([(1 << 8 * size) - 1 for size in range(_BYTES + 1)], np.uint64)
"""By a word's size: what is its own of the eight bytes from where it starts."""


def of_texts(texts: Sequence[str], unit: Unit) -> tuple[Ints, Ints]:
    """Return the numbers of all tokens, text after text, and where each text's end.

    Tokens of the first text, the gold, count from 1. One that it has not is 0, or (rarely) has a
    number that none of the gold's has.
    """
    return (_of_characters if unit == "character" else _of_words)(texts)


def among(known: npt.NDArray[Any], values: npt.NDArray[Any]) -> Ints:
    """Return each value's place among the different known ones, from 1; 0 for others, and for 0."""
    different = np.unique(np.append(known, np.zeros(1, known.dtype)))
    places = different.searchsorted(values)
    return np.where(different.take(places, mode="clip") == values, places, 0)


def _of_characters(texts: Sequence[str]) -> tuple[Ints, Ints]:
    cut = ["".join(characters(text)) for text in texts]
    ends = np.cumsum([len(text) for text in cut])
    codes = _codes("".join(cut)) + 1
    return among(codes[: ends[0]], codes), ends


def _of_words(texts: Sequence[str]) -> tuple[Ints, Ints]:
    # No word spans white space, so that a line break can stand for the end of a text.
    joined = "\n".join([text.replace("\n", " ") for text in texts]) + "\n"
    raw = _without_symbols(joined).encode() + bytes(_BYTES)
    in_word = np.frombuffer(raw.translate(_IN_WORD), np.bool_)
    starts, stops = np.flatnonzero(np.diff(in_word, prepend=False)).reshape(-1, 2).T
    ends = starts.searchsorted(np.flatnonzero(np.frombuffer(raw, np.uint8) == ord("\n")))
    sizes = stops - starts
    eight_from = np.ndarray(len(raw) - _BYTES, "<u8", raw, strides=(1,))
    beginnings = eight_from[starts] & _FIRST_BYTES[np.minimum(sizes, _BYTES)]
    numbers = among(beginnings[: ends[0]], beginnings)
    # Eight bytes do not tell them apart; what shares these with no word of the gold stays 0.
    longer = np.flatnonzero((sizes > _BYTES) & (numbers > 0))
    by_word: dict[bytes, int] = defaultdict(count(int(numbers.max(initial=0)) + 1).__next__)
    numbers[longer] = [
        by_word[raw[start:stop]]
        for start, stop in zip(starts[longer].tolist(), stops[longer].tolist(), strict=True)
    ]
    return numbers, ends


def _without_symbols(text: str) -> str:
    """Return a text with spaces for characters that are neither in ASCII nor in words."""
    if text.isascii():
        return text
    codes = _codes(text)
    symbols = [code for code in np.unique(codes[codes >= _ASCII]) if not tokenize(chr(code))]
    codes[np.isin(codes, symbols)] = ord(" ")
    return codes.tobytes().decode("utf-32-le")


def _codes(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(bytearray(text.encode("utf-32-le", "surrogatepass")), "<u4")
