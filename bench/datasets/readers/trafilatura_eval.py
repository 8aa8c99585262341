"""The evaluation set of the library Trafilatura: ``evaldata.json``, pages in ``cache`` and ``eval``.

``{url: {"file": NAME, "with": [text], "without": [text]}}``; a page is looked for in ``cache`` first,
as the library's own ``eval_common.py`` does. There is no full text, and a page's id is its file's
name. Bytes are handed out as they are: no charset is known.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.datasets.readers.base import (
    LICENCE,
    GoldError,
    Reader,
    inner,
    is_bare,
    is_text,
    page_file,
    page_ids,
    page_path,
    read_bytes,
    read_text,
    text,
    texts,
)
from bench.model import Gold, GoldPage, Page

EVALUATION = "evaldata.json"
_FOLDERS = ("cache", "eval")
_META = ("title", "author", "date", "sitename", "license", "region")

Entry = dict[str, Any]


class TrafilaturaEvalReader(Reader):
    """Snippets that must and must not be in the text; the root may be the library's repository."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._base = inner(root, EVALUATION, "tests")
        path = self._base / EVALUATION
        if not path.is_file():
            raise GoldError(f"{root} is not in this data set's layout: it has no {EVALUATION}")
        self._entries: dict[str, tuple[str, Entry]] = {}
        try:
            for url, entry in dict(json.loads(read_text(path))).items():
                self._add(url, dict(entry))
        except (ValueError, TypeError, LookupError) as error:
            raise GoldError(f"{path} is no evaluation data: {error!r}") from error
        pages = {i for folder in _FOLDERS for i in page_ids(self._base / folder)}
        # Pages that wait for their annotation lie there too, in the published set as well.
        pages &= set(self._entries)
        gold_at = f"entry {{}} in {EVALUATION}"
        self._pair(pages, self._entries, page_at="cache/{0}.html or eval/{0}.html", gold_at=gold_at)

    def read(self, page_id: str) -> GoldPage:
        url, entry = self._entries[page_id]
        page = Page(
            id=page_id,
            html=read_bytes(self._path(page_id)),
            url=url,
            meta={name: value for name in _META if (value := entry.get(name))},
        )
        return GoldPage(page, Gold(None, texts(entry, "with"), texts(entry, "without")))

    def files(self) -> Sequence[Path]:
        found = [path for place in (self.root, self._base) if (path := place / LICENCE).is_file()]
        found += [self._base / EVALUATION, *map(self._path, self._ids)]
        return list(dict.fromkeys(path.relative_to(self.root) for path in found))

    def _add(self, url: str, entry: Entry) -> None:
        name = text(entry, "file") or ""
        if not is_bare(name) or not is_text(name):
            raise ValueError(f"{url}: file is {name!r}, which is no file's name")
        texts(entry, "with")
        texts(entry, "without")
        page_id = name.removesuffix(".gz").removesuffix(".html")
        if page_id in self._entries:
            self._problems.append(f"{page_id} is the page of {url} too, which is left out")
        else:
            self._entries[page_id] = (url, entry)

    def _path(self, page_id: str) -> Path:
        for folder in _FOLDERS:
            if path := page_file(self._base / folder, page_id):
                return path
        return page_path(self._base / _FOLDERS[-1], page_id)
