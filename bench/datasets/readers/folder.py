"""A plain folder: ``ID.html`` or ``ID.html.gz`` beside ``ID.txt``, and facts in ``pages.jsonl``.

``pages.jsonl`` is optional; each line is an object with ``id`` and any of ``url``, ``language``
(BCP 47), ``page_type`` and ``encoding`` (the charset that the server stated).
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bench.datasets.readers.base import GoldError, Reader, page_ids, page_path, text, well_formed
from bench.model import Gold, GoldPage, Page

FACTS = "pages.jsonl"
_OURS = ("url", "language", "page_type", "encoding")


class FolderReader(Reader):
    """Pages and gold side by side; a ``pages`` folder inside is looked into as well."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        if not root.is_dir():
            raise GoldError(f"{root} is no folder; give one with ID.html and ID.txt files")
        self._pages = root / "pages" if (root / "pages").is_dir() else root
        self._beside.append(root / FACTS)
        gold, pages = {path.stem for path in self._pages.glob("*.txt")}, page_ids(self._pages)
        # Without any they are pages alone, such as `bench collect` writes.
        self.has_gold = bool(gold)
        self._pair(pages, gold or pages, page_at="{}.html", gold_at="{}.txt")
        self._facts = self._read_facts(root / FACTS)

    def read(self, page_id: str) -> GoldPage:
        facts = self._facts.get(page_id, {})
        page = Page(
            id=page_id,
            html=self._bytes(page_path(page_id, self._pages)),
            **{name: facts.get(name) for name in _OURS},
            meta={name: value for name, value in facts.items() if name not in ("id", *_OURS)},
        )
        gold = self._text(self._pages / f"{page_id}.txt") if self.has_gold else None
        return GoldPage(page, Gold(gold))

    def _files_of(self, page_id: str) -> Iterable[Path]:
        gold = [self._pages / f"{page_id}.txt"] if self.has_gold else []
        return [page_path(page_id, self._pages), *gold]

    def _read_facts(self, path: Path) -> Mapping[str, Mapping[str, Any]]:
        facts_by_id: dict[str, Mapping[str, Any]] = {}
        lines = self._text(path).split("\n") if path.exists() else []
        for number, line in enumerate(lines, 1):
            if line.strip():
                with well_formed(f'{path}, line {number}: no JSON object with an "id"'):
                    facts = dict(json.loads(line))
                    for name in ("id", *_OURS):
                        text(facts, name)
                    facts_by_id[facts["id"]] = facts
        return facts_by_id
