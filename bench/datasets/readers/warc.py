"""WARC: the web archive format, as crawlers write it (ISO 28500), plain, gzip or zstd by record.

Pages are ``response`` records of HTML with status 200, listed once with their offsets and read from
there, never unpacked to disk; the charset is the one that the server stated. They have no gold. A
page's id is the beginning of its address' SHA-256, with a number for one that occurs again. What is
no page is counted, records that are cut short or too long among it; of a file that is damaged the pages
before the damage are kept.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Literal

from bench.datasets.readers.base import (
    DAMAGE,
    FILE_BYTES,
    MIB,
    GoldError,
    Reader,
    open_file,
    state_of,
    unreadable,
)
from bench.model import BenchError, Gold, GoldPage, Page
from bench.util.remembered import remembered

_FORMAT = 3
_LEAST_STATUS, _OK = 100, 200
_ADDRESS = "WARC-Target-URI"
_HTML = ("text/html", "application/xhtml+xml")
_WARC = ("*.warc", "*.warc.gz", "*.warc.zst")
_Listed = tuple[list[tuple[str, str, int]], dict[str, int], list[str]]


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
            raise self._lacks("*.warc, *.warc.gz or *.warc.zst file")
        self._beside = files
        self._places: dict[str, tuple[Path, int]] = {}
        self.stated: dict[str, tuple[str, str]] = {}
        """Address and content type of each page."""
        others: Counter[str] = Counter()
        for path in files:
            places, skipped, damage = self._list(path)
            others.update(skipped)
            self.problems += damage
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
        self.problems += [f"{count} responses {what}" for what, count in others.items()]
        if not self.ids:
            what = "; ".join(self.problems) or "no response record"
            raise GoldError(f"{root} holds no page of HTML with status 200: {what}")

    def read(self, page_id: str) -> GoldPage:
        path, offset = self._places[page_id]
        url, charset, html = self._content(path, offset)
        if len(html) > FILE_BYTES:
            raise GoldError(f"{url} in {path} is longer than {FILE_BYTES // MIB} MiB; leave it out")
        return GoldPage(Page(page_id, html, url=url, encoding=charset), Gold(None))

    def _content(self, path: Path, offset: int) -> tuple[str, str | None, bytes]:
        """Return address, stated charset and content of a page; at most a byte more than it may have."""
        with open_file(path, self._within) as file:
            file.seek(offset)
            try:
                _, record = next(_records(file, "all"))
                return _url(record), record.http_charset, record.reader.read(FILE_BYTES + 1)
            except (*DAMAGE, StopIteration, ValueError) as error:
                raise unreadable(path, error) from error

    def _list(self, path: Path) -> _Listed:
        """Return address, type and offset of each page of any type, what else there is, and damage."""
        import msgspec  # not at the top: help needs none of it

        with open_file(path, self._within) as file:
            listed: _Listed = remembered(
                "warc",
                state_of(file, _FORMAT),
                lambda: self._find(path, file),
                dump=msgspec.json.encode,
                load=msgspec.json.Decoder(_Listed).decode,
            )
        return listed

    def _find(self, path: Path, file: BinaryIO) -> _Listed:
        pages: list[tuple[str, str, int]] = []
        others: Counter[str] = Counter()
        last = -1
        try:
            for offset, record in _records(file, "none"):
                if offset == last:
                    raise GoldError(
                        f"{path} is compressed as a whole, so that no record can be read alone; unpack "
                        "it, or compress it record by record (warcio recompress)"
                    )
                last = offset
                if what := self._no_page(path, offset, record):
                    others[what] += 1
                else:
                    pages.append((_url(record), record.http_content_type or "", offset))
        except (*DAMAGE, ValueError) as error:
            if last < 0:
                raise unreadable(path, error) from error
            where = f"the record at byte {last:,}"
            return (
                pages,
                others,
                [f"{path.name} is damaged after {where} ({error}): what follows it"],
            )
        return pages, others, []

    def _no_page(self, path: Path, offset: int, record: Any) -> str | None:
        """Say of a response why it is no page, None of a page of any type."""
        size = sum(map(len, iter(partial(record.reader.read, MIB), b"")))
        headers = record.http_headers
        status = 0 if headers is None else headers.status_code or 0
        if size < record.content_length or (record.is_http and status < _LEAST_STATUS):
            return "cut short by the end of the file"
        if headers is None:
            return "cut short, or of another protocol than HTTP"
        if status != _OK:
            return "with another status than 200"
        if headers.get("Content-Encoding") or headers.get("Transfer-Encoding"):
            try:
                size = len(self._content(path, offset)[2])
            except GoldError:
                return "whose encoding is damaged"
        return f"longer than {FILE_BYTES // MIB} MiB" if size > FILE_BYTES else None


def _records(file: BinaryIO, decode: Literal["none", "all"]) -> Iterator[tuple[int, Any]]:
    """Yield each response, from where the file stands, with its offset; ``decode`` is FastWARC's."""
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError:
        raise BenchError(
            "reading WARC needs FastWARC; fix: pip install 'extractor-bench[collect]'"
        ) from None
    start = file.tell()
    for record in ArchiveIterator(file, WarcRecordType.response, auto_decode=decode):
        yield start + record.stream_pos, record


def _url(record: Any) -> str:
    return str(record.headers.get(_ADDRESS, ""))
