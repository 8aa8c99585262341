"""What an ensemble is handed and what that cost: its members' cells of the run under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bench.adapters.adapter import Row
from bench.model import Usage
from bench.runs.plan import Plan
from bench.runs.store.cell_index import CellIndex
from bench.runs.store.runs import RunFolder


class Inputs:
    """The cells of an ensemble's members, once these are done. Texts stay on disk."""

    def __init__(self, plan: Plan, folder: RunFolder, row: Row) -> None:
        self._members: list[tuple[Row, CellIndex]] = [
            (each, folder.cell_index(each.key)) for each in row.members
        ]
        self._pages = plan.data_set.ids

    @property
    def missing(self) -> Row | None:
        """The first member without a cell for every page: it could not be loaded."""
        for member, index in self._members:
            if not all(page_id in index for page_id in self._pages):
                return member
        return None

    def texts(self, page_id: str) -> dict[str, str]:
        """Return the members' texts of a page, by label.

        Of the first repeat; a failed cell has the empty text.
        """
        return {member.label: index.text(page_id) for member, index in self._members}

    def usages(self, page_id: str, repeat: int) -> list[Usage]:
        """Return what each member's cell cost."""
        return [index.usage(page_id, repeat) for _, index in self._members]


def in_all(usages: Sequence[Usage]) -> Usage:
    """Return what a text cost in all, of its own usage (the first) and that of others' texts.

    Wall and CPU times are sums, the peak is the largest; all else is its own.
    """
    peaks = [each.rss_peak_bytes for each in usages if each.rss_peak_bytes is not None]
    return replace(
        usages[0],
        wall_s=sum(each.wall_s for each in usages),
        cpu_s=sum(each.cpu_s for each in usages),
        rss_peak_bytes=max(peaks, default=None),
    )
