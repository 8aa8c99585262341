"""WCXB: ``SPLIT/ground-truth/ID.json`` beside ``SPLIT/html/ID.html.gz``, splits dev and test.

The pages were brought to UTF-8 when they were collected, and their declarations of a charset left
as they were: WCXB's own evaluation opens every page as UTF-8, and so the charset is stated here,
whatever a page declares. Ids are unique within a split only (139 occur in both), and
``metadata.json`` keeps one entry for such an id: facts are taken from the page's own file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from bench.datasets.readers.base import (
    LICENCE,
    GoldError,
    Reader,
    is_utf8,
    page_ids,
    page_path,
    read_bytes,
    read_text,
    text,
    texts,
)
from bench.model import Gold, GoldPage, Page

_EXTRAS = (LICENCE, "metadata.json")
_META = ("title", "author", "publish_date")


class WcxbReader(Reader):
    """One split of WCXB in a folder as its repository has it; a root may hold other splits."""

    split: ClassVar[str] = "dev"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._truth, self._html = root / self.split / "ground-truth", root / self.split / "html"
        for folder in (self._truth, self._html):
            if not folder.is_dir():
                name = folder.relative_to(root)
                raise GoldError(f"{root} is not in WCXB's layout: it has no folder {name}")
        gold = {path.stem for path in self._truth.glob("*.json")}
        page_at, gold_at = f"{self.split}/html/{{}}.html.gz", f"{self.split}/ground-truth/{{}}.json"
        self._pair(page_ids(self._html), gold, page_at=page_at, gold_at=gold_at)

    def read(self, page_id: str) -> GoldPage:
        path = self._truth / f"{page_id}.json"
        try:
            facts = dict(json.loads(read_text(path)))
            truth = dict(facts["ground_truth"])
            gold = Gold(
                text(truth, "main_content") or "",
                texts(truth, "with"),
                texts(truth, "without"),
            )
            url, page_type = text(facts, "url"), _page_type(facts)
            meta = {name: text(truth, name) for name in _META}
        except (ValueError, TypeError, LookupError) as error:
            raise GoldError(f"{path} is no WCXB ground truth: {error!r}") from error
        html = read_bytes(page_path(self._html, page_id))
        return GoldPage(
            Page(
                id=page_id,
                html=html,
                url=url,
                page_type=page_type,
                encoding="utf-8" if is_utf8(html) else None,
                meta={name: value for name, value in meta.items() if value},
            ),
            gold,
        )

    def files(self) -> Sequence[Path]:
        found = [self.root / name for name in _EXTRAS if (self.root / name).is_file()]
        found += [self._truth / f"{i}.json" for i in self._ids]
        found += [page_path(self._html, i) for i in self._ids]
        return [path.relative_to(self.root) for path in found]


class WcxbTestReader(WcxbReader):
    """The held-out split."""

    split = "test"


def _page_type(facts: dict[str, Any]) -> str | None:
    """Return the page type as WCXB's ``evaluate.py`` reads it; None where none is given."""
    kind = dict(facts.get("_internal") or {}).get("page_type")
    kind = kind.get("primary") if isinstance(kind, dict) else kind
    if not isinstance(kind, str | None):
        raise TypeError("page_type is no text")
    return "collection" if kind == "category" else kind
