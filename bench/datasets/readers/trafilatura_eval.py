"""The evaluation set of the library Trafilatura: ``evaldata.json``, pages in ``cache`` and ``eval``.

``{url: {"file": NAME, "with": [text], "without": [text]}}``; a page is looked for in ``cache`` first,
as the library's own ``eval_common.py`` does. There is no full text, and a page's id is its file's
name. Bytes are handed out as they are: no charset is known.
"""

from pathlib import Path
from typing import Any

from bench.datasets.readers.base import (
    PAGE,
    Reader,
    files_by_id,
    inner,
    is_bare,
    is_text,
    text,
    texts,
    well_formed,
)
from bench.model import Gold, GoldPage, Page

EVALUATION = "evaldata.json"
_META = ("title", "author", "date", "sitename", "license", "region")

Entry = dict[str, Any]


class TrafilaturaEvalReader(Reader):
    """Snippets that must and must not be in the text; the root may be the library's repository."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        base = inner(root, EVALUATION, "tests")
        path = base / EVALUATION
        if not path.is_file():
            raise self._lacks(EVALUATION)
        self._beside = list(dict.fromkeys([*self._beside, base / self._beside[0].name, path]))
        self._entries: dict[str, tuple[str, Entry]] = {}
        with well_formed(f"{path} is no evaluation data"):
            for url, entry in self._json(path).items():
                self._add(url, dict(entry))
        # Pages that wait for their annotation lie there too, in the published set as well.
        on_disk = files_by_id(base / "eval", *PAGE) | files_by_id(base / "cache", *PAGE)
        pages = {i: file for i, file in on_disk.items() if i in self._entries}
        page_at, gold_at = "cache/{0}.html or eval/{0}.html", f"entry {{}} in {EVALUATION}"
        self._pair(pages, dict.fromkeys(self._entries), page_at=page_at, gold_at=gold_at)

    def read(self, page_id: str) -> GoldPage:
        url, entry = self._entries[page_id]
        page = Page(
            id=page_id,
            html=self._bytes(self._files(page_id)[0]),
            url=url,
            meta={name: value for name in _META if (value := entry.get(name))},
        )
        return GoldPage(page, Gold(None, texts(entry, "with"), texts(entry, "without")))

    def _add(self, url: str, entry: Entry) -> None:
        name = text(entry, "file") or ""
        if not is_bare(name) or not is_text(name):
            raise ValueError(f"{url}: file is {name!r}, which is no file's name")
        texts(entry, "with")
        texts(entry, "without")
        page_id = name.removesuffix(".gz").removesuffix(".html")
        if page_id in self._entries:
            self.problems.append(f"{page_id} is the page of {url} too, which is left out")
        else:
            self._entries[page_id] = (url, entry)
