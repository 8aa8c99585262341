"""Pages of one's own: those below a folder, or those that a file lists, with gold or without.

A page is ``ID.html`` (or ``.htm``, ``.xhtml``, each gzipped or not), its gold ``ID.txt`` beside it; the
id of one in a folder below has that folder in front. Facts stand in ``pages.jsonl``, which is optional;
each line is an object with ``id`` and any of ``url``, ``language`` (BCP 47), ``page_type``,
``encoding`` (the charset that the server stated) and ``no_main_content``. What ``bench label`` says of
a page stands in ``ID.labels.json`` (docs/labels.md).
"""

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from bench.datasets.readers.base import GoldError, Reader, text, texts, well_formed
from bench.model import Gold, GoldPage, Page

FACTS, LABEL = "pages.jsonl", ".labels.json"
_NO_MAIN_CONTENT = "no_main_content"
_PAGE_FACTS = ("url", "language", "page_type", "encoding")
_PAGE = tuple(f".{kind}{packed}" for kind in ("html", "htm", "xhtml") for packed in ("", ".gz"))
_GOLD = ".txt"
_BESIDE = {"", _GOLD, ".json", ".jsonl", ".md", ".toml"}
"""Suffixes of files that lie beside pages and are none."""


class FolderReader(Reader):
    """The pages below a folder, or below a ``pages`` folder inside; not all of them need gold.

    An empty text is gold where a label or a fact says that the page has no main content. Labels of
    pages that were not chosen at random make gold with ``chosen`` alone: such pages are no sample.
    """

    _chosen = False

    def __init__(self, root: Path, *, chosen: bool = False) -> None:
        super().__init__(root)
        self._chosen = chosen
        if not root.is_dir():
            raise GoldError(f"{root} is no folder; give one with ID.html and ID.txt files")
        folder = root / "pages" if (root / "pages").is_dir() else root
        # Links to folders are not followed: they may lead in a circle.
        files = (f"{at}/{name}" for at, _, names in os.walk(folder) for name in names)
        self._list(folder, sorted(file.removeprefix(f"{root}/") for file in files))

    def _list(self, folder: Path, files: Iterable[str]) -> None:
        """Sort files, as seen from the root, into pages and gold: ids are their paths in a folder."""
        self._beside.append(self.root / FACTS)
        pages: dict[str, str] = {}
        gold: dict[str, str] = {}
        labels: dict[str, Path] = {}
        others: Counter[str] = Counter()
        within = f"{folder}/".removeprefix(f"{self.root}/")
        for file in files:
            name = file.removeprefix(within)
            ending = next((end for end in _PAGE if name.endswith(end)), "")
            page_id = name.removesuffix(ending)
            if ending and page_id in pages:
                self.problems.append(f"second page of one id: {name} ({page_id} is there already)")
            elif ending:
                pages[page_id] = file
            elif Path(name).suffix == _GOLD:
                gold[name.removesuffix(_GOLD)] = file
            elif name.endswith(LABEL):
                labels[name.removesuffix(LABEL)] = self.root / file
            elif (suffix := Path(file).suffix) not in _BESIDE:
                others[suffix] += 1
        if others:
            kinds = ", ".join(f"{count} {suffix}" for suffix, count in sorted(others.items()))
            self.problems.append(f"files that are no HTML: {kinds}")
        if not pages:
            reasons = f" ({'; '.join(self.problems)})" if self.problems else ""
            raise GoldError(f"{self.root} holds no page: put ID.html files there{reasons}")
        self._facts = self._read_facts(self.root / FACTS)
        self._labels = {i: self._label(path) for i, path in labels.items() if i in gold}
        self._beside += [labels[page_id] for page_id in self._labels]
        gold = {
            i: file
            for i, file in gold.items()
            if i not in pages or self._is_gold(i, self.root / file)
        }
        self.has_gold = bool(gold.keys() & pages.keys())
        self._pair(pages, {**dict.fromkeys(pages), **gold}, page_at="{}.html", gold_at="{}.txt")

    def read(self, page_id: str) -> GoldPage:
        return GoldPage(self.page(page_id), self.gold(page_id))

    def gold(self, page_id: str) -> Gold:
        _, *gold_files = self._files(page_id)
        if not gold_files:
            return Gold(None)
        label = self._labels.get(page_id, {})
        snippets = (texts(label, f"{kind}_snippets") for kind in ("with", "without"))
        return Gold(self._text(gold_files[0]), *snippets)

    def only(self, ids: Collection[str]) -> Self:
        kept = super().only(ids)
        kept.has_gold = any(len(self._names[page_id]) > 1 for page_id in kept.ids)
        return kept

    def beside(self, page_id: str, suffix: str) -> Path:
        """Return where a file that goes with a page lies, or would lie."""
        return self._files(page_id)[0].with_name(page_id.rpartition("/")[2] + suffix)

    def page(self, page_id: str) -> Page:
        """Return a page without its gold. Raises ``GoldError`` as ``read`` does."""
        facts = self._facts.get(page_id, {})
        return Page(
            id=page_id,
            html=self._bytes(self._files(page_id)[0]),
            **{name: facts.get(name) for name in _PAGE_FACTS},
            meta={
                name: value
                for name, value in facts.items()
                if name not in ("id", _NO_MAIN_CONTENT, *_PAGE_FACTS)
            },
        )

    def _label(self, path: Path) -> dict[str, Any]:
        """Return what a label says; that it was not chosen at random where it cannot be read."""
        try:
            with well_formed(f"{path.relative_to(self.root)} is no label, its text no gold"):
                label = self._json(path)
                for kind in ("with", "without"):
                    texts(label, f"{kind}_snippets")
        except GoldError as error:
            self.problems.append(str(error))
            return {"chosen": None}
        return label

    def _is_gold(self, page_id: str, path: Path) -> bool:
        label = self._labels.get(page_id, {})
        if label.get("chosen", "random") != "random" and not self._chosen:
            return False
        says_none = label.get(_NO_MAIN_CONTENT) or self._facts.get(page_id, {}).get(
            _NO_MAIN_CONTENT
        )
        return bool(says_none) or not path.is_file() or path.stat().st_size > 0

    def _read_facts(self, path: Path) -> Mapping[str, Mapping[str, Any]]:
        facts_by_id: dict[str, Mapping[str, Any]] = {}
        lines = self._text(path).split("\n") if path.exists() else []
        for number, line in enumerate(lines, 1):
            if line.strip():
                with well_formed(f'{path}, line {number}: no JSON object with an "id"'):
                    facts = dict(json.loads(line))
                    for name in ("id", *_PAGE_FACTS):
                        text(facts, name)
                    facts_by_id[facts["id"]] = facts
        return facts_by_id


class ListReader(FolderReader):
    """The pages whose paths stand in a file, one a line, as they are seen from the file's folder."""

    def __init__(self, path: Path) -> None:
        Reader.__init__(self, path.parent)
        self._beside.append(path)
        files: list[str] = []
        for number, line in enumerate(self._text(path).splitlines(), 1):
            file = Path(os.path.normpath(self.root / line.strip()))
            if not line.strip():
                continue
            if not file.is_relative_to(self.root):
                problem = "lies outside the list's folder; put the list above its pages"
            elif not file.is_file():
                problem = "is no file"
            else:
                stem = file.name.removesuffix(file.suffix)
                beside = (file.with_name(stem + ending) for ending in (_GOLD, LABEL))
                files += (
                    str(own.relative_to(self.root)) for own in [file, *filter(Path.is_file, beside)]
                )
                continue
            self.problems.append(f"{path.name}, line {number}: {line.strip()} {problem}")
        self._list(self.root, dict.fromkeys(files))
