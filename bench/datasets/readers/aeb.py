"""scrapinghub/article-extraction-benchmark: ``ground-truth.json`` and ``html/ID.html.gz``."""

from pathlib import Path

from bench.datasets.readers.base import PAGE, Reader, files_by_id, text, well_formed
from bench.model import Gold, GoldPage, Page

GROUND_TRUTH = "ground-truth.json"
OUTPUT = "output"
"""What systems returned, as published: one JSON file for each; not needed."""


class AebReader(Reader):
    """``{id: {"articleBody": text, "url": url}}`` beside gzipped pages, all in UTF-8."""

    layout_of = "AEB"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        path = root / GROUND_TRUTH
        if not path.is_file():
            raise self._lacks(GROUND_TRUTH)
        with well_formed(f"{path} is no AEB ground truth"):
            self._truth = {
                page_id: (text(entry, "articleBody"), text(entry, "url"))
                for page_id, entry in self._json(path).items()
            }
        pages, gold = files_by_id(root / "html", *PAGE), dict.fromkeys(self._truth)
        self._beside += [path, *sorted((root / OUTPUT).glob("*.json"))]
        gold_at = f"entry {{}} in {GROUND_TRUTH}"
        self._pair(pages, gold, page_at="html/{}.html.gz", gold_at=gold_at)

    def read(self, page_id: str) -> GoldPage:
        gold, url = self._truth[page_id]
        page = Page(
            id=page_id,
            html=self._bytes(self._files[page_id][0]),
            url=url,
            page_type="article",
            encoding="utf-8",
        )
        return GoldPage(page, Gold(gold or ""))
