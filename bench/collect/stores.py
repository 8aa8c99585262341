"""Where pages go: one file that grows, and is cut back to what ``urls.sqlite`` knows of.

A page is written, then accounted for in the database, so that what a killed run had begun to write
is cut off when it goes on.
"""

import hashlib
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from bench.collect.urls import UrlTable

WARC, FACTS = "pages.warc.gz", "pages.jsonl"
Headers = Sequence[tuple[bytes, bytes]]
SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
}
"""Types of content that can be kept, and how their files end."""


@dataclass(frozen=True)
class Fetched:
    """A page as it came."""

    url: str
    fetched_at: str
    """ISO 8601, UTC."""
    request: Headers
    response: Headers
    wire: bytes
    """The body as it came, less its transfer encoding."""
    body: bytes
    """The body less its content encoding too."""
    mime: str
    charset: str | None
    """As the server stated it."""
    ip: str | None
    protocol: str


class Store(Protocol):
    """A file of pages."""

    def write(self, page: Fetched, original: tuple[str, str, str] | None) -> tuple[int, str]:
        """Write a page; return where the file ends now and the digest of the payload.

        ``original`` is address, digest and time of a page with the same content.
        """


def page_id(url: str) -> str:
    """Return the id of an address' page: the first digits of its SHA-256."""
    return hashlib.sha256(url.encode()).hexdigest()[:16]


def open_store(out: Path, kind: str, urls: UrlTable, about: Mapping[str, str]) -> Store:
    """Open the file of pages of a collection (``warc`` or ``folder``), cut back to what is known."""
    path = out / (WARC if kind == "warc" else FACTS)
    size = path.stat().st_size if path.exists() else 0
    if size < urls.stored:
        with urls.transaction():
            urls.lose_beyond(size)
    file = path.open("r+b" if size else "w+b")
    file.truncate(urls.stored)
    file.seek(0, os.SEEK_END)
    return WarcStore(file, about) if kind == "warc" else FolderStore(file, out)


class WarcStore:
    """WARC 1.1, gzip by record: what was asked, what came; ``revisit`` for content that is there."""

    def __init__(self, file: Any, about: Mapping[str, str]) -> None:
        """Write on; ``about`` says in a new file how it was made."""
        from warcio.warcwriter import WARCWriter

        self._file = file
        self._writer = WARCWriter(file, gzip=True, warc_version="1.1")
        if not file.tell():
            self._writer.write_record(self._writer.create_warcinfo_record(WARC, about))

    def write(self, page: Fetched, original: tuple[str, str, str] | None) -> tuple[int, str]:
        """Write what was asked and what came (``Store``)."""
        from warcio.statusandheaders import StatusAndHeaders

        parts = urlsplit(page.url)
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        asked = StatusAndHeaders(
            f"GET {target} HTTP/1.1",
            [("Host", parts.netloc), *_as_text(page.request)],
            is_http_request=True,
        )
        # The length is the stored body's: where the server sent chunks there was none.
        came = [pair for pair in _as_text(page.response) if pair[0].lower() != "content-length"]
        answered = StatusAndHeaders(
            f"{HTTPStatus.OK.value} {HTTPStatus.OK.phrase}",
            [*came, ("Content-Length", str(len(page.wire)))],
            protocol=page.protocol,
        )
        facts = {"WARC-Date": page.fetched_at}
        if page.ip:
            facts["WARC-IP-Address"] = page.ip
        if original is not None:
            url, digest, when = original
            response = self._writer.create_revisit_record(
                page.url, digest, url, when, http_headers=answered, warc_headers_dict=facts
            )
        else:
            response = self._writer.create_warc_record(
                page.url,
                "response",
                payload=io.BytesIO(page.wire),
                length=len(page.wire),
                http_headers=answered,
                warc_headers_dict=facts,
            )
        request = self._writer.create_warc_record(page.url, "request", http_headers=asked)
        self._writer.write_request_response_pair(request, response)
        self._file.flush()
        return self._file.tell(), str(response.rec_headers.get_header("WARC-Payload-Digest"))


class FolderStore:
    """``ID.html`` (``.pdf``, ``.docx``) with address and charset in ``pages.jsonl``."""

    def __init__(self, file: Any, out: Path) -> None:
        self._file, self._out = file, out

    def write(self, page: Fetched, original: tuple[str, str, str] | None) -> tuple[int, str]:
        """Write a page to a file of its own (``Store``); one whose content is there is left out."""
        if original is not None:
            return self._file.tell(), original[1]
        name = page_id(page.url)
        (self._out / f"{name}{SUFFIXES[page.mime]}").write_bytes(page.body)
        facts = {"id": name, "url": page.url, "encoding": page.charset, "type": page.mime}
        self._file.write(json.dumps(facts).encode() + b"\n")
        self._file.flush()
        return self._file.tell(), hashlib.sha256(page.wire).hexdigest()


def _as_text(headers: Headers) -> list[tuple[str, str]]:
    """Return headers as text; a line end or another control character in one becomes a space."""
    return [(_line(name), _line(value)) for name, value in headers]


def _line(raw: bytes) -> str:
    text = raw.decode("latin-1")
    return "".join(c if c.isprintable() or c == "\t" else " " for c in text).strip()
