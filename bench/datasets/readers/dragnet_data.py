"""seomoz/dragnet_data: ``HTML/ID.html`` beside ``Corrected/ID.html.corrected.txt``.

A gold file holds the main article and, after a line ``!@#$%^&*()  COMMENTS``, the comments. The
article alone is the gold: comments are text of their own, which the data set's authors score apart.
Seven of the published files spell the line otherwise, and are meant all the same. Gold is in
UTF-8, UTF-16 or windows-1252; nothing is known of the pages' charsets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from bench.datasets.readers.base import (
    LICENCE,
    GoldError,
    Reader,
    page_ids,
    page_path,
    read_bytes,
    read_old_text,
)
from bench.model import Gold, GoldPage, Page

_PAGES = "HTML"
_GOLD = ("Corrected", "corrected/Corrected")
_ENDING = ".html.corrected.txt"
_SPLITS = {"training.txt": "training", "test.txt": "test"}
_COMMENTS = re.compile(r"^!+@#\$%[$%^&*()]*[ \t]*[A-Z]*[ \t\r]*$", re.M)


class DragnetDataReader(Reader):
    """The folders as the repository's two archives unpack; a page's split is in its ``meta``."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._html = root / _PAGES
        self._gold = next(
            (root / name for name in _GOLD if (root / name).is_dir()), root / _GOLD[0]
        )
        for folder in (self._html, self._gold):
            if not folder.is_dir():
                raise GoldError(
                    f"{root} is not in this data set's layout: it has no folder {folder.name}"
                )
        gold = {path.name.removesuffix(_ENDING) for path in self._gold.glob(f"*{_ENDING}")}
        gold_at = f"{self._gold.name}/{{}}{_ENDING}"
        self._pair(page_ids(self._html), gold, page_at=f"{_PAGES}/{{}}.html", gold_at=gold_at)
        self._splits: dict[str, str] = {}
        for name, split in _SPLITS.items():
            if (root / name).is_file():
                self._splits.update(dict.fromkeys(read_old_text(root / name).split(), split))

    def read(self, page_id: str) -> GoldPage:
        split = self._splits.get(page_id)
        page = Page(
            id=page_id,
            html=read_bytes(page_path(self._html, page_id)),
            meta={"split": split} if split else {},
        )
        text = read_old_text(self._gold / f"{page_id}{_ENDING}")
        return GoldPage(page, Gold(_COMMENTS.split(text, maxsplit=1)[0].strip()))

    def files(self) -> Sequence[Path]:
        extras = (LICENCE, *_SPLITS)
        found = [path for name in extras if (path := self.root / name).is_file()]
        found += [page_path(self._html, i) for i in self._ids]
        found += [self._gold / f"{i}{_ENDING}" for i in self._ids]
        return [path.relative_to(self.root) for path in found]
