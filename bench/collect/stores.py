"""Where pages go: one file that grows, and is cut back to what ``urls.sqlite`` knows of.

A page is written, then accounted for in the database, so that what a killed run had begun to write
is cut off when it goes on.
"""

import io
import json
import os
import re
from collections.abc import Mapping, Sequence
from http.client import responses
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from scrapy.http import Response

from bench.collect import addresses
from bench.collect.settings import TYPES, WARC
from bench.collect.urls import UrlTable

FACTS = "pages.jsonl"
Original = tuple[str, str, str]


class Store(Protocol):
    """A file of pages."""

    def write(
        self, response: Response, facts: Mapping[str, Any], original: Original | None
    ) -> tuple[int, str]:
        """Write what came; return where the file ends now and the digest of the payload.

        ``facts`` are columns of the address' row, ``original`` is address, digest and time of a page
        with the same content.
        """


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

    def write(
        self, response: Response, facts: Mapping[str, Any], original: Original | None
    ) -> tuple[int, str]:
        """Write what was asked and what came (``Store``)."""
        from warcio.statusandheaders import StatusAndHeaders

        address = response.meta["row"].url
        body, headers_sent, headers_received = response.meta["wire"]
        parts = urlsplit(address)
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        request = StatusAndHeaders(
            f"GET {target} HTTP/1.1",
            [("Host", parts.netloc), *_as_text(headers_sent)],
            is_http_request=True,
        )
        # The length is the stored body's: where the server sent chunks there was none.
        kept = [pair for pair in _as_text(headers_received) if pair[0].lower() != "content-length"]
        answer = StatusAndHeaders(
            f"{response.status} {responses.get(response.status, '')}",
            [*kept, ("Content-Length", str(len(body)))],
            protocol=response.protocol or "HTTP/1.1",
        )
        about = {"WARC-Date": facts["fetched_at"]}
        if response.ip_address:
            about["WARC-IP-Address"] = str(response.ip_address)
        if original is not None:
            url, digest, when = original
            record = self._writer.create_revisit_record(
                address, digest, url, when, http_headers=answer, warc_headers_dict=about
            )
        else:
            record = self._writer.create_warc_record(
                address,
                "response",
                payload=io.BytesIO(body),
                length=len(body),
                http_headers=answer,
                warc_headers_dict=about,
            )
        of_request = self._writer.create_warc_record(address, "request", http_headers=request)
        self._writer.write_request_response_pair(of_request, record)
        self._file.flush()
        return self._file.tell(), str(record.rec_headers.get_header("WARC-Payload-Digest"))


class FolderStore:
    """``ID.html`` (``.pdf``, ``.docx``) with address and charset in ``pages.jsonl``."""

    def __init__(self, file: Any, out: Path) -> None:
        self._file, self._out = file, out

    def write(
        self, response: Response, facts: Mapping[str, Any], original: Original | None
    ) -> tuple[int, str]:
        """Write a page to a file of its own (``Store``), unless its content is there."""
        if original is None and response.status == 200:
            url, mime = response.meta["row"].url, facts["mime"]
            name = addresses.page_id(url)
            suffix = next(suffix for suffix, mimes in TYPES.items() if mime in mimes)
            (self._out / f"{name}.{suffix}").write_bytes(response.body)
            line = {"id": name, "url": url, "encoding": facts["charset"], "type": mime}
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()
        return self._file.tell(), ""


def _as_text(headers: Sequence[tuple[bytes, bytes]]) -> list[tuple[str, str]]:
    """Return headers as text; a line end or another control character in one becomes a space."""
    return [(_line(name), _line(value)) for name, value in headers]


def _line(raw: bytes) -> str:
    return re.sub(r"[^\t\x20-\x7e\xa0-\xff]", " ", raw.decode("latin-1")).strip()
