"""A folder of pages with the labels beside them: read, saved whole or not at all, never lost.

``ID.labels.json`` is the label that counts, ``ID.txt`` the text that follows from it;
``ID.labels.NAME.json`` is an annotator's, ``labels.log.jsonl`` every label that was ever saved.
"""

import glob
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import msgspec

from bench.datasets.readers.base import in_random_order
from bench.datasets.readers.folder import LABEL, FolderReader
from bench.label import labels
from bench.label.labels import Chosen, Draft, Label
from bench.label.text import Part, painted, text_of
from bench.label.tree import PARSER, Tree
from bench.model import BenchError, UsageError
from bench.util.atomic import reading_from, replacing, write_text, writing_to

LOG = "labels.log.jsonl"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_TREES = 4
"""Trees that are kept: a page is asked about many times while it is labelled."""


class LabelFolder:
    """The pages of a folder, and one annotator's labels; without a name, the labels that count."""

    def __init__(self, root: Path, annotator: str | None = None, seed: int = 0) -> None:
        """Open a folder. Raises ``BenchError`` for one without pages, or that cannot be read."""
        if annotator is not None and not _NAME.fullmatch(annotator):
            raise UsageError(f"--as {annotator!r}: a name has letters, digits, - and _ alone")
        with reading_from(root):
            self.reader = FolderReader(root)
        self.root = root
        self.annotator = annotator
        self.tree = lru_cache(_TREES)(lambda page_id: Tree(self.reader.page(page_id)))
        """Return the tree of a page."""
        self.ids = in_random_order(self.reader.ids, seed)
        """All pages in random order, which pages that come later do not change."""
        self.order: Sequence[str] = self.ids
        """The order in which pages come next; another one is of pages that are disputed."""

    def path(self, page_id: str, annotator: str | None = None) -> Path:
        """Return where a page's label lies: an annotator's, or the one that counts."""
        suffix = f".labels.{annotator}.json" if annotator else LABEL
        return self.reader.beside(page_id, suffix)

    def label(self, page_id: str, annotator: str | None = None) -> Label | None:
        """Return a page's label, its marks as the tree has them now; None where there is none.

        Raises ``BenchError`` for a damaged one, another page's, or one that fits nowhere.
        """
        path = self.path(page_id, annotator)
        if not path.exists():
            return None
        with reading_from(path):
            label = labels.read(path.read_bytes(), path.name)
        tree = self.tree(page_id)
        return msgspec.structs.replace(label, marks=labels.anchored(label, tree, path.name))

    def state(self, page_id: str) -> str:
        """Return ``labelled``, ``gold`` for a page whose text came from elsewhere, or nothing."""
        if self.path(page_id, self.annotator).exists():
            return "labelled"
        return "gold" if self._has_other_gold(page_id) else ""

    def following(self) -> str | None:
        """Return the page that is next: the first in order without a label."""
        return next((page_id for page_id in self.order if not self.state(page_id)), None)

    def why(self, page_id: str) -> Chosen:
        """Return why a page is looked at that has no label yet."""
        if page_id != self.following():
            return "hand"
        return "random" if self.order is self.ids else "disputed"

    def text(self, page_id: str, marks: list[labels.Mark], part: Part = "main") -> str:
        """Return the text of a part that follows from marks. Raises ``BenchError`` for wrong ones."""
        tree = self.tree(page_id)
        return text_of(tree, painted(tree, labels.claims(marks, tree)), part)

    def save(self, draft: Draft, prefill: str | None = None) -> Label:
        """Save a label, first to the log, and the text of one that counts; return it.

        ``prefill`` is what the page's first label began with, and stays. Raises ``BenchError`` for one
        that says nothing or contradicts itself, for a page whose gold no label made, and where the
        disk refuses: what was saved before is then still there.
        """
        tree = self.tree(draft.page)
        marks = [labels.quoted(mark, tree) for mark in draft.marks]
        text = self.text(draft.page, marks)
        if draft.page_sha256 != tree.sha256:
            raise BenchError(f"page {draft.page} was changed meanwhile; load it again")
        if draft.no_main_content and text:
            raise BenchError("main text is marked, and the page is said to have none; choose one")
        if not text and not draft.no_main_content:
            raise BenchError("no main text is marked; mark it, or say that there is none")
        if self.annotator is None and self._has_other_gold(draft.page):
            raise BenchError(
                f"{draft.page}.txt holds gold that no label made; move it away, or label with --as"
            )
        before = self.label(draft.page, self.annotator)
        label = Label(
            **msgspec.structs.asdict(draft) | {"marks": marks},
            parser=PARSER,
            annotator=self.annotator,
            prefill=before.prefill if before else prefill,
            saved=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        self._log(label)
        self._write(label, self.annotator)
        return label

    def adopt(self, annotator: str) -> list[str]:
        """Make an annotator's labels those that count; return the ids of their pages.

        Raises ``BenchError`` where there are none, or gold stands there that no label made.
        """
        ids = [i for i in sorted(self.ids) if self.path(i, annotator).exists()]
        if not ids:
            raise UsageError(f"{self.root} has no label of {annotator!r}; label with --as first")
        for page_id in ids:
            if self._has_other_gold(page_id):
                raise BenchError(f"{page_id}.txt holds gold that no label made; move it away first")
        adopted = [label for i in ids if (label := self.label(i, annotator))]
        for label in adopted:
            self._log(label)
            self._write(label, None)
        return ids

    def mend(self) -> None:
        """Write the texts that are older than their labels: a server was killed between the two."""
        for page_id in self.ids:
            label, text = self.path(page_id), self.reader.beside(page_id, ".txt")
            saved = label.stat().st_mtime_ns if label.exists() else 0
            if saved > (text.stat().st_mtime_ns if text.exists() else 0):
                self._write_text(page_id)

    def annotators(self) -> list[str]:
        """Return the names of those whose labels lie in the folder."""
        names = set()
        for label in map(self.path, self.ids):
            begin = glob.escape(label.name.removesuffix("json"))
            names |= {path.name.split(".")[-2] for path in label.parent.glob(f"{begin}*.json")}
        return sorted(names)

    def _has_other_gold(self, page_id: str) -> bool:
        path = self.reader.beside(page_id, ".txt")
        return path.exists() and path.stat().st_size > 0 and not self.path(page_id).exists()

    def _write(self, label: Label, annotator: str | None) -> None:
        with replacing(self.path(label.page, annotator)) as temporary:
            temporary.write_bytes(labels.write(label))
        if annotator is None:
            self._write_text(label.page)

    def _write_text(self, page_id: str) -> None:
        if label := self.label(page_id):
            write_text(self.reader.beside(page_id, ".txt"), self.text(page_id, label.marks))

    def _log(self, label: Label) -> None:
        """Append a label to the log; a line that a killed server tore is ended first."""
        path = self.root / LOG
        with writing_to(self.root), path.open("ab+") as log:
            if log.tell():
                log.seek(-1, os.SEEK_END)
                if log.read(1) != b"\n":
                    log.write(b"\n")
            log.write(msgspec.json.encode(label) + b"\n")
            log.flush()
            os.fsync(log.fileno())
