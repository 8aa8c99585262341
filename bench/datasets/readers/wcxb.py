"""WCXB: ``SPLIT/ground-truth/ID.json`` beside ``SPLIT/html/ID.html.gz``, splits dev and test.

The pages were brought to UTF-8 when they were collected, and their declarations of a charset left
as they were: WCXB's own evaluation opens every page as UTF-8, and so the charset is stated here,
whatever a page declares. Ids are unique within a split only (139 occur in both), and
``metadata.json`` keeps one entry for such an id: facts are taken from the page's own file.
"""

from pathlib import Path
from typing import Any

from bench.datasets.readers.base import (
    PAGE,
    Reader,
    files_by_id,
    text,
    texts,
    well_formed,
)
from bench.model import Gold, GoldPage, Page
from bench.worker.decode import is_utf8

_META = ("title", "author", "publish_date")


class WcxbReader(Reader):
    """One split of WCXB in a folder as its repository has it; a root may hold other splits."""

    layout_of = "WCXB"

    def __init__(self, root: Path, split: str = "dev") -> None:
        super().__init__(root)
        truth, html = root / split / "ground-truth", root / split / "html"
        self._beside.append(root / "metadata.json")
        for folder in (truth, html):
            if not folder.is_dir():
                raise self._lacks(f"folder {folder.relative_to(root)}")
        page_at, gold_at = f"{split}/html/{{}}.html.gz", f"{split}/ground-truth/{{}}.json"
        pages, gold = files_by_id(html, *PAGE), files_by_id(truth, ".json")
        self._pair(pages, gold, page_at=page_at, gold_at=gold_at)

    def read(self, page_id: str) -> GoldPage:
        page_file, truth_path = self._files(page_id)
        html = self._bytes(page_file)
        with well_formed(f"{truth_path} is no WCXB ground truth"):
            facts = self._json(truth_path)
            truth = dict(facts["ground_truth"])
            page = Page(
                id=page_id,
                html=html,
                url=text(facts, "url"),
                page_type=_page_type(facts),
                encoding="utf-8" if is_utf8(html) else None,
                meta={name: value for name in _META if (value := text(truth, name))},
            )
            gold = text(truth, "main_content") or ""
            return GoldPage(page, Gold(gold, texts(truth, "with"), texts(truth, "without")))


def _page_type(facts: dict[str, Any]) -> str | None:
    """Return the page type as WCXB's ``evaluate.py`` reads it; None where none is given."""
    kind = dict(facts.get("_internal") or {}).get("page_type")
    kind = kind.get("primary") if isinstance(kind, dict) else kind
    if not isinstance(kind, str | None):
        raise TypeError("page_type is no text")
    return "collection" if kind == "category" else kind
