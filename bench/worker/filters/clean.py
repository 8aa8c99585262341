"""The whole chain: symbols, then punctuation, then sentences."""

from __future__ import annotations

from bench.worker.filters.base import Filter
from bench.worker.filters.punctuation import Punctuation
from bench.worker.filters.sentences import Sentences
from bench.worker.filters.symbols import Symbols


class Clean(Filter):
    """Removes symbols, unifies punctuation, and drops what is no sentence."""

    name = "clean"

    def __init__(self) -> None:
        self._steps = (Symbols(), Punctuation(), Sentences())

    def apply(self, text: str) -> str:
        """Return the text after all steps, each applied to what the one before it left."""
        for step in self._steps:
            text = step.apply(text)
        return text
