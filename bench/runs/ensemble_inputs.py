"""What an ensemble is handed and what that cost: its members' cells of the run under way."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.adapters import chain
from bench.adapters.adapter import Row
from bench.model import Usage
from bench.runs.plan import Plan
from bench.runs.store import journal
from bench.runs.store.journal import CellRecord
from bench.runs.store.runs import RunFolder
from bench.util.atomic import reading_from


class Inputs:
    """The cells of an ensemble's members, once these are done. Texts stay on disk."""

    def __init__(self, plan: Plan, folder: RunFolder, row: Row) -> None:
        self._row = row
        self._pages = plan.pages
        self._members = [
            (member, _Cells(folder.journal_path(member.key))) for member in row.members
        ]

    @property
    def missing(self) -> Row | None:
        """The first member without a cell for every page: it could not be loaded."""
        for member, cells in self._members:
            if not all((page_id, 0) in cells.usages for page_id in self._pages):
                return member
        return None

    def texts(self, page_id: str) -> dict[str, str]:
        """Return the members' texts of a page, by label.

        Of the first repeat; a failed cell has the empty text.
        """
        return {member.label: cells.text(page_id) for member, cells in self._members}

    def usages(self, page_id: str, repeat: int) -> list[Usage]:
        """Return what each member's cell cost; the first repeat's for one that is not there.

        Of a chain, those of the members that it asks.
        """
        consulted = chain.consulted(self._row, self.texts(page_id))
        return [
            cells.usages.get((page_id, repeat), cells.usages[page_id, 0])
            for _, cells in self._members[:consulted]
        ]


class _Cells:
    """A member's journal, to which nothing is written any more: what its cells cost, by page."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offsets: dict[str, int] = {}
        self.usages: dict[tuple[str, int], Usage] = {}
        for offset, record in journal.read(path, CellRecord):
            page, repeat = record["page"], record["repeat"]
            figures = (record["wall_s"], record["cpu_s"], record["rss_peak_bytes"])
            self.usages[page, repeat] = Usage(*figures)
            if repeat == 0:
                self._offsets[page] = offset

    def text(self, page_id: str) -> str:
        with reading_from(self._path.parent), self._path.open("rb") as file:
            file.seek(self._offsets[page_id])
            return str(json.loads(file.readline())["text"])


def in_all(usages: Sequence[Usage]) -> Usage:
    """Return what a text cost in all, of its own usage (the first) and that of others' texts.

    Wall and CPU times are sums, the peak is the largest; all else is its own.
    """
    peaks = [usage.rss_peak_bytes for usage in usages if usage.rss_peak_bytes is not None]
    return replace(
        usages[0],
        wall_s=sum(usage.wall_s for usage in usages),
        cpu_s=sum(usage.cpu_s for usage in usages),
        rss_peak_bytes=max(peaks, default=None),
    )
