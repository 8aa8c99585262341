"""scrapinghub/article-extraction-benchmark, and the layout of Márquez Mínguez (2022) after it."""

from pathlib import Path
from typing import ClassVar

from bench.datasets.readers.base import PAGE, Reader, files_by_id, text, well_formed
from bench.model import Gold, GoldPage, Page

OUTPUT = "output"
"""What systems returned, as published: one JSON file for each; not needed."""


class AebReader(Reader):
    """``{id: {"articleBody": text, "url": url}}`` beside pages, gzipped or not, all in UTF-8."""

    layout_of = "AEB"
    truth: ClassVar[str] = "ground-truth.json"
    body: ClassVar[str] = "articleBody"
    pages: ClassVar[str] = "html"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        path = root / self.truth
        if not path.is_file():
            raise self._lacks(self.truth)
        with well_formed(f"{path} is no ground truth as {self.layout_of} has it"):
            self._truth = {
                page_id: (text(entry, self.body), text(entry, "url"))
                for page_id, entry in self._json(path).items()
            }
        pages, gold = files_by_id(root / self.pages, *PAGE), dict.fromkeys(self._truth)
        self._beside += [path, *sorted((root / OUTPUT).glob("*.json"))]
        gold_at = f"entry {{}} in {self.truth}"
        self._pair(pages, gold, page_at=f"{self.pages}/{{}}.html", gold_at=gold_at)

    def read(self, page_id: str) -> GoldPage:
        page = Page(
            id=page_id,
            html=self._bytes(self._files(page_id)[0]),
            url=self._truth[page_id][1],
            page_type="article",
            encoding="utf-8",
        )
        return GoldPage(page, self.gold(page_id))

    def gold(self, page_id: str) -> Gold:
        return Gold(self._truth[page_id][0] or "")


class ThesisReader(AebReader):
    """``{id: {"texto": text, "url": url}}`` beside ``archivos_html/ID.html`` (listings 4.10, 4.11)."""

    layout_of = "Márquez Mínguez (2022)"
    truth = "documento_base.json"
    body = "texto"
    pages = "archivos_html"
