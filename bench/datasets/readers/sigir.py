"""The combined data set of the SIGIR 2023 study: eight data sets in one form.

``ground-truth/DATASET.jsonl`` (``page_id``, ``plaintext``, ``url``, ``source``) beside
``html/DATASET/PAGE_ID.html``. The study brought every page to UTF-8 and left the pages' own
declarations as they were; it reads them as UTF-8, and so that charset is stated here. A page's id
is the hash of its first form and may occur in several of the sets: all of them together have ids
``DATASET-PAGE_ID``, one of them alone has the study's.
"""

from collections.abc import Sequence
from pathlib import Path

from bench.datasets.readers.base import (
    PAGE,
    Reader,
    files_by_id,
    inner,
    is_bare,
    packed_or_not,
    text,
)
from bench.datasets.readers.jsonl import JsonLines, Record
from bench.model import Gold, GoldPage, Page
from bench.worker.decode import is_utf8

# In one string, because one of them shares its name with an extractor.
PARTS = tuple(
    "cetd cleaneval cleanportaleval dragnet google-trends-2017 l3s-gn1 readability scrapinghub".split()  # noqa: SIM905
)
_TRUTH, _HTML = "ground-truth", "html"


class SigirReader(Reader):
    """Those of ``parts`` that are there; the root may be the study's repository."""

    layout_of = "the SIGIR study"

    def __init__(self, root: Path, parts: Sequence[str] = PARTS) -> None:
        super().__init__(root)
        base = inner(root, _TRUTH, "combined", "datasets/combined")
        truths = {part: packed_or_not(base / _TRUTH / f"{part}.jsonl") for part in parts}
        self._truth: dict[str, tuple[str, JsonLines, str]] = {}
        pages: dict[str, Path] = {}
        for part, path in truths.items():
            if path is None:
                continue
            lines = JsonLines(path, root, "page_id", _unfit)
            self._beside.append(path)
            self.problems += lines.problems
            prefix = f"{part}-" if len(parts) > 1 else ""
            on_disk = files_by_id(base / _HTML / part, *PAGE)
            pages |= {prefix + name: file for name, file in on_disk.items()}
            self._truth |= {prefix + name: (part, lines, name) for name in lines.places}
        if not any(truths.values()):
            raise self._lacks(f"{_TRUTH}/{parts[0] if len(parts) == 1 else 'DATASET'}.jsonl")
        page_at, gold_at = "html/DATASET/{}.html", f"line in {_TRUTH} for {{}}"
        self._pair(pages, dict.fromkeys(self._truth), page_at=page_at, gold_at=gold_at)

    def read(self, page_id: str) -> GoldPage:
        part, lines, name = self._truth[page_id]
        truth = lines.read(name)
        html = self._bytes(self._files(page_id)[0])
        source = truth.get("source") or []
        page = Page(
            id=page_id,
            html=html,
            url=text(truth, "url"),
            encoding="utf-8" if is_utf8(html) else None,
            meta={"dataset": part, "source": "/".join(map(str, source))},
        )
        return GoldPage(page, Gold(text(truth, "plaintext") or ""))


def _unfit(record: Record) -> str | None:
    for name in ("url", "plaintext"):
        text(record, name)
    if not isinstance(record.get("source") or [], list):
        raise TypeError("source is no list")
    return None if is_bare(record["page_id"]) else "its id cannot be a file's name"
