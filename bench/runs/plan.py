"""What a run will do: rows, pages, repeats and limits, with a key that says when two are the same."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property

from bench.adapters.adapter import Decode, Row, with_members
from bench.datasets.catalogue import DataSet
from bench.model import Limits
from bench.runs.shards import Shard
from bench.runs.store.manifest import Conditions, GoldFacts


@dataclass(frozen=True)
class Plan:
    """Every cell of ``rows`` over ``data_set``, ``repeats`` times.

    An ensemble is made of its members' texts: they are added to the rows where they are missing.
    """

    rows: Sequence[Row]
    data_set: DataSet
    repeats: int = 1
    """More than one makes a measured pass: rows take turns on every page."""
    jobs: int = 1
    """Workers that run at the same time; over one, timings are contended."""
    limits: Limits = field(default_factory=Limits)
    pin: int | None = None
    """The CPU that workers are bound to."""
    decode: Decode = ""
    """Who decodes pages, see ``Row.decode``."""
    shard: Shard | None = None
    """The part of the pages that is run here; None for all."""

    def __post_init__(self) -> None:
        """Add the members of ensembles, and say of every row who decodes."""
        rows = self.rows
        if self.decode:
            rows = [row.decoded_by(self.decode) for row in rows]
        object.__setattr__(self, "rows", with_members(rows))

    @property
    def interleaved(self) -> bool:
        """Whether rows take turns on every page, so that a slow minute hits all of them."""
        return self.repeats > 1

    @property
    def cells(self) -> int:
        """How many cells there are, repeats included."""
        return len(self.rows) * len(self.pages) * self.repeats

    @cached_property
    def pages(self) -> Sequence[str]:
        """Ids of the pages that are run, in order."""
        return self.shard.pages(self.data_set.ids) if self.shard else self.data_set.ids

    @property
    def gold(self) -> GoldFacts:
        """The data set, without its pages."""
        return GoldFacts(**self.data_set.facts, root=str(self.data_set.reader.root))

    @property
    def conditions(self) -> Conditions:
        """What a cell's outcome and usage depend on beside row and page."""
        return Conditions(
            page_s=self.limits.page_s,
            memory_bytes=self.limits.memory_bytes,
            interleaved=self.interleaved,
            jobs=self.jobs,
            pin=self.pin,
            decode=self.decode,
        )

    @cached_property
    def key(self) -> str:
        """Hash of everything that makes two runs the same run, or parts of the same."""
        facts = [
            sorted(row.key for row in self.rows),
            self.data_set.hashes.fingerprint,
            self.repeats,
            asdict(self.conditions),
        ]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]

    def page_hash(self, row: Row, page_id: str) -> str:
        """Hash of what this row is handed for a page; for an ensemble that of the page itself.

        Its texts are computed in every run.
        """
        hashes = self.data_set.hashes.pages[page_id]
        return hashes.gold if row.adapter.facts.accepts == "gold" else hashes.page
