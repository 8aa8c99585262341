"""Downloading one file: resumed where it broke off, checked while it comes.

(pooch would start a broken download over.) Between two tries the part that has come stays on disk,
beside a note of which version of the file it is of; the rest is asked for with ``Range`` and
``If-Range`` (RFC 9110, 13.1.5 and 14.2), and where the server will not give it, the file is got from
its start.
"""

import contextlib
import hashlib
import re
import time
from pathlib import Path
from urllib.parse import urlsplit

from urllib3 import BaseHTTPResponse, Retry
from urllib3.exceptions import HTTPError

from bench.datasets.card import RemoteFile
from bench.datasets.readers.base import GoldError
from bench.util import https
from bench.util.https import PATIENT, Again, DownloadError, Patience
from bench.util.numbers import megabytes
from bench.util.progress import SILENT, Progress

_CHUNK = 64 * 1024
_TRY_LATER = (408, 425, 429, 500, 502, 503, 504)
# How much more than "about" an unpinned file may be.
_SLACK, _SLACK_BYTES = 3, 16 * 2**20


class WrongContent(GoldError):
    """What the server sends is not the file that the card means."""


def download(
    file: RemoteFile, target: Path, *, progress: Progress = SILENT, patience: Patience = PATIENT
) -> None:
    """Get a file to ``target``, which appears whole and checked or not at all.

    A part is kept beside it as ``TARGET.part`` when the transfer fails, and gone on with by the
    next call. Raises ``Offline`` when the server cannot be reached, ``DownloadError`` when it fails
    otherwise, ``WrongContent`` (and keeps nothing) when size or SHA-256 are not the card's.
    """
    https.checked_scheme(file.url)
    if target.is_file():
        if file.sha256 in ("", _digest(target).hexdigest()):
            progress.say(_resumed(target.stat().st_size, file))
            return
        target.unlink()
    transfer = _Transfer(file, target.with_name(target.name + ".part"), progress, patience)
    try:
        transfer.run()
    except WrongContent:
        transfer.drop()
        raise
    transfer.part.replace(target)
    transfer.drop()


class _Transfer:
    """As many tries as it takes to get one file into its part.

    Beside the part lies the strong validator of the answer that it came from (for ``If-Range``),
    which says of what version of the file it is the beginning; empty if none.
    """

    def __init__(
        self, file: RemoteFile, part: Path, progress: Progress, patience: Patience
    ) -> None:
        self.part = part
        self._etag = part.with_suffix(".etag")
        self._file = file
        self._progress = progress
        self._patience = patience
        self._deadline = time.monotonic() + patience.total_s
        size = file.size_bytes
        self._limit = size if file.sha256 else size * _SLACK + _SLACK_BYTES

    def run(self) -> None:
        """Fill the part until it is the whole file, checked."""
        most, fruitless = self._size(), 0
        if most:
            self._progress.say(_resumed(most, self._file))
        while True:
            try:
                return self._once()
            except Again as failure:
                fruitless = 0 if self._size() > most else fruitless + 1
                most = max(most, self._size())
                if fruitless >= self._patience.tries:
                    raise self._failed(str(failure)) from failure
                time.sleep(self._wait(failure.wait_s, fruitless))

    def drop(self) -> None:
        """Forget what has come."""
        self.part.unlink(missing_ok=True)
        self._etag.unlink(missing_ok=True)

    def _size(self) -> int:
        return self.part.stat().st_size if self.part.is_file() else 0

    def _version(self) -> str:
        return self._etag.read_text("utf-8", "replace") if self._etag.is_file() else ""

    def _wait(self, retry_after_s: float | None, fruitless: int) -> float:
        longest = self._patience.longest_wait_s
        if retry_after_s is not None and retry_after_s > longest:
            raise self._failed(f"the server asks to come back in {retry_after_s:.0f} s")
        backoff = self._patience.backoff_s * 2 ** max(fruitless - 1, 0)
        return min(retry_after_s if retry_after_s is not None else backoff, longest)

    def _failed(self, reason: str) -> DownloadError:
        kept = f"; {self._size()} bytes are kept for the next try" if self._size() else ""
        return DownloadError(f"{self._file.url} cannot be downloaded: {reason}{kept}")

    def _once(self) -> None:
        pinned, done = self._file.sha256, self._size()
        if done > self._limit or not (pinned or self._version()):
            # Nobody could tell that what comes next is of the same file.
            self.drop()
            done = 0
        digest = _digest(self.part)
        resumed = done > 0
        if not (pinned and done == self._file.size_bytes):
            response = https.get(self._file.url, self._headers(done), self._patience)
            with contextlib.closing(response):
                self._check_head(response, done)
                if response.status == 200:
                    # Whatever was asked for, this is the file from its start.
                    self.drop()
                    self._etag.write_text(_version(response), "utf-8", "replace")
                    done, digest, resumed = 0, hashlib.sha256(), False
                self._receive(response, digest, done)
        if pinned and digest.hexdigest() != pinned:
            self.drop()
            if resumed:
                raise Again("the parts did not make up the file")
            raise WrongContent(
                f"{self._file.url} is not the file that the card pins: its SHA-256 is "
                f"{digest.hexdigest()[:16]}… instead of {pinned[:16]}…"
            )

    def _headers(self, done: int) -> dict[str, str]:
        headers = {"Accept-Encoding": "identity"}
        if done:
            headers["Range"] = f"bytes={done}-"
            if self._version():
                headers["If-Range"] = self._version()
        return headers

    def _check_head(self, response: BaseHTTPResponse, done: int) -> None:
        """Check what an answer says of itself. Raises ``Again`` for a part of something else."""
        status = f"the server says {response.status} {response.reason or ''}".rstrip()
        if response.status == 416 and done:
            self.drop()
            raise Again(status, 0)
        if response.status in _TRY_LATER:
            raise Again(status, _retry_after(response))
        if response.status not in (200, 206):
            raise self._failed(status)
        start, total = 0, response.length_remaining
        if response.status == 206:
            start, total = _content_range(response)
            versions = {self._version(), _version(response)} - {""}
            if not done or start != done or len(versions) > 1:
                self.drop()
                raise Again("the server sent another part than was asked for")
        if self._file.sha256 and total not in (None, self._file.size_bytes):
            raise WrongContent(
                f"{self._file.url} is not the file that the card pins: the server says that it "
                f"has {total} bytes, the card says {self._file.size_bytes}"
            )

    def _receive(self, response: BaseHTTPResponse, digest: "hashlib._Hash", done: int) -> None:
        length = response.length_remaining
        expected = self._file.size_bytes if length is None else done + length
        self._progress.start(Path(urlsplit(self._file.url).path).name, expected)
        self._progress.advance(done)
        # Unbuffered: what has come is there after a kill.
        with self.part.open("ab", buffering=0) as file:
            while chunk := _read(response):
                done += len(chunk)
                if done > self._limit:
                    raise WrongContent(
                        f"{self._file.url} is not the file that the card means: it has more than "
                        f"{self._limit} bytes"
                    )
                file.write(chunk)
                digest.update(chunk)
                self._progress.advance(len(chunk))
                if time.monotonic() > self._deadline:
                    raise self._failed(f"it takes over {self._patience.total_s:.0f} s")
        if (self._file.sha256 or length is not None) and done < expected:
            raise Again(f"the transfer broke off at {done} of {expected} bytes")


def _resumed(size_bytes: int, file: RemoteFile) -> str:
    whole_bytes = max(size_bytes, file.size_bytes)
    return f"{megabytes(size_bytes)} of {megabytes(whole_bytes)} are here already"


def _read(response: BaseHTTPResponse) -> bytes:
    """Return what has come of the body, at least a byte before its end."""
    try:
        return response.read1(_CHUNK, decode_content=False)
    except HTTPError as error:
        raise Again(f"the transfer broke off ({https.in_words(error)})") from error


def _version(response: BaseHTTPResponse) -> str:
    """Return the strong validator, which is what ``If-Range`` takes (RFC 9110, 13.1.5); or none."""
    tag = response.headers.get("ETag", "")
    return tag if tag.startswith('"') else ""


def _content_range(response: BaseHTTPResponse) -> tuple[int, int | None]:
    """Return where a part begins (-1 where that is not stated) and the bytes of the whole."""
    stated = response.headers.get("Content-Range", "").strip()
    match = re.fullmatch(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)", stated)
    if not match:
        return -1, None
    return int(match[1]), None if match[2] == "*" else int(match[2])


def _retry_after(response: BaseHTTPResponse) -> float | None:
    """Return for how many seconds the server asks to be left alone."""
    with contextlib.suppress(HTTPError, ValueError, OverflowError):
        return Retry().get_retry_after(response)
    return None


def _digest(path: Path) -> "hashlib._Hash":
    """Return the SHA-256 of a file, ready for more; of nothing where there is no file."""
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256")
    return hashlib.sha256()
