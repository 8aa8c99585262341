"""The combined data set of the SIGIR 2023 study: eight data sets in one form.

``ground-truth/DATASET.jsonl`` (``page_id``, ``plaintext``, ``url``, ``source``) beside
``html/DATASET/PAGE_ID.html``. The study brought every page to UTF-8 and left the pages' own
declarations as they were; it reads them as UTF-8, and so that charset is stated here. A page's id
is the hash of its first form and may occur in several of the sets: all of them together have ids
``DATASET-PAGE_ID``, one of them alone has the study's.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.datasets.readers.base import (
    Reader,
    inner,
    is_bare,
    is_utf8,
    packed_or_not,
    page_ids,
    page_path,
    text,
)
from bench.datasets.readers.jsonl import JsonLines, Record
from bench.model import Gold, GoldPage, Page

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
        self._base = inner(root, _TRUTH, "combined", "datasets/combined")
        self._truth: dict[str, JsonLines] = {}
        self._places: dict[str, tuple[str, str]] = {}
        pages, gold = set(), set()
        for part in parts:
            path = packed_or_not(self._base / _TRUTH / f"{part}.jsonl")
            if path is None:
                continue
            lines = JsonLines(path, root, "page_id", _unfit)
            self._beside.append(path)
            self._truth[part] = lines
            self.problems += lines.problems
            on_disk = page_ids(self._base / _HTML / part)
            prefix = f"{part}-" if len(parts) > 1 else ""
            self._places |= {prefix + i: (part, i) for i in on_disk | set(lines.places)}
            pages |= {prefix + i for i in on_disk}
            gold |= {prefix + i for i in lines.places}
        if not self._truth:
            name = f"{_TRUTH}/{parts[0] if len(parts) == 1 else 'DATASET'}.jsonl"
            raise self._lacks(name)
        self._pair(
            pages, gold, page_at="html/DATASET/{}.html", gold_at=f"line in {_TRUTH} for {{}}"
        )

    def read(self, page_id: str) -> GoldPage:
        part, name = self._places[page_id]
        truth = self._truth[part].read(name)
        (page_file,) = self._files_of(page_id)
        html = self._bytes(page_file)
        source = truth.get("source") or []
        page = Page(
            id=page_id,
            html=html,
            url=text(truth, "url"),
            encoding="utf-8" if is_utf8(html) else None,
            meta={"dataset": part, "source": "/".join(map(str, source))},
        )
        return GoldPage(page, Gold(text(truth, "plaintext") or ""))

    def _files_of(self, page_id: str) -> Iterable[Path]:
        part, name = self._places[page_id]
        return [page_path(name, self._base / _HTML / part)]


def _unfit(record: Record) -> str | None:
    for name in ("url", "plaintext"):
        text(record, name)
    if not isinstance(record.get("source") or [], list):
        raise TypeError("source is no list")
    return None if is_bare(record["page_id"]) else "its id cannot be a file's name"
