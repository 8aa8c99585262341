"""The whole chain: symbols, then punctuation, then sentences."""

from __future__ import annotations

from bench.worker.filters.punctuation import punctuation
from bench.worker.filters.sentences import sentences
from bench.worker.filters.symbols import symbols


def clean(text: str) -> str:
    """Return the text without symbols, its punctuation unified, without what is no sentence."""
    return sentences(punctuation(symbols(text)))
