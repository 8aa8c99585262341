"""The whole chain: symbols, then punctuation, then sentences."""

from __future__ import annotations

from bench.worker.filters.base import Chain
from bench.worker.filters.punctuation import Punctuation
from bench.worker.filters.sentences import Sentences
from bench.worker.filters.symbols import Symbols


class Clean(Chain):
    """Removes symbols, unifies punctuation, and drops what is no sentence."""

    name = "clean"
    steps = (Symbols(), Punctuation(), Sentences())
