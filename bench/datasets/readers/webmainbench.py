"""WebMainBench: one JSON object a line, ``track_id``, ``html``, ``url``, gold in Markdown, ``meta``.

The full set is scored against ``convert_main_content`` (its authors' ``eval_baselines/base.py``),
the subset of 545 against ``groundtruth_content``, which people calibrated; where the one is null the
other is taken. Pages are text in the file and are handed out as UTF-8, without the marks of the
tool that they were annotated with.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.datasets.readers import annotation
from bench.datasets.readers.base import FILE_BYTES, MIB, GoldError, Reader, packed_or_not, text
from bench.datasets.readers.jsonl import JsonLines, Record
from bench.model import Gold, GoldPage, Page

_CONVERTED, _CALIBRATED = "convert_main_content", "groundtruth_content"
_META = ("style", "level", "table", "code", "equation")
_TYPES: Mapping[str, str] = {
    "article": "article",
    "content listing": "listing",
    "forum_or_article_with_commentsection": "forum",
    "other": "other",
}


class WebMainBenchReader(Reader):
    """The full set, or the ``calibrated`` subset of 545 pages.

    The root may be a folder above ``data``, and the file be gzipped.
    """

    layout_of = "WebMainBench"

    def __init__(self, root: Path, *, calibrated: bool = False) -> None:
        super().__init__(root)
        self._gold_fields = (_CALIBRATED, _CONVERTED) if calibrated else (_CONVERTED, _CALIBRATED)
        name = "WebMainBench_545.jsonl" if calibrated else "webmainbench.jsonl"
        path = packed_or_not(root / name) or packed_or_not(root / "data" / name)
        if path is None:
            raise self._lacks(name)
        self._lines = JsonLines(path, root, "track_id", self._unfit)
        self._beside.append(path)
        self.ids = sorted(self._lines.places)
        self.problems += self._lines.problems
        if not self.ids:
            raise GoldError(f"{path} holds no page with gold")

    def read(self, page_id: str) -> GoldPage:
        record = self._lines.read(page_id)
        meta = _meta(record)
        style = text(meta, "style")
        html = annotation.strip(record["html"])
        page = Page(
            id=page_id,
            html=html.encode("utf-8", "replace"),
            url=text(record, "url"),
            language=text(meta, "language"),
            page_type=_TYPES.get(style.lower(), style.lower()) if style else None,
            encoding="utf-8",
            meta={name: meta[name] for name in _META if meta.get(name)},
        )
        return GoldPage(page, Gold(self._gold(record)))

    def _gold(self, record: Record) -> str | None:
        texts = (text(record, name) for name in self._gold_fields)
        return next((gold for gold in texts if gold is not None), None)

    def _unfit(self, record: Record) -> str | None:
        for name in ("url", "html"):
            text(record, name)
        for name in ("language", "style"):
            text(_meta(record), name)
        if not record.get("html"):
            return "gold without a page"
        if len(record["html"].encode("utf-8", "replace")) > FILE_BYTES:
            return f"its page is longer than {FILE_BYTES // MIB} MiB"
        return "page without gold" if self._gold(record) is None else None


def _meta(record: Record) -> dict[str, Any]:
    return dict(record.get("meta") or {})
