"""oracle: the best text of five extractors for each page, found by looking at the gold."""

from __future__ import annotations

from bench.methods.ensembles.oracle import Oracle


class BestText(Oracle):
    """Takes the best of its members' texts; it needs the gold: the ceiling of choosing by page."""

    name = "oracle"
    members = ("boilerpy3", "goose3", "justext", "readability", "trafilatura")
