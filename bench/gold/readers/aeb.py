"""scrapinghub/article-extraction-benchmark: ``ground-truth.json`` and ``html/ID.html.gz``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.gold.readers.base import GoldError, Reader, page_file, read_bytes, read_text
from bench.model import Gold, GoldPage, Page

GROUND_TRUTH = "ground-truth.json"


def _checked(entry: Any) -> dict[str, Any]:
    for name in ("articleBody", "url"):
        if not isinstance(entry.get(name), str | None):
            raise TypeError(f"{name} is no text")
    return dict(entry)


class AebReader(Reader):
    """``{id: {"articleBody": text, "url": url}}`` beside gzipped pages, all in UTF-8."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        path = root / GROUND_TRUTH
        if not path.is_file():
            raise GoldError(f"{root} is not in AEB's layout: it has no {GROUND_TRUTH}")
        try:
            truth = json.loads(read_text(path))
            self._truth: dict[str, dict[str, Any]] = {str(k): _checked(v) for k, v in truth.items()}
        except (ValueError, TypeError, AttributeError) as error:
            raise GoldError(f"{path} is no AEB ground truth: {error}") from error
        html = root / "html"
        on_disk = {p.name.split(".")[0] for p in html.glob("*.html*")} if html.is_dir() else set()
        gold_at = f"entry {{}} in {GROUND_TRUTH}"
        self._pair(on_disk, set(self._truth), page_at="html/{}.html.gz", gold_at=gold_at)

    def read(self, page_id: str) -> GoldPage:
        truth = self._truth[page_id]
        page = Page(
            id=page_id,
            html=read_bytes(self._path(page_id)),
            url=truth.get("url"),
            language="en",
            page_type="article",
            encoding="utf-8",
        )
        return GoldPage(page, Gold(truth.get("articleBody") or ""))

    def files(self) -> Sequence[Path]:
        pages = [self._path(page_id).relative_to(self.root) for page_id in self._ids]
        licence = [Path("LICENSE")] if (self.root / "LICENSE").is_file() else []
        return [Path(GROUND_TRUTH), *licence, *pages]

    def _path(self, page_id: str) -> Path:
        path = page_file(self.root / "html", page_id)
        if path is None:
            raise GoldError(f"{self.root / 'html'} has no page {page_id}")
        return path
