"""Word lists: what Dorosz (2008) measures energy by, "words recognised in a dictionary"."""

from pathlib import Path

from bench.corpus.store import Store
from bench.model import UsageError
from bench.worker.decode import decode

MIN_SHARE = 1e-6
"""Of all words, that a word of a corpus must have: rarer ones are mostly noise."""


def read(path: Path) -> frozenset[str]:
    """Return the words of a dictionary, in lower case.

    A file has one word a line; hunspell's flags after a slash are left out, so that of its ``.dic``
    files stems count alone. A folder is a corpus, whose words that are not too rare count. Raises
    ``UsageError`` where there is none.
    """
    if path.is_dir():
        with Store(path) as store:
            return frozenset(word for word, _ in store.words(min_share=MIN_SHARE))
    lines = decode(path.read_bytes()).lower().splitlines()
    entries = frozenset(line.partition("/")[0].strip() for line in lines) - {""}
    if not entries:
        raise UsageError(f"{path} holds no word; write one a line")
    return entries
