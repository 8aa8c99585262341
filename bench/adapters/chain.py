"""Fallback chains as rows: ``A>B`` is A's text, and B's where A's is empty; ``A>50>B`` under 50 words.

A chain is handed its members' texts, as an ensemble is, but it costs what it asks of them, and it
competes: whoever runs A can run B after it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.adapters.adapter import Adapter, LoadRequest, Row, linked, own_version
from bench.extractor import TEXTS
from bench.methods.ensembles import chain
from bench.model import ExtractorFacts, UsageError

MARK = ">"


def parts(word: str) -> tuple[list[str], list[int]]:
    """Return the words for the members of a chain, and the least words of all but the last.

    Raises ``UsageError`` for what is no chain.
    """
    members: list[str] = []
    least_words: list[int] = []
    for part in word.split(MARK):
        if part.isdecimal() and members and len(least_words) < len(members):
            least_words.append(int(part))
            continue
        least_words += [1] * (len(members) - len(least_words))
        members.append(part)
    if len(members) < 2 or len(least_words) != len(members) - 1 or not all(members):
        raise UsageError(f"{word}: write a chain as 'A>B', or 'A>50>B' for B under 50 words of A")
    return members, least_words


def row(word: str, members: Sequence[Row], least_words: Sequence[int]) -> Row:
    """Return the row of a chain. Raises ``UsageError`` where a member cannot be one."""
    for member in members:
        if member.adapter.facts.members or member.adapter.facts.handed_gold:
            raise UsageError(f"{word}: {member.label} may not be in a chain; take an extractor")
    if len({member.label for member in members}) < len(members):
        raise UsageError(f"{word}: an extractor is in it twice")
    names = [member.label for member in members]
    counts = [f"{MARK}{least}" if least > 1 else "" for least in least_words]
    label = MARK.join(name + count for name, count in zip(names, [*counts, ""], strict=True))
    path = Path(str(chain.__file__))
    facts = ExtractorFacts(
        name=label,
        description=f"Takes the first text of {', '.join(names)} that is long enough.",
        accepts=TEXTS,
        variants={"default": {"least_words": list(least_words)}},
        members=tuple(names),
        licence="MIT",
        method="ensembles",
    )
    adapter = Adapter(
        facts,
        path,
        LoadRequest(str(path), chain.Chain.name),
        version=own_version(),
        source_hash=hashlib.sha256(path.read_bytes()).hexdigest()[:20],
    )
    return linked(Row(adapter, "default"), members)


def consulted(row: Row, texts: Mapping[str, str]) -> int:
    """Return how many of its members a row asks for their text of a page: all, but for a chain."""
    if MARK not in row.adapter.name:
        return len(texts)
    return chain.consulted(texts.values(), row.settings["least_words"])
