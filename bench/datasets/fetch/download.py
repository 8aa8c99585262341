"""Downloading one file: resumed where it broke off, checked while it comes.

The connection is urllib3's. (pooch would start a broken download over.) Between two tries the part
that has come stays on disk, beside a note of which version of the file it is of; the rest is asked
for with ``Range`` and ``If-Range`` (RFC 9110, 13.1.5 and 14.2), and where the server will not give
it, the file is got from its start. Only https is spoken, and http with this machine (for tests).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import urllib3

from bench.datasets.card import RemoteFile
from bench.datasets.fetch import connection
from bench.datasets.fetch.connection import PATIENT, Again, DownloadError, Patience
from bench.datasets.readers.base import GoldError

Told = Callable[[int, int], None]
"""Called with the bytes that are there, and those that there will be (about)."""

_TRY_LATER = (408, 425, 429, 500, 502, 503, 504)
# How much more than "about" an unpinned file may be.
_SLACK, _SLACK_BYTES = 3, 16 * 2**20


class WrongContent(GoldError):
    """What the server sends is not the file that the card means."""


@dataclass
class _Part:
    """The beginning of a file, on disk, and which version of the file it belongs to."""

    path: Path
    pinned: bool

    def __post_init__(self) -> None:
        self._note = self.path.with_suffix(".json")

    @property
    def size(self) -> int:
        with contextlib.suppress(OSError):
            return self.path.stat().st_size
        return 0

    @property
    def version(self) -> str:
        """The strong validator of the answer that it came from, for ``If-Range``; empty if none."""
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
            return str(json.loads(self._note.read_text(encoding="utf-8"))["version"])
        return ""

    def start(self, version: str) -> None:
        self.path.unlink(missing_ok=True)
        self._note.write_text(json.dumps({"version": version}), encoding="utf-8")

    def drop(self) -> None:
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)

    def can_go_on(self) -> bool:
        """Whether the rest may be asked for: the version is known, or the whole is checked."""
        return self.size > 0 and (bool(self.version) or self.pinned)


def download(
    wanted: RemoteFile, target: Path, *, told: Told = lambda *_: None, patience: Patience = PATIENT
) -> None:
    """Get a file to ``target``, which appears whole and checked or not at all.

    A part is kept beside it as ``TARGET.part`` when the transfer fails, and gone on with by the
    next call. Raises ``Offline`` when the server cannot be reached, ``DownloadError`` when it fails
    otherwise, ``WrongContent`` (and keeps nothing) when size or SHA-256 are not the card's.
    """
    connection.checked_scheme(wanted.url)
    if target.is_file():
        if not wanted.sha256 or _digest(target).hexdigest() == wanted.sha256:
            told(target.stat().st_size, target.stat().st_size)
            return
        target.unlink()
    part = _Part(target.with_name(target.name + ".part"), bool(wanted.sha256))
    transfer = _Transfer(wanted, part, told, patience)
    transfer.run()
    part.path.replace(target)
    part.drop()


class _Transfer:
    """As many tries as it takes to get one file into its part."""

    def __init__(self, wanted: RemoteFile, part: _Part, told: Told, patience: Patience) -> None:
        self._wanted = wanted
        self._part = part
        self._told = told
        self._patience = patience
        size = wanted.size_bytes
        self._limit = size if wanted.sha256 else size * _SLACK + _SLACK_BYTES

    def run(self) -> None:
        """Fill the part until it is the whole file, checked."""
        most = self._part.size
        fruitless = 0
        for _ in range(self._patience.tries * 20):
            try:
                self._once()
            except Again as failure:
                fruitless = 0 if self._part.size > most else fruitless + 1
                most = max(most, self._part.size)
                if fruitless >= self._patience.tries:
                    raise self._failed(str(failure)) from failure
                time.sleep(self._wait(failure.wait_s, fruitless))
            except WrongContent:
                self._part.drop()
                raise
            else:
                return
        raise self._failed("the transfer broke off too often")

    def _wait(self, asked_s: float | None, fruitless: int) -> float:
        longest = self._patience.longest_wait_s
        if asked_s is not None and asked_s > longest:
            raise self._failed(f"the server asks to come back in {asked_s:.0f} s")
        backoff = self._patience.backoff_s * 2 ** max(fruitless - 1, 0)
        return min(asked_s if asked_s is not None else backoff, longest)

    def _failed(self, reason: str) -> DownloadError:
        kept = f"; {self._part.size} bytes are kept for the next try" if self._part.size else ""
        return DownloadError(f"{self._wanted.url} cannot be downloaded: {reason}{kept}")

    def _once(self) -> None:
        digest = self._begun()
        done = self._part.size
        if not (self._wanted.sha256 and done == self._wanted.size_bytes):
            with contextlib.closing(self._ask(done)) as response:
                going_on = response.status == 206
                if not going_on:
                    # Whatever was asked for, this is the file from its start.
                    self._part.start(connection.version(response))
                    digest, done = hashlib.sha256(), 0
                self._receive(response, digest, done)
        else:
            going_on = True
        if self._wanted.sha256 and digest.hexdigest() != self._wanted.sha256:
            self._part.drop()
            if going_on:
                raise Again("the parts did not make up the file")
            raise WrongContent(
                f"{self._wanted.url} is not the file that the card pins: its SHA-256 is "
                f"{digest.hexdigest()[:16]}… instead of {self._wanted.sha256[:16]}…"
            )

    def _begun(self) -> hashlib._Hash:
        if not self._part.can_go_on() or self._part.size > self._limit:
            self._part.drop()
        return _digest(self._part.path)

    def _ask(self, done: int) -> urllib3.BaseHTTPResponse:
        headers = {"Accept-Encoding": "identity"}
        if done:
            headers["Range"] = f"bytes={done}-"
            if self._part.version:
                headers["If-Range"] = self._part.version
        response = connection.get(self._wanted.url, headers, self._patience)
        if response.status in (200, 206):
            try:
                self._fits(response, done)
            except (Again, WrongContent):
                response.close()
                raise
            return response
        response.close()
        said = f"the server says {response.status} {response.reason or ''}".rstrip()
        if response.status == 416 and done:
            self._part.drop()
            raise Again(said, 0)
        if response.status in _TRY_LATER:
            raise Again(said, connection.retry_after(response))
        raise self._failed(said)

    def _fits(self, response: urllib3.BaseHTTPResponse, done: int) -> None:
        """Check what the head of an answer says. Raises ``Again`` for a part of something else."""
        start, total = 0, connection.length(response)
        if response.status == 206:
            start, total = connection.content_range(response)
            versions = {self._part.version, connection.version(response)} - {""}
            if not done or start != done or len(versions) > 1:
                self._part.drop()
                raise Again("the server sent another part than was asked for")
        if self._wanted.sha256 and total is not None and total != self._wanted.size_bytes:
            raise WrongContent(
                f"{self._wanted.url} is not the file that the card pins: the server says that it "
                f"has {total} bytes, the card says {self._wanted.size_bytes}"
            )

    def _receive(
        self, response: urllib3.BaseHTTPResponse, digest: hashlib._Hash, done: int
    ) -> None:
        length = connection.length(response)
        expected = self._wanted.size_bytes if length is None else done + length
        self._told(done, expected)
        # Unbuffered: what has come is there after a kill.
        with self._part.path.open("ab", buffering=0) as file:
            for chunk in connection.chunks(response):
                done += len(chunk)
                if done > self._limit:
                    raise WrongContent(
                        f"{self._wanted.url} is not the file that the card means: it has more than "
                        f"{self._limit} bytes"
                    )
                file.write(chunk)
                digest.update(chunk)
                self._told(done, max(done, expected))
        if self._wanted.sha256 and done < self._wanted.size_bytes:
            raise Again(f"the transfer broke off at {done} of {self._wanted.size_bytes} bytes")


def _digest(path: Path) -> hashlib._Hash:
    """Return the SHA-256 of a file, ready for more; of nothing where there is no file."""
    digest = hashlib.sha256()
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        while chunk := file.read(2**20):
            digest.update(chunk)
    return digest
