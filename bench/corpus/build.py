"""Builds a corpus: workers extract the documents in parts, one writer stores their texts in order.

A part is a run like any other, kept below the corpus, so that what was extracted is never extracted
again. Parts are extracted at the same time; texts are stored in the order of the documents.
"""

import hashlib
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from bench.adapters.adapter import Row
from bench.corpus import components
from bench.corpus.components import Component
from bench.corpus.documents import Documents
from bench.corpus.media.base import PART
from bench.corpus.store import DONE, FAILED, SKIPPED, Entry, Store, alone
from bench.datasets import text_language
from bench.model import BenchError, Limits, Outcome
from bench.runs import new_run, runner
from bench.runs.plan import Plan
from bench.runs.runner import Events
from bench.runs.store.journal import CellRecord
from bench.runs.store.runs import RunFolder

RUNS, VERB = "runs", "corpus"
"""The folder of the runs below a corpus, and the verb that made them."""
LANGUAGE = "language"
"""Why a text in another language is left out."""
_DETECTED = 500
"""Characters of a text that its language is told by."""
_FEWEST, _MOST = 100, 2000
"""Documents of a part, at least and at most; between them there is a part for each worker."""


@dataclass(frozen=True)
class Settings:
    """What the content of a corpus depends on, beside its documents."""

    html: Component
    """For HTML; the other types have components of their own."""
    language: str | None = None
    """ISO 639-1: texts in another are left out."""

    def facts(self) -> dict[str, str | None]:
        """Return them as the corpus notes them."""
        row = self.html.row
        return {"extractor": row.label, "version": row.adapter.version, "language": self.language}


def build(
    documents: Documents,
    root: str,
    settings: Settings,
    out: Path,
    *,
    jobs: int,
    limits: Limits,
    events: Events,
) -> None:
    """Build a corpus, or go on with it; documents that are in it already stay as they are.

    ``root`` says where the documents are from. Raises ``UsageError`` for a corpus with other
    settings or of another schema, ``BenchError`` where another process builds it, a component
    cannot be loaded, or the disk refuses; what is stored is kept.
    """
    with alone(out), Store(out, make=True) as store, store.writing():
        stored_ids = store.pages
        data_set = documents.data_set
        remaining = [page_id for page_id in data_set.ids if page_id not in stored_ids]
        others = {name: why for name, why in documents.others.items() if name not in stored_ids}
        store.begin(root, settings.facts(), anew=bool(remaining or others))
        for name, (mime, reason) in others.items():
            with store.document():
                store.add(Entry(name, name, SKIPPED, reason, mime=mime))
        extraction = _Extraction(documents, components.for_types(settings.html), limits, events)
        parts = [part for part in _parts(data_set.ids, jobs) if not stored_ids.issuperset(part)]
        with ThreadPoolExecutor(jobs) as pool:
            _ = data_set.hashes  # found once, before parts look for them side by side
            futures = [pool.submit(extraction.run, part, out / RUNS) for part in parts]
            try:
                for part, future in zip(parts, futures, strict=True):
                    # After the first row of a run come the members of an ensemble.
                    records = {
                        record["page"]: record
                        for folder in future.result()
                        for record in folder.records(folder.manifest.rows[0].key)
                    }
                    for page_id in part:
                        if page_id not in stored_ids:
                            component, record = extraction.component(page_id), records[page_id]
                            entry, parent = _entry(documents, component, page_id, record)
                            texts = _texts(component, record)
                            _add(store, entry, parent, texts, settings.language)
            finally:
                extraction.stopping.set()
                pool.shutdown(wait=False, cancel_futures=True)
        store.finish()


def _parts(ids: Sequence[str], jobs: int) -> list[Sequence[str]]:
    """Cut the documents into parts, since each starts a worker as few as keep all workers busy."""
    size = min(_MOST, max(_FEWEST, -(-len(ids) // jobs)))
    return [ids[at : at + size] for at in range(0, len(ids), size)]


class _Stopped(Exception):
    """The build has ended: the part goes on when it does."""


class _Extraction:
    """Extracts parts, in threads; told as ``Events`` what their runs do."""

    def __init__(
        self,
        documents: Documents,
        by_type: Mapping[str, Component],
        limits: Limits,
        events: Events,
    ) -> None:
        self._documents = documents
        self._by_type = by_type
        self._limits = limits
        self._events = events
        self.stopping = threading.Event()
        self.row_started, self.row_unavailable = events.row_started, events.row_unavailable

    def component(self, page_id: str) -> Component:
        """Return what extracts a document."""
        return self._by_type[self._documents.mime(page_id)]

    def run(self, part: Sequence[str], results: Path) -> list[RunFolder]:
        """Extract a part, each type in a run of its own. Raises ``BenchError``."""
        rows = {page_id: self.component(page_id).row for page_id in part}
        return [
            self._carried_out(row, [i for i in part if rows[i] is row], results)
            for row in {row.key: row for row in rows.values()}.values()
        ]

    def _carried_out(self, row: Row, pages: Sequence[str], results: Path) -> RunFolder:
        if self.stopping.is_set():
            raise _Stopped
        plan = Plan([row], self._documents.only(pages), limits=self._limits)
        folder = new_run.find_same(plan, results, VERB)
        folder = folder or new_run.start(plan, results, reuse=True, verb=VERB)
        if not folder.finished:
            runner.execute(plan, folder, self)
        for facts in folder.manifest.rows:
            if not facts.available:
                raise BenchError(f"{facts.label}: {facts.problem}; fix: {facts.remedy}")
        return folder

    def cell_done(self, row: Row, page_id: str) -> None:
        """Pass it on, or stop here (``Events``)."""
        self._events.cell_done(row, page_id)
        if self.stopping.is_set():
            raise _Stopped


def _entry(
    documents: Documents, component: Component, page_id: str, record: CellRecord
) -> tuple[Entry, str | None]:
    """Return the row of a document, and its parent's address."""
    page = documents.data_set.reader.read(page_id).page
    url = page.url or page_id
    origin = documents.origin(url)
    outcome = Outcome(record["outcome"])
    state = DONE if outcome is Outcome.OK else FAILED if outcome.failed else SKIPPED
    message = record["diagnostics"].partition("\n")[0] if outcome.failed else ""
    entry = Entry(
        url,
        page_id,
        state,
        reason=None if state == DONE else f"{outcome}: {message}".rstrip(": "),
        depth=origin.depth,
        status=origin.status,
        mime=documents.mime(page_id),
        charset=page.encoding,
        bytes=len(page.html),
        sha256=hashlib.sha256(page.html).hexdigest(),
        component=component.row.label,
        fetched_at=origin.fetched_at,
    )
    return entry, origin.parent


def _texts(component: Component, record: CellRecord) -> list[str]:
    """Return the texts of a document: none of one that failed or is empty."""
    if record["outcome"] != Outcome.OK:
        return []
    texts = record["text"].split(PART)
    return texts if component.several else ["\n".join(texts)]


def _add(
    store: Store,
    entry: Entry,
    parent: str | None,
    texts: Sequence[str],
    language: str | None,
) -> None:
    """Store a document with its text; each of several texts is a document below its page."""
    with store.document():
        if len(texts) == 1:
            _add_text(store, entry, parent, texts[0], language)
            return
        number = store.add(entry, parent=parent)
        for place, text in enumerate(texts, 1):
            part = replace(entry, url=f"{entry.url}#text-{place}", parent_id=number)
            _add_text(store, part, None, text, language)


def _add_text(
    store: Store, entry: Entry, parent: str | None, text: str, language: str | None
) -> None:
    detected, _ = text_language.detected(text, _DETECTED)
    entry = replace(entry, language=detected)
    if language in (None, detected):
        store.add(entry, text, parent)
    else:
        store.add(replace(entry, state=SKIPPED, reason=LANGUAGE), None, parent)
