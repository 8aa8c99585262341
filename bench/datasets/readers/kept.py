"""Some of a data set's pages: what is kept when others are left out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from bench.datasets.readers.base import Reader
from bench.model import GoldPage


class KeptReader(Reader):
    """Another reader's pages but for some."""

    def __init__(self, inner: Reader, left_out: Collection[str]) -> None:
        super().__init__(inner.root)
        self.inner = inner
        self._ids = [page_id for page_id in inner.ids if page_id not in left_out]
        self._problems = list(inner.problems)

    def read(self, page_id: str) -> GoldPage:
        return self.inner.read(page_id)

    def files(self) -> Sequence[Path]:
        return self.inner.files()
