"""union: all text that any of five extractors has."""

from __future__ import annotations

from bench.methods.ensembles.union import Union


class UnionOfTexts(Union):
    """Merges its members' texts word by word; what several have stands there once."""

    name = "union"
    members = ("boilerpy3", "goose3", "justext", "readability", "trafilatura")
