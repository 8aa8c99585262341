"""scrapinghub/article-extraction-benchmark: ``ground-truth.json`` and ``html/ID.html.gz``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.datasets.readers.base import (
    LICENCE,
    GoldError,
    Reader,
    page_ids,
    page_path,
    read_bytes,
    read_text,
)
from bench.model import Gold, GoldPage, Page

GROUND_TRUTH = "ground-truth.json"
OUTPUT = "output"
"""What systems returned, as published: one JSON file for each; not needed."""


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
        self._html = root / "html"
        gold_at = f"entry {{}} in {GROUND_TRUTH}"
        self._pair(page_ids(self._html), self._truth, page_at="html/{}.html.gz", gold_at=gold_at)

    def read(self, page_id: str) -> GoldPage:
        truth = self._truth[page_id]
        page = Page(
            id=page_id,
            html=read_bytes(page_path(self._html, page_id)),
            url=truth.get("url"),
            language="en",
            page_type="article",
            encoding="utf-8",
        )
        return GoldPage(page, Gold(truth.get("articleBody") or ""))

    def files(self) -> Sequence[Path]:
        pages = [page_path(self._html, i).relative_to(self.root) for i in self._ids]
        licence = [Path(LICENCE)] if (self.root / LICENCE).is_file() else []
        outputs = sorted(
            each.relative_to(self.root) for each in (self.root / OUTPUT).glob("*.json")
        )
        return [Path(GROUND_TRUTH), *licence, *outputs, *pages]
