"""WARC: the web archive format, as crawlers write it (ISO 28500), plain or gzip by record.

Pages are ``response`` records of HTML with status 200, listed once with their offsets and read from
there, never unpacked to disk; the charset is the one that the server stated. They have no gold. A
page's id is the beginning of its address' SHA-256, with a number for one that occurs again.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from bench.datasets.readers.base import (
    DAMAGE,
    FILE_BYTES,
    MIB,
    GoldError,
    Reader,
    open_file,
    unreadable,
)
from bench.model import BenchError, Gold, GoldPage, Page
from bench.util.remembered import remembered

_FORMAT = 2
_HTML = ("text/html", "application/xhtml+xml")
_WARC = ("*.warc", "*.warc.gz")


class WarcReader(Reader):
    """The pages of a WARC file, or of those in a folder."""

    layout_of = "WARC"
    has_gold = False
    types: ClassVar[Collection[str]] = _HTML
    """Content types of pages; empty for any."""

    def __init__(self, root: Path) -> None:
        super().__init__(root if root.is_dir() else root.parent)
        files = sorted(p for glob in _WARC for p in root.glob(glob)) if root.is_dir() else [root]
        if not files:
            raise self._lacks("*.warc or *.warc.gz file")
        self._beside = files
        self._places: dict[str, tuple[Path, int]] = {}
        self.stated: dict[str, tuple[str, str]] = {}
        """Address and content type of each page."""
        others: Counter[str] = Counter()
        for path in files:
            places, skipped = self._list(path)
            others.update(skipped)
            for url, mime, offset in places:
                if self.types and mime not in self.types:
                    others["of another type than HTML"] += 1
                    continue
                page_id = name = hashlib.sha256(url.encode()).hexdigest()[:16]
                number = 1
                while page_id in self._places:
                    number += 1
                    page_id = f"{name}-{number}"
                self._places[page_id] = (path, offset)
                self.stated[page_id] = (url, mime)
        self.ids = sorted(self._places)
        self.problems = [f"{count} responses {what}" for what, count in others.items()]
        if not self.ids:
            raise GoldError(f"{root} holds no page: no response record of HTML with status 200")

    def read(self, page_id: str) -> GoldPage:
        path, offset = self._places[page_id]
        with open_file(path, self._within) as file:
            file.seek(offset)
            try:
                _, record = next(_records(file))
                html = record.reader.read(FILE_BYTES + 1)
                url, charset = _url(record), record.http_charset
            except (*DAMAGE, StopIteration, ValueError) as error:
                raise unreadable(path, error) from error
        if len(html) > FILE_BYTES:
            raise GoldError(f"{url} in {path} is longer than {FILE_BYTES // MIB} MiB; leave it out")
        return GoldPage(Page(page_id, html, url=url, encoding=charset), Gold(None))

    def _list(self, path: Path) -> tuple[list[tuple[str, str, int]], Mapping[str, int]]:
        """Return address, type and offset of what came with status 200, and what else there is."""
        with open_file(path, self._within) as file:
            facts = os.fstat(file.fileno())
            identity = (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)

            def find() -> tuple[list[tuple[str, str, int]], Mapping[str, int]]:
                pages, others = [], Counter[str]()
                try:
                    for offset, record in _records(file):
                        headers = record.http_headers
                        if headers is None or headers.status_code != 200:
                            others["with another status than 200"] += 1
                        else:
                            mime = record.http_content_type or ""
                            pages.append((_url(record), mime, offset))
                except (*DAMAGE, ValueError) as error:
                    raise unreadable(path, error) from error
                return pages, others

            return remembered(
                "warc",
                hashlib.sha256(f"{_FORMAT} {identity}".encode()).hexdigest(),
                find,
                dump=list,
                load=lambda kept: (
                    [(str(u), str(m), int(o)) for u, m, o in kept[0]],
                    dict(kept[1]),
                ),
            )


def _records(file: BinaryIO) -> Iterator[tuple[int, Any]]:
    """Yield each response, from where the file stands, with its offset."""
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError:
        raise BenchError(
            "reading WARC needs FastWARC; fix: pip install 'extractor-bench[collect]'"
        ) from None
    start = file.tell()
    for record in ArchiveIterator(file, WarcRecordType.response, auto_decode="all"):
        yield start + record.stream_pos, record


def _url(record: Any) -> str:
    return str(record.headers.get("WARC-Target-URI", ""))
