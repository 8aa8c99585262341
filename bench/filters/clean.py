"""The whole chain: symbols, then punctuation, then sentences."""

from __future__ import annotations

from bench.filters.base import Chain
from bench.filters.punctuation import Punctuation
from bench.filters.sentences import Sentences
from bench.filters.symbols import Symbols


class Clean(Chain):
    """Removes symbols, unifies punctuation, and drops what is no sentence."""

    name = "clean"
    steps = (Symbols(), Punctuation(), Sentences())
