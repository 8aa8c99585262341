"""A plain folder: ``ID.html`` or ``ID.html.gz`` beside ``ID.txt``, and facts in ``pages.jsonl``.

``pages.jsonl`` is optional; each line is an object with ``id`` and any of ``url``, ``language``
(BCP 47), ``page_type`` and ``encoding`` (the charset that the server stated).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.datasets.readers.base import (
    GoldError,
    Reader,
    page_ids,
    page_path,
    read_bytes,
    read_text,
)
from bench.model import Gold, GoldPage, Page

FACTS = "pages.jsonl"
_OURS = ("id", "url", "language", "page_type", "encoding")


class FolderReader(Reader):
    """Pages and gold side by side; a ``pages`` folder inside is looked into as well."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        if not root.is_dir():
            raise GoldError(f"{root} is no folder; give one with ID.html and ID.txt files")
        self._pages = root / "pages" if (root / "pages").is_dir() else root
        gold = {p.stem for p in self._pages.glob("*.txt")}
        self._pair(page_ids(self._pages), gold, page_at="{}.html", gold_at="{}.txt")
        self._facts = self._read_facts()

    def read(self, page_id: str) -> GoldPage:
        facts = self._facts.get(page_id, {})
        page = Page(
            id=page_id,
            html=read_bytes(page_path(self._pages, page_id)),
            url=facts.get("url"),
            language=facts.get("language"),
            page_type=facts.get("page_type"),
            encoding=facts.get("encoding"),
            meta={name: value for name, value in facts.items() if name not in _OURS},
        )
        return GoldPage(page, Gold(read_text(self._pages / f"{page_id}.txt")))

    def files(self) -> Sequence[Path]:
        found = [page_path(self._pages, i) for i in self._ids]
        found += [self._pages / f"{i}.txt" for i in self._ids]
        if (self.root / FACTS).is_file():
            found.append(self.root / FACTS)
        return [path.relative_to(self.root) for path in found]

    def _read_facts(self) -> dict[str, dict[str, Any]]:
        path = self.root / FACTS
        if not path.is_file():
            return {}
        facts = {}
        for number, line in enumerate(read_text(path).splitlines(), 1):
            if not line.strip():
                continue
            try:
                each = dict(json.loads(line))
                for name in _OURS:
                    if not isinstance(each.get(name), str | None):
                        raise TypeError(f"{name} is no text")
                facts[each["id"]] = each
            except (ValueError, KeyError, TypeError) as error:
                raise GoldError(
                    f'{path}, line {number}: no JSON object with an "id" ({error})'
                ) from error
        return facts
