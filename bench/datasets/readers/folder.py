"""A plain folder: ``ID.html`` or ``ID.html.gz`` beside ``ID.txt``, and facts in ``pages.jsonl``.

``pages.jsonl`` is optional; each line is an object with ``id`` and any of ``url``, ``language``
(BCP 47), ``page_type`` and ``encoding`` (the charset that the server stated).
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.datasets.readers.base import (
    PAGE,
    GoldError,
    Reader,
    files_by_id,
    is_text,
    text,
    well_formed,
)
from bench.model import Gold, GoldPage, Page

FACTS = "pages.jsonl"
_OURS = ("url", "language", "page_type", "encoding")


class FolderReader(Reader):
    """Pages and gold side by side; a ``pages`` folder inside is looked into as well."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        if not root.is_dir():
            raise GoldError(f"{root} is no folder; give one with ID.html and ID.txt files")
        folder = root / "pages" if (root / "pages").is_dir() else root
        self._beside.append(root / FACTS)
        pages, gold = files_by_id(folder, *PAGE), files_by_id(folder, ".txt")
        self._pages = pages
        # Without any they are pages alone, such as `bench collect` writes.
        self.has_gold = bool(gold)
        self._pair(pages, gold or dict.fromkeys(pages), page_at="{}.html", gold_at="{}.txt")
        self._facts = self._read_facts(root / FACTS)

    def read(self, page_id: str) -> GoldPage:
        _, *gold_files = self._files[page_id]
        return GoldPage(self.page(page_id), Gold(self._text(gold_files[0]) if gold_files else None))

    @property
    def all_ids(self) -> Sequence[str]:
        """Ids of the pages with gold and without."""
        return sorted(filter(is_text, self._pages))

    def beside(self, page_id: str, suffix: str) -> Path:
        """Return where a file that goes with a page lies, or would lie."""
        return self._pages[page_id].parent / f"{page_id}{suffix}"

    def page(self, page_id: str) -> Page:
        """Return a page, with gold or without. Raises ``GoldError`` as ``read`` does."""
        facts = self._facts.get(page_id, {})
        return Page(
            id=page_id,
            html=self._bytes(self._pages[page_id]),
            **{name: facts.get(name) for name in _OURS},
            meta={name: value for name, value in facts.items() if name not in ("id", *_OURS)},
        )

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
