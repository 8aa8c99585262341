"""A card: what a data set is, whose it is, and which content exactly is meant."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

from bench.model import BenchError


@dataclass(frozen=True)
class Card:
    """The facts of a data set, as in ``gold/NAME.toml``."""

    name: str
    title: str
    description: str
    layout: str
    """The reader that understands its files: a name in ``bench.gold.readers``."""
    licence: str = ""
    citation: str = ""
    source: str = ""
    revision: str = ""
    version: str = ""
    pages: int = 0
    languages: tuple[str, ...] = ()
    fingerprint: str = ""
    """Hash of the published content; empty for data of one's own."""
    smoke: bool = False
    """Written for testing: figures on it are no evidence about the web."""


def read(path: Path) -> Card:
    """Read a card. Raises ``BenchError`` naming the file when a fact is missing or unknown."""
    try:
        facts = tomllib.loads(path.read_text(encoding="utf-8"))
        known = {field.name for field in fields(Card)}
        unknown = sorted(set(facts) - known)
        if unknown:
            raise ValueError(f"unknown keys {', '.join(unknown)}")
        facts["languages"] = tuple(facts.get("languages", ()))
        return Card(**facts)
    except (OSError, ValueError, TypeError) as error:
        raise BenchError(f"{path} is no data set card: {error}") from error
