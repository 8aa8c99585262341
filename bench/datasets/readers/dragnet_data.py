"""seomoz/dragnet_data: ``HTML/ID.html`` beside ``Corrected/ID.html.corrected.txt``.

A gold file holds the main article and, after a line ``!@#$%^&*()  COMMENTS``, the comments. The
article alone is the gold: comments are text of their own, which the data set's authors score apart.
Seven of the published files spell the line otherwise, and are meant all the same. Gold is in
UTF-8, UTF-16 or windows-1252; nothing is known of the pages' charsets.
"""

import re
from pathlib import Path

from bench.datasets.readers.base import PAGE, Reader, files_by_id
from bench.model import Gold, GoldPage, Page

_PAGES = "HTML"
_GOLD = ("Corrected", "corrected/Corrected")
_ENDING = ".html.corrected.txt"
_SPLITS = {"training.txt": "training", "test.txt": "test"}
_COMMENTS = re.compile(r"^!++@#\$%[$%^&*()]*+[ \t]*+[A-Z]*+[ \t\r]*+$", re.M)


class DragnetDataReader(Reader):
    """The folders as the repository's two archives unpack; a page's split is in its ``meta``."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        places = [root / name for name in _GOLD]
        corrected = next((place for place in places if place.is_dir()), places[0])
        for folder in (root / _PAGES, corrected):
            if not folder.is_dir():
                raise self._lacks(f"folder {folder.name}")
        pages, gold = files_by_id(root / _PAGES, *PAGE), files_by_id(corrected, _ENDING)
        gold_at = f"{corrected.name}/{{}}{_ENDING}"
        self._pair(pages, gold, page_at=f"{_PAGES}/{{}}.html", gold_at=gold_at)
        self._split_of: dict[str, str] = {}
        for name, split in _SPLITS.items():
            if (root / name).exists():
                self._beside.append(root / name)
                self._split_of |= dict.fromkeys(self._old_text(root / name).split(), split)

    def read(self, page_id: str) -> GoldPage:
        page_file, gold_file = self._files(page_id)
        split = self._split_of.get(page_id)
        page = Page(page_id, self._bytes(page_file), meta={"split": split} if split else {})
        article = _COMMENTS.split(self._old_text(gold_file), maxsplit=1)[0]
        return GoldPage(page, Gold(article.strip()))
