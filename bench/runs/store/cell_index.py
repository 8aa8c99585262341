"""A row's journal by page, while its run is under way: what a cell cost, and its text on demand."""

from __future__ import annotations

import json
from pathlib import Path

from bench.model import Usage
from bench.runs.store.journal import located
from bench.util.atomic import reading_from


class CellIndex:
    """The cells of a journal that nothing is written to any more.

    Texts stay on disk: memory holds some numbers for each cell. Raises ``BenchError`` when the
    disk refuses.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offsets: dict[str, int] = {}
        self._usages: dict[tuple[str, int], Usage] = {}
        with reading_from(path.parent):
            for offset, record in located(path):
                page, repeat = record["page"], record["repeat"]
                figures = (record["wall_s"], record["cpu_s"], record["rss_peak_bytes"])
                self._usages[page, repeat] = Usage(*figures)
                if repeat == 0:
                    self._offsets[page] = offset

    def __contains__(self, page_id: str) -> bool:
        """Whether there is a cell of this page."""
        return page_id in self._offsets

    def text(self, page_id: str) -> str:
        """Return the text of the first repeat. Raises ``KeyError`` for a page without a cell."""
        with reading_from(self._path.parent), self._path.open("rb") as file:
            file.seek(self._offsets[page_id])
            return str(json.loads(file.readline())["text"])

    def usage(self, page_id: str, repeat: int) -> Usage:
        """Return wall, CPU and peak of a cell; the first repeat's for one that is not there."""
        return self._usages.get((page_id, repeat), self._usages[page_id, 0])
