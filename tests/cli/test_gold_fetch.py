"""Fetching data sets, from a real server on this machine that misbehaves in every way known."""

from __future__ import annotations

import contextlib
import dataclasses
import email.utils
import gzip
import hashlib
import io
import json
import random
import shutil
import signal
import socket
import tarfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import Mock, call

import pytest

from bench.datasets import catalogue, fingerprint, readers
from bench.datasets.card import RemoteFile
from bench.datasets.fetch import install
from bench.datasets.fetch.download import WrongContent, download
from bench.datasets.fetch.install import fetch
from bench.datasets.readers.base import GoldError
from bench.model import BenchError
from bench.util import https, paths
from bench.util.https import DownloadError, Offline, Patience
from tests import commands
from tests.conftest import BenchCli, html_of

CONTENT = random.Random(7).randbytes(400_000)
QUICK = Patience(connect_s=10, read_s=10, tries=2, backoff_s=0.01, longest_wait_s=5)
IMPATIENT = dataclasses.replace(QUICK, read_s=0.4)

Answer = Callable[["Request"], None]


class Request(BaseHTTPRequestHandler):
    """One request, answered by the next of the site's answers for its path."""

    protocol_version = "HTTP/1.1"
    server: Site

    def do_GET(self) -> None:
        self.close_connection = True
        self.sent = 0
        self.server.asked.append(self)
        answers = self.server.answers[self.path]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        with contextlib.suppress(OSError):
            answer(self)

    def head(self, status: int, **fields: object) -> None:
        self.send_response(status)
        for name, value in {"connection": "close", **fields}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def body(self, data: bytes, *, pause_s: float = 0) -> None:
        for at in range(0, len(data), 10_000):
            self.sent += len(data[at : at + 10_000])
            self.wfile.write(data[at : at + 10_000])
            time.sleep(pause_s)

    @property
    def start(self) -> int:
        """Where a part is asked for from; 0 for all."""
        return int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


class Site(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.answers: dict[str, list[Answer]] = {}
        self.asked: list[Request] = []

    def url(self, path: str = "/file") -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"

    def serve(self, *answers: Answer, path: str = "/file") -> str:
        self.answers[path] = list(answers)
        return self.url(path)

    @property
    def sent(self) -> int:
        return sum(request.sent for request in self.asked)


def whole(data: bytes = CONTENT, *, etag: str = "", pause_s: float = 0) -> Answer:
    """A server as it should be: parts when asked for the version that it has."""

    def answer(request: Request) -> None:
        condition = request.headers.get("If-Range")
        start = request.start if condition in (None, etag) else 0
        fields: dict[str, object] = {"content_length": len(data) - start}
        if etag:
            fields["etag"] = etag
        if start:
            fields["content_range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        request.head(206 if start else 200, **fields)
        request.body(data[start:], pause_s=pause_s)

    return answer


def broken(after: int, data: bytes = CONTENT, etag: str = "") -> Answer:
    """Say how long the rest is, send so much of it, and hang up."""

    def answer(request: Request) -> None:
        start = request.start
        fields = {"etag": etag} if etag else {}
        if start:
            fields["content_range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        request.head(206 if start else 200, content_length=len(data) - start, **fields)
        request.body(data[start : start + after])

    return answer


def fixed(status: int, data: bytes = b"", **fields: object) -> Answer:
    """Always the same, whatever is asked for."""

    def answer(request: Request) -> None:
        request.head(status, **{"content_length": len(data), **fields})
        request.body(data)

    return answer


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def pinned(url: str, data: bytes = CONTENT, **facts: Any) -> RemoteFile:
    return RemoteFile(url, len(data), hashlib.sha256(data).hexdigest(), **facts)


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# -- one file -------------------------------------------------------------------------------


def test_a_file_as_it_should_be(site: Site, tmp_path: Path) -> None:
    progress = Mock()
    target = tmp_path / "x"
    download(pinned(site.serve(whole())), target, progress=progress)
    assert target.read_bytes() == CONTENT
    assert left(tmp_path) == {"x"}
    progress.start.assert_called_once_with("file", len(CONTENT))
    assert sum(own.args[0] for own in progress.advance.mock_calls) == len(CONTENT)
    (request,) = site.asked
    assert request.headers["Accept-Encoding"] == "identity"
    assert request.headers["User-Agent"].startswith("bench")
    download(pinned(site.url()), target)
    assert len(site.asked) == 1, "what is here whole is not asked for"


def test_what_is_here_whole_is_checked_again(site: Site, tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_bytes(CONTENT[:-1] + b"!")
    download(pinned(site.serve(whole())), target)
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("etag", ["", '"v1"'])
def test_a_broken_transfer_goes_on_where_it_was(site: Site, tmp_path: Path, etag: str) -> None:
    url = site.serve(broken(150_000, etag=etag), broken(100_000, etag=etag), whole(etag=etag))
    download(pinned(url), tmp_path / "x", patience=QUICK)
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert [request.start for request in site.asked] == [0, 150_000, 250_000]
    assert site.sent == len(CONTENT), "no byte is sent twice"
    assert [request.headers["If-Range"] for request in site.asked[1:]] == [etag or None] * 2


def test_a_failed_download_goes_on_in_the_next_call(site: Site, tmp_path: Path) -> None:
    once = Patience(tries=1)
    url = site.serve(broken(150_000, etag='"v1"'), fixed(503), whole(etag='"v1"'))
    with pytest.raises(DownloadError, match=r"503 .*; 150000 bytes are kept for the next try"):
        download(pinned(url), tmp_path / "x", patience=once)
    assert left(tmp_path) == {"x.part", "x.etag"}
    download(pinned(url), tmp_path / "x", patience=once)
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert left(tmp_path) == {"x"}
    assert site.sent == len(CONTENT)


def test_more_tries_than_patience_as_long_as_something_comes(site: Site, tmp_path: Path) -> None:
    url = site.serve(*[broken(50_000)] * 7, whole())
    download(pinned(url), tmp_path / "x", patience=QUICK)
    assert len(site.asked) == 8
    assert site.sent == len(CONTENT)


def test_another_version_is_got_from_its_start(site: Site, tmp_path: Path) -> None:
    old = bytes(len(CONTENT))
    url = site.serve(broken(150_000, old, etag='"old"'), whole(etag='"new"'))
    download(pinned(url), tmp_path / "x", patience=QUICK)
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert [request.headers["If-Range"] for request in site.asked] == [None, '"old"']


def test_a_server_that_knows_no_ranges(site: Site, tmp_path: Path) -> None:
    url = site.serve(broken(150_000), fixed(200, CONTENT))
    download(pinned(url), tmp_path / "x", patience=QUICK)
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert site.sent == 150_000 + len(CONTENT)


def test_a_server_that_knows_no_ranges_and_always_breaks_off(site: Site, tmp_path: Path) -> None:
    def answer(request: Request) -> None:
        request.head(200, content_length=len(CONTENT))
        request.body(CONTENT[:100_000])

    with pytest.raises(DownloadError, match="broke off"):
        download(pinned(site.serve(answer)), tmp_path / "x", patience=QUICK)
    assert len(site.asked) <= 4, "nothing new comes, so it is given up"


@pytest.mark.parametrize(
    "stated", ["bytes 0-399999/400000", "bytes 100000-399999/400000", "pages 1-2/3", ""]
)
def test_another_part_than_was_asked_for(site: Site, tmp_path: Path, stated: str) -> None:
    wrong = fixed(206, CONTENT[:250_000], content_range=stated)
    url = site.serve(broken(150_000), wrong, whole())
    download(pinned(url), tmp_path / "x", patience=QUICK)
    assert (tmp_path / "x").read_bytes() == CONTENT


def test_a_part_that_nobody_asked_for(site: Site, tmp_path: Path) -> None:
    wrong = fixed(206, CONTENT[9:], content_range="bytes 9-399999/400000")
    with pytest.raises(DownloadError, match="another part than was asked for"):
        download(pinned(site.serve(wrong)), tmp_path / "x", patience=QUICK)
    assert left(tmp_path) == set()


def test_parts_of_two_files(site: Site, tmp_path: Path) -> None:
    """Without an ETag, only the checksum can tell; the file is got again from its start."""
    other = bytes(len(CONTENT))
    url = site.serve(broken(150_000, other), whole())
    download(pinned(url), tmp_path / "x", patience=QUICK)
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert [request.start for request in site.asked] == [0, 150_000, 0]


def test_a_part_that_is_longer_than_the_file(site: Site, tmp_path: Path) -> None:
    (tmp_path / "x.part").write_bytes(bytes(len(CONTENT) + 1))
    download(pinned(site.serve(whole())), tmp_path / "x", patience=QUICK)
    assert (tmp_path / "x").read_bytes() == CONTENT


def test_a_part_that_the_server_has_nothing_after(site: Site, tmp_path: Path) -> None:
    (tmp_path / "x.part").write_bytes(CONTENT[:9])
    download(pinned(site.serve(fixed(416), whole())), tmp_path / "x", patience=QUICK)
    assert (tmp_path / "x").read_bytes() == CONTENT


def test_an_unpinned_file_goes_on_only_if_its_version_is_known(site: Site, tmp_path: Path) -> None:
    """Without checksum and ETag nobody could tell that two parts are of one file."""
    for etag, starts in (("", [0, 0]), ('W/"weak"', [0, 0]), ('"strong"', [0, 150_000])):
        site.asked.clear()
        url = site.serve(broken(150_000, etag=etag), whole(etag=etag))
        target = tmp_path / (etag.strip('W/"') or "none")
        download(RemoteFile(url, 390_000), target, patience=QUICK)
        assert target.read_bytes() == CONTENT
        assert [request.start for request in site.asked] == starts


# -- lies -----------------------------------------------------------------------------------


def test_wrong_bytes(site: Site, tmp_path: Path) -> None:
    wrong = CONTENT[:-1] + b"!"
    with pytest.raises(WrongContent, match=r"not the file that the card pins: its SHA-256 is"):
        download(pinned(site.serve(fixed(200, wrong))), tmp_path / "x", patience=QUICK)
    assert left(tmp_path) == set()
    assert len(site.asked) == 1


@pytest.mark.parametrize("change", [-1, 1])
def test_another_length_than_pinned(site: Site, tmp_path: Path, change: int) -> None:
    data = (CONTENT + b"!")[: len(CONTENT) + change]
    with pytest.raises(WrongContent, match=rf"{len(data)} bytes, the card says 400000"):
        download(pinned(site.serve(fixed(200, data))), tmp_path / "x", patience=QUICK)
    assert left(tmp_path) == set()


def test_a_length_that_is_not_kept(site: Site, tmp_path: Path) -> None:
    """The server says more than it sends, and then that there is nothing after it."""
    short = fixed(200, CONTENT[:-10], content_length=len(CONTENT))
    url = site.serve(short, fixed(416))
    with pytest.raises(DownloadError, match=r"broke off|416"):
        download(pinned(url), tmp_path / "x", patience=Patience(tries=1))
    assert not (tmp_path / "x").exists()


def test_a_body_that_does_not_end(site: Site, tmp_path: Path) -> None:
    def answer(request: Request) -> None:
        request.head(200, transfer_encoding="chunked")
        while True:
            request.wfile.write(b"2710\r\n" + bytes(10_000) + b"\r\n")
            request.sent += 10_000

    with pytest.raises(WrongContent, match="more than 400000 bytes"):
        download(pinned(site.serve(answer)), tmp_path / "x", patience=QUICK)
    assert left(tmp_path) == set()
    with pytest.raises(WrongContent, match=r"more than \d+ bytes"):
        download(RemoteFile(site.url(), 1000), tmp_path / "y", patience=QUICK)
    assert site.sent < 100e6


def test_a_body_without_length_that_ends_too_early(site: Site, tmp_path: Path) -> None:
    def answer(request: Request) -> None:
        request.head(200)
        request.body(CONTENT[:1000])

    with pytest.raises(DownloadError, match="broke off at 1000 of 400000 bytes"):
        download(pinned(site.serve(answer)), tmp_path / "x", patience=QUICK)


@pytest.mark.parametrize("said", [b"", b"\0" * 100, b"HTTP/1.1 200 OK\r\nx", b"SSH-2.0\r\n"])
def test_what_is_no_http(site: Site, tmp_path: Path, said: bytes) -> None:
    url = site.serve(lambda request: request.body(said))
    with pytest.raises(DownloadError, match="cannot be downloaded"):
        download(pinned(url), tmp_path / "x", patience=QUICK)


# -- where it leads -------------------------------------------------------------------------


def test_a_redirect_is_followed_and_the_part_asked_for_there(site: Site, tmp_path: Path) -> None:
    site.serve(broken(150_000), whole(), path="/there")
    download(pinned(site.serve(fixed(302, location="/there"))), tmp_path / "x", patience=QUICK)
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert site.sent == len(CONTENT)


@pytest.mark.parametrize(
    "target",
    ["file:///etc/passwd", "ftp://127.0.0.1/x", "https://127.0.0.1/x", "http://example.org/x",
     "data:text/plain,x", "//example.org/x", "http://[", "gopher:x"],
)  # fmt: skip
def test_a_redirect_to_another_scheme(site: Site, tmp_path: Path, target: str) -> None:
    url = site.serve(fixed(302, location=target))
    with pytest.raises(DownloadError, match=r"leads to .*, where nothing is downloaded from"):
        download(pinned(url), tmp_path / "x", patience=QUICK)
    assert left(tmp_path) == set()


def test_redirects_without_end(site: Site, tmp_path: Path) -> None:
    url = site.serve(fixed(307, location="/file"))
    with pytest.raises(DownloadError, match="more than 5 redirects"):
        download(pinned(url), tmp_path / "x", patience=QUICK)
    assert len(site.asked) == 6


@pytest.mark.parametrize(
    "url", ["http://example.org/x", "https://user:secret@example.org/x", "https://", "http://["]
)
def test_addresses_that_are_not_downloaded_from(tmp_path: Path, url: str) -> None:
    with pytest.raises(DownloadError, match="only https"):
        https.checked_scheme(url)
    assert https.checked_scheme("https://example.org/x") == "https"


# -- no answer ------------------------------------------------------------------------------


def test_a_server_that_hangs(site: Site, tmp_path: Path) -> None:
    release = threading.Event()
    url = site.serve(lambda _: release.wait(10) and None)
    with pytest.raises(DownloadError, match="no answer in time"):
        download(pinned(url), tmp_path / "x", patience=IMPATIENT)
    release.set()


def test_a_server_that_hangs_in_the_middle(site: Site, tmp_path: Path) -> None:
    release = threading.Event()

    def hang(request: Request) -> None:
        broken(150_000)(request)
        request.wfile.flush()
        release.wait(10)

    download(pinned(site.serve(hang, whole())), tmp_path / "x", patience=IMPATIENT)
    release.set()
    assert (tmp_path / "x").read_bytes() == CONTENT


def test_a_server_that_drips_its_head(site: Site, tmp_path: Path) -> None:
    release = threading.Event()

    def drip(request: Request) -> None:
        while not release.wait(0.02):
            request.wfile.write(b"H")

    url = site.serve(drip, drip)
    hasty = dataclasses.replace(QUICK, connect_s=0.2, read_s=0.2, tries=2)
    with pytest.raises(DownloadError, match="no answer in time"):
        download(pinned(url), tmp_path / "x", patience=hasty)
    release.set()
    assert len(site.asked) == 2


def test_a_server_that_drips(site: Site, tmp_path: Path) -> None:
    """Never so slow that no byte comes in time, and never done."""

    def drip(request: Request) -> None:
        request.head(200, content_length=len(CONTENT), etag='"v1"')
        for at in range(200):
            request.wfile.write(CONTENT[at : at + 1])
            time.sleep(0.02)

    hasty = dataclasses.replace(QUICK, total_s=0.4)
    with pytest.raises(DownloadError, match=r"it takes over 0 s; \d+ bytes are kept"):
        download(pinned(site.serve(drip)), tmp_path / "x", patience=hasty)
    assert 5 < (tmp_path / "x.part").stat().st_size < 150
    assert len(site.asked) == 1


@pytest.mark.parametrize("status", [401, 403, 404, 410, 204, 418])
def test_an_answer_that_stays(site: Site, tmp_path: Path, status: int) -> None:
    with pytest.raises(DownloadError, match=f"the server says {status}"):
        download(pinned(site.serve(fixed(status))), tmp_path / "x", patience=QUICK)
    assert len(site.asked) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_an_answer_that_passes(site: Site, tmp_path: Path, status: int) -> None:
    download(pinned(site.serve(fixed(status), whole())), tmp_path / "x", patience=QUICK)
    assert (tmp_path / "x").read_bytes() == CONTENT
    site.serve(fixed(status))
    with pytest.raises(DownloadError, match=f"the server says {status}"):
        download(pinned(site.url()), tmp_path / "y", patience=QUICK)


def test_a_server_that_asks_for_patience(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    later = email.utils.formatdate(time.time() + 500, usegmt=True)
    patient = dataclasses.replace(QUICK, longest_wait_s=600)
    for asked in ("3", later, "soon"):
        url = site.serve(fixed(429, retry_after=asked), whole())
        download(pinned(url), tmp_path / asked[:4], patience=patient)
    waited = [wait for wait in waits if wait]
    assert waited[0] == 3
    assert 300 < waited[1] <= 500
    assert waited[2] == 0.01
    site.serve(fixed(503, retry_after="3600"))
    with pytest.raises(DownloadError, match="asks to come back in 3600 s"):
        download(pinned(site.url()), tmp_path / "no", patience=QUICK)


def closed_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def test_nobody_is_there(tmp_path: Path) -> None:
    with pytest.raises(Offline, match=r"127\.0\.0\.1 cannot be reached: connection refused"):
        download(pinned(f"http://127.0.0.1:{closed_port()}/x"), tmp_path / "x", patience=QUICK)


def test_a_name_that_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(Offline, match=r"nowhere\.invalid cannot be reached"):
        download(pinned("https://nowhere.invalid/x"), tmp_path / "x", patience=QUICK)


def test_a_server_that_speaks_no_tls(site: Site, tmp_path: Path) -> None:
    url = site.serve(whole()).replace("http://", "https://")
    with pytest.raises(DownloadError, match="cannot be trusted"):
        download(pinned(url), tmp_path / "x", patience=QUICK)


def test_a_proxy_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", f"http://me:secret@127.0.0.1:{closed_port()}")
    with pytest.raises(Offline, match=r"example\.org cannot be reached") as caught:
        download(pinned("https://example.org/x"), tmp_path / "x", patience=QUICK)
    assert "secret" not in str(caught.value)


# -- whole data sets ------------------------------------------------------------------------


@dataclass
class Little:
    """A data set in AEB's layout whose card leads to the site."""

    cards: Path
    folder: Path
    site: Site
    archive: bytes
    facts: dict[str, Any] = field(default_factory=dict)

    def card(self, **facts: Any) -> None:
        """Write the card; facts of the file that it downloads may be given."""
        reader = readers.open_folder("aeb", self.folder)
        print_ = facts.pop("fingerprint", fingerprint.of_reader(reader).fingerprint)
        remote = {
            "url": self.site.url("/little.tar.gz"),
            "size_bytes": len(self.archive),
            "unpack": "tar.gz",
            "strip": 1,
            "only": ["ground-truth.json", "html/"],
            **facts,
        }
        lines = [
            'name = "little"', 'title = "A little set"', 'description = "For tests."',
            'layout = "aeb"', 'licence = "CC0"', 'citation = "Nobody (2026)"',
            'source = "https://example.org/little"', 'revision = "0123456789abcdef"',
            "pages = 3", f'fingerprint = "{print_}"',
        ]  # fmt: skip
        if remote["url"]:
            lines += ["[[files]]", *(f"{key} = {json.dumps(v)}" for key, v in remote.items())]
        (self.cards / "little.toml").write_text("\n".join(lines), encoding="utf-8")


def packed(files: dict[str, bytes], top: str = "little-0123/") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(top + name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


@pytest.fixture
def little(site: Site, tmp_path: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Little:
    folder = tmp_path / "little"
    (folder / "html").mkdir(parents=True)
    truth = {f"p{at}": {"articleBody": f"Text {at}", "url": "https://example.org"} for at in "123"}
    (folder / "ground-truth.json").write_text(json.dumps(truth), encoding="utf-8")
    for at in "123":
        page = html_of(f"<p>Text {at}</p>").encode()
        (folder / "html" / f"p{at}.html.gz").write_bytes(gzip.compress(page, mtime=0))
    noise = random.Random(1).randbytes(300_000)
    archive = packed({**contents(folder), "output/noise": noise})
    bundled = paths.bundled
    monkeypatch.setattr(
        paths, "bundled", lambda name: checkout / "gold" if name == "gold" else bundled(name)
    )
    made = Little(checkout / "gold", folder, site, archive)
    site.serve(whole(archive), path="/little.tar.gz")
    made.card()
    return made


def kept(home: Path) -> set[str]:
    """Everything in the data directory but locks, and what is remembered of fingerprints."""
    return {
        str(p.relative_to(home)) for p in home.rglob("*")
        if p.is_file() and "fingerprints" not in p.parts and p.suffix != ".lock"
    }  # fmt: skip


INSTALLED = {"gold/little/ground-truth.json"} | {f"gold/little/html/p{at}.html.gz" for at in "123"}


def test_a_data_set_is_fetched(little: Little, bench_home: Path) -> None:
    progress = Mock()
    fetched = fetch("little", progress=progress)
    assert not fetched.already
    assert fetched.data_set.as_published is True
    assert [item.gold.text for item in fetched.data_set] == ["Text 1", "Text 2", "Text 3"]
    assert kept(bench_home) == INSTALLED, "only what the reader needs, and no download"
    assert progress.method_calls[0] == call.say("little: A little set")
    assert call.start("little.tar.gz", len(little.archive)) in progress.method_calls
    assert progress.method_calls[-1] == call.say("unpacking and checking 3 pages")
    assert fetch("little").already
    assert len(little.site.asked) == 1
    assert not fetch("little", replace=True).already
    assert kept(bench_home) == INSTALLED


def test_a_zip_with_a_checksum_into_a_folder(little: Little, bench_home: Path) -> None:
    """Two files: the ground truth as it is, the pages in a zip."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for path in sorted((little.folder / "html").iterdir()):
            archive.write(path, path.name)
    pages = file.getvalue()
    truth = (little.folder / "ground-truth.json").read_bytes()
    little.card(url="")
    card = little.cards / "little.toml"
    tables = [
        {"url": little.site.serve(whole(pages), path="/p.zip"), "unpack": "zip", "into": "html"},
        {"url": little.site.serve(whole(truth), path="/t"), "into": "ground-truth.json"},
    ]
    for table, data in zip(tables, (pages, truth), strict=True):
        facts = {**table, "size_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        lines = ["", "[[files]]", *(f"{key} = {json.dumps(value)}" for key, value in facts.items())]
        card.write_text(card.read_text(encoding="utf-8") + "\n".join(lines), encoding="utf-8")
    assert fetch("little").data_set.as_published
    assert kept(bench_home) == INSTALLED


def test_what_came_is_kept_and_the_rest_got_later(little: Little, bench_home: Path) -> None:
    data = little.archive
    etag = '"v1"'
    little.site.serve(broken(150_000, data, etag), fixed(404), path="/little.tar.gz")
    with pytest.raises(
        DownloadError, match=r"data set little: .* says 404 .* 150000 bytes are kept"
    ):
        fetch("little", patience=QUICK)
    assert not (bench_home / "gold" / "little").exists()
    assert len(kept(bench_home)) == 2
    little.site.serve(whole(data, etag=etag), path="/little.tar.gz")
    assert fetch("little", patience=QUICK).data_set.as_published
    assert little.site.sent == len(data)
    assert kept(bench_home) == INSTALLED


def test_offline_says_so_and_what_to_do(little: Little) -> None:
    little.card(url=f"http://127.0.0.1:{closed_port()}/x.tar.gz")
    with pytest.raises(Offline) as caught:
        fetch("little", patience=QUICK)
    said = str(caught.value)
    assert "is this machine offline?" in said
    assert "https://example.org/little" in said
    assert "bench gold fetch little --from FILE_OR_DIR" in said


def test_other_content_is_refused(little: Little, bench_home: Path) -> None:
    little.card(fingerprint="0" * 64)
    with pytest.raises(GoldError, match=r"not the published content of little: its 3 pages have"):
        fetch("little")
    assert kept(bench_home) == set()
    assert left(bench_home / "gold") == set()


@pytest.mark.parametrize("replace", [False, True])
def test_a_hostile_archive_leaves_nothing_and_takes_nothing_away(
    little: Little, bench_home: Path, replace: bool
) -> None:
    if replace:
        fetch("little")
    before = contents(bench_home / "gold") if replace else {}
    evil = packed({**contents(little.folder), "../../../evil": b"evil"})
    little.site.serve(whole(evil), path="/little.tar.gz")
    with pytest.raises(
        GoldError, match=r"little\.tar\.gz: the archive is not unpacked: .*leads out"
    ):
        fetch("little", replace=replace)
    assert contents(bench_home / "gold") == before
    assert kept(bench_home) == (INSTALLED if replace else set())
    assert list(bench_home.parent.rglob("evil")) == []


@pytest.mark.parametrize("cut", [100, 5_000])
def test_an_archive_that_the_server_cuts_short(little: Little, bench_home: Path, cut: int) -> None:
    """Its length lies too, and there is no checksum."""
    little.site.serve(fixed(200, little.archive[:-cut]), path="/little.tar.gz")
    with pytest.raises(GoldError, match="damaged"):
        fetch("little")
    assert kept(bench_home) == set()


def test_an_archive_of_something_else(little: Little, bench_home: Path) -> None:
    little.site.serve(whole(packed({"html/x": b"x"})), path="/little.tar.gz")
    with pytest.raises(GoldError, match="not in AEB's layout"):
        fetch("little")
    assert kept(bench_home) == set()


def test_a_set_with_nothing_to_download(little: Little) -> None:
    little.card(url="")
    with pytest.raises(GoldError, match=r"get it from https://example\.org/little and type: bench"):
        fetch("little")


def test_a_damaged_set_that_is_there_says_how_to_mend_it(little: Little, bench_home: Path) -> None:
    fetch("little")
    for name in ("html/p1.html.gz", "ground-truth.json"):
        (bench_home / "gold" / "little" / name).write_bytes(b"{")
        with pytest.raises(GoldError, match="--replace fetches little again"):
            fetch("little")
    assert fetch("little", replace=True).data_set.as_published


def test_two_at_once(little: Little) -> None:
    _, root = catalogue.find_card("little")
    with (
        install.room(root),
        pytest.raises(BenchError, match="another process is installing little"),
    ):
        fetch("little")
    assert fetch("little").data_set.as_published


def test_leavings_of_a_killed_process_and_of_another_revision(
    little: Little, bench_home: Path
) -> None:
    for name in ("gold/.little~x/copy/html/y", "cache/downloads/little/0123.part"):
        path = bench_home / name
        path.parent.mkdir(parents=True)
        path.write_bytes(b"half")
    fetch("little")
    assert kept(bench_home) == INSTALLED


# -- a copy that one has --------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["folder", "nested", "tar.gz", "zip", "nested zip"])
def test_from_a_copy(little: Little, tmp_path: Path, bench_home: Path, kind: str) -> None:
    if kind == "tar.gz":
        source = tmp_path / "copy.bin"
        source.write_bytes(little.archive)
    elif "zip" in kind:
        base = tmp_path if "nested" in kind else little.folder
        inside = "little" if "nested" in kind else "."
        source = Path(shutil.make_archive(str(tmp_path / "made"), "zip", base, inside))
    elif kind == "nested":
        source = tmp_path / "around"
        shutil.copytree(little.folder, source / "little-main")
    else:
        source = little.folder
    before = contents(little.folder)
    assert install.add("little", source, published=True).as_published
    assert kept(bench_home) == INSTALLED
    assert contents(little.folder) == before, "the user's copy is left as it is"
    assert little.site.asked == []


def test_from_a_copy_of_something_else(little: Little, bench_home: Path) -> None:
    little.card(fingerprint="0" * 64)
    with pytest.raises(GoldError, match="not the published content"):
        install.add("little", little.folder, published=True)
    assert kept(bench_home) == set()
    assert install.add("little", little.folder).as_published is False


# -- the command line -----------------------------------------------------------------------


def test_fetching_with_the_command_line(
    little: Little, bench_cli: BenchCli, checkout: Path, bench_home: Path
) -> None:
    listed = bench_cli("gold", "list", "--json", checkout=checkout)
    (facts,) = [each for each in json.loads(listed.stdout) if each["name"] == "little"]
    assert facts["get"] == "bench gold fetch little"
    assert facts["download_bytes"] == len(little.archive)
    done = bench_cli("gold", "fetch", "little", checkout=checkout)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == [
        "little: A little set",
        "licence: CC0",
        "to cite: Nobody (2026)",
        "downloading 1 file, about 0.3 MB, from 127.0.0.1, revision 0123456789ab",
        "unpacking and checking 3 pages",
    ]
    said = f"little: 3 pages in {bench_home / 'gold' / 'little'}, as published\n"
    assert done.stdout == said
    again = bench_cli("gold", "fetch", "little", "--json", checkout=checkout)
    facts = json.loads(again.stdout)
    assert (facts["name"], facts["pages"], facts["as_published"]) == ("little", 3, True)
    assert facts["already"] is True
    assert facts["citation"] == "Nobody (2026)"
    listed = bench_cli("gold", "list", checkout=checkout)
    assert "bench gold fetch NAME" in listed.stdout


def test_the_command_line_says_what_is_wrong_in_one_line(
    little: Little, bench_cli: BenchCli, checkout: Path, bench_home: Path
) -> None:
    cases: list[tuple[Callable[[], None], str]] = [
        (lambda: little.card(url=f"http://127.0.0.1:{closed_port()}/x"), "offline?"),
        (lambda: little.card(url=little.site.serve(fixed(404), path="/no")), "404"),
        (lambda: little.card(sha256="0" * 64), "SHA-256"),
        (lambda: little.card(fingerprint="0" * 64), "not the published content"),
    ]
    for prepare, reason in cases:
        prepare()
        done = bench_cli("gold", "fetch", "little", checkout=checkout)
        assert done.returncode == 1
        assert reason in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr
        assert done.stdout == ""
        assert not (bench_home / "gold" / "little").exists()


def test_the_command_line_takes_a_copy(
    little: Little, bench_cli: BenchCli, checkout: Path, tmp_path: Path
) -> None:
    path = tmp_path / "little.tar.gz"
    path.write_bytes(little.archive)
    done = bench_cli("gold", "fetch", "little", "--from", path, "--json", checkout=checkout)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["as_published"] is True
    assert "licence: CC0" in done.stderr
    assert "already in" in bench_cli(
        "gold", "fetch", "little", "--from", path, checkout=checkout
    ).stderr.replace("\n", " ")
    little.card(fingerprint="0" * 64)
    words = ["little", "--from", path, "--replace"]
    refused = bench_cli("gold", "fetch", *words, checkout=checkout)
    assert refused.returncode == 1
    assert "not the published content" in refused.stderr
    taken = bench_cli("gold", "add", *words, checkout=checkout)
    assert taken.returncode == 0
    assert "this is not the published content" in taken.stderr


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_killed_in_the_middle_and_gone_on(
    little: Little, bench_cli: BenchCli, own_bench: Path, bench_home: Path, number: signal.Signals
) -> None:
    data = little.archive
    slow = whole(data, etag='"v1"', pause_s=0.1)
    little.site.serve(slow, whole(data, etag='"v1"'), path="/little.tar.gz")
    env = {**commands.environment(bench_home), "PYTHONPATH": str(own_bench)}
    child = commands.start(["gold", "fetch", "little"], env=env, cwd=own_bench)
    downloads = bench_home / "cache" / "downloads" / "little"
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        parts = list(downloads.glob("*.part")) if downloads.is_dir() else []
        if parts and parts[0].stat().st_size > 100_000:
            break
        time.sleep(0.02)
    child.send_signal(number)
    _, said = child.communicate(timeout=30)
    assert child.returncode not in (0, 1)
    assert "Traceback" not in said
    assert not (bench_home / "gold" / "little").exists()
    (part,) = downloads.glob("*.part")
    there = part.stat().st_size
    assert 100_000 <= there < len(data)
    done = bench_cli("gold", "fetch", "little", checkout=own_bench)
    assert done.returncode == 0, done.stderr
    assert "are here already" in done.stderr
    assert little.site.asked[-1].start == there
    assert little.site.asked[-1].sent == len(data) - there
    assert kept(bench_home) == INSTALLED


# -- the sets that there are ----------------------------------------------------------------


def test_a_real_set_as_its_repository_is_packed(
    shared: Path, site: Site, bench_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An archive with a folder on top, as the host of the repository makes it on request."""
    name = "aeb"
    card, _ = catalogue.find_card(name)
    path = tmp_path / "packed"
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        archive.add(shared / "gold" / name, arcname=f"{name}-{card.revision}")
    (file,) = card.files
    site.serve(whole(path.read_bytes()), path="/x")
    local = dataclasses.replace(card, files=(dataclasses.replace(file, url=site.url("/x")),))
    known = {**catalogue.all_cards(), name: (local, bench_home / "gold" / name)}
    monkeypatch.setattr(catalogue, "all_cards", lambda: known)
    fetched = fetch(name).data_set
    assert fetched.as_published is True
    assert len(fetched) == card.pages


def test_every_card_leads_to_a_pinned_revision_over_https() -> None:
    for card, _ in catalogue.all_cards().values():
        for file in card.files:
            assert https.checked_scheme(file.url) == "https", card.name
            assert file.sha256 or card.revision in file.url, card.name
            assert file.sha256 or card.fingerprint, card.name
            assert file.size_bytes > 0, card.name
