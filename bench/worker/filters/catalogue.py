"""Which filters there are: functions from text to text, whose time is linear in its length.

Standard library and Python 3.7 only: filters run inside the worker, after ``extract``.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from bench.worker.filters.clean import clean
from bench.worker.filters.punctuation import punctuation
from bench.worker.filters.sentences import sentences
from bench.worker.filters.symbols import symbols

FILTERS = {apply.__name__: apply for apply in (clean, punctuation, sentences, symbols)}
"""By what users type after the plus."""


@lru_cache(maxsize=1)
def source_hash() -> str:
    """Return the hash of all filters' source, as it was when first asked: part of a row's key."""
    import hashlib

    # All of them: a chain is made of others.
    digest = hashlib.sha256()
    for name in FILTERS:
        digest.update(Path(__file__).with_name(name + ".py").read_bytes())
    return digest.hexdigest()[:20]
