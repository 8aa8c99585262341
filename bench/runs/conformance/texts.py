"""Texts that an ensemble must survive: none, one alone, the same from all, odd ones, long ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.adapters.adapter import Row
from bench.model import Gold, GoldPage, Page

_STORY = (
    "For as long as anybody can remember, the clock on the harbour wall has been four minutes "
    "slow.\nThe council voted to have it repaired, and the clockmaker found nothing wrong.\n"
)
_ODD = "提灯の火 \U0001f3ee\u2028a\0b \x01 \U00020000 \ufffe דולב\r\n\x85\x0c—\ud83d\n"
_LONG_WORDS = 100_000


@dataclass(frozen=True)
class Texts:
    """What the members of an ensemble say of one page."""

    name: str
    texts: Sequence[str]
    """In the order of members."""
    gold: str = _STORY

    def handed(self, row: Row) -> bytes:
        """Return the bytes that the worker is handed."""
        item = GoldPage(Page(self.name, b""), Gold(self.gold))
        labels = [each.label for each in row.members]
        return row.handed(item, dict(zip(labels, self.texts, strict=True)))


def cases(members: int) -> Iterator[Texts]:
    """Yield cases for an ensemble of so many members; the first has a main text, all agree on it."""
    yield Texts("the same texts", [_STORY] * members)
    yield Texts("no text", [""] * members)
    yield Texts("no text, no gold", [""] * members, "")
    yield Texts("blank texts", [" \n\t"] * members)
    for at in {0, members - 1}:
        yield Texts(f"member {at + 1} alone", [_STORY * (at == each) for each in range(members)])
    yield Texts("punctuation only", ["— . , …"] * members)
    yield Texts("odd characters", [_ODD * (1 + each % 2) for each in range(members)])
    words = [f"word{number % 977}" for number in range(_LONG_WORDS)]
    yield Texts("long texts", [" ".join(words[each:]) for each in range(members)])
