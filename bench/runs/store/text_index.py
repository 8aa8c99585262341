"""A run's texts, found one by one: only those parts of the file are read that hold what is wanted."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import chain, repeat
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

_AT_ONCE = 16
"""Row groups read together."""


class TextIndex:
    """The texts of a finished run's ``texts.parquet``, by hash; the empty hash is the empty text.

    ``RunFolder.texts`` goes through the whole file; this one is for many small questions.
    """

    def __init__(self, run: Path) -> None:
        self._path = run / "texts.parquet"

    def __getstate__(self) -> dict[str, object]:
        """Leave the open file behind: another process opens it for itself."""
        return {"_path": self._path}

    @cached_property
    def _file(self) -> pq.ParquetFile:
        return pq.ParquetFile(self._path)

    @cached_property
    def _groups(self) -> dict[str, int]:
        """The row group of each hash."""
        about = self._file.metadata
        sizes = (about.row_group(group).num_rows for group in range(about.num_row_groups))
        groups = chain.from_iterable(repeat(group, size) for group, size in enumerate(sizes))
        names = _strings(self._file.read(["text_hash"]), "text_hash")
        return dict(zip(names, groups, strict=True))

    def get(self, hashes: Iterable[str]) -> dict[str, str]:
        """Return the texts with these hashes, by hash. Raises ``KeyError`` for one not there."""
        wanted = set(hashes)
        found = {"": ""} if "" in wanted else {}
        wanted.discard("")
        groups = sorted({self._groups[name] for name in wanted})
        for at in range(0, len(groups), _AT_ONCE):
            table = self._file.read_row_groups(groups[at : at + _AT_ONCE], use_threads=False)
            some = table.filter(pc.is_in(table["text_hash"], pa.array(wanted, pa.string())))
            found.update(zip(_strings(some, "text_hash"), _strings(some, "text"), strict=True))
        return found


def _strings(table: pa.Table, column: str) -> list[str]:
    return [str(each) for each in table[column].to_pylist()]
