"""What ``bench collect`` wrote, read as a data set: the same pages from WARC and from a folder."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from bench.datasets import catalogue
from bench.datasets.readers.base import FILE_BYTES, GoldError
from bench.datasets.readers.warc import WarcReader
from bench.model import Page
from bench.runs.store import runs
from tests import commands, web
from tests.conftest import BenchCli, once
from tests.web import served


@pytest.fixture(scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the same pages in ``warc`` and in ``folder``: do not change it."""

    def make(here: Path) -> None:
        with served(web.odd_site) as site:
            for kind in ("warc", "folder"):
                words = ("collect", site.url, "--depth", "1", "--as", kind, "--out", kind, "-q")
                done = commands.call(words, cwd=here, env=commands.environment(here / "home"))
                assert done.returncode == 0, done.stderr

    return once(tmp_path_factory, "collections", make)


def test_the_same_pages_from_both(collections: Path) -> None:
    sets = [catalogue.open_gold(f"{kind}:{collections / kind}") for kind in ("warc", "folder")]
    pages = [{item.page.id: item.page for item in data_set} for data_set in sets]
    for page_id, page in pages[0].items():
        other = pages[1][page_id]
        assert (page.url, page.html, page.encoding) == (other.url, other.html, other.encoding)
    assert pages[0].keys() == pages[1].keys()
    assert all(item.gold.text is None for item in sets[0])
    assert any(b"Squeezed" in page.html for page in pages[0].values())


def test_a_run_gives_the_same_texts_from_both(
    collections: Path, tmp_path: Path, bench_cli: BenchCli
) -> None:
    hashes = []
    for kind in ("warc", "folder"):
        words = ("run", "html_text", "xpath", "--gold", f"{kind}:{collections / kind}", "-q")
        done = bench_cli(*words, "--results", tmp_path / kind)
        assert done.returncode == 0, done.stderr
        assert "a survey, without gold" in done.stdout
        cells = runs.find(tmp_path / kind, None).cells()
        hashes.append({(c["row"], c["page"]): c["text_hash"] for c in cells.to_dict("records")})
    assert hashes[0] == hashes[1]
    assert len(set(hashes[0].values())) > 10


def written(path: Path, *, mime: str = "text/html", status: str = "200 OK", pages: int = 2) -> Path:
    """Write a WARC as others do: chunks kept, the same address more than once."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=path.suffix == ".gz")
        for number in range(pages):
            body = f"<p>Page {number}</p>".encode()
            chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
            headers = [("Content-Type", mime), ("Transfer-Encoding", "chunked")]
            came = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
            record = writer.create_warc_record(
                "http://a.example/", "response", io.BytesIO(chunked), http_headers=came
            )
            writer.write_record(record)
    return path


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_archives_of_others(tmp_path: Path, name: str) -> None:
    pages: list[Page] = []
    reader = WarcReader(written(tmp_path / name))
    pages += [reader.read(page_id).page for page_id in reader.ids]
    assert [page.html for page in pages] == [b"<p>Page 0</p>", b"<p>Page 1</p>"]
    assert pages[1].id == f"{pages[0].id}-2"
    assert {page.url for page in pages} == {"http://a.example/"}


def test_what_is_no_page_is_counted(tmp_path: Path) -> None:
    written(tmp_path / "a.warc")
    written(tmp_path / "b.warc", mime="image/png", pages=3)
    written(tmp_path / "c.warc", status="404 Not Found")
    reader = WarcReader(tmp_path)
    assert len(reader.ids) == 2
    assert reader.problems == [
        "3 responses of another type than HTML", "2 responses with another status than 200",
    ]  # fmt: skip


def test_no_page_at_all(tmp_path: Path) -> None:
    with pytest.raises(GoldError, match=r"it has no \*.warc"):
        WarcReader(tmp_path)
    with pytest.raises(GoldError, match="holds no page"):
        WarcReader(written(tmp_path / "a.warc", mime="image/png"))
    (tmp_path / "b.warc.gz").write_bytes(b"\x1f\x8b no gzip")
    with pytest.raises(GoldError, match=r"b.warc.gz cannot be read"):
        WarcReader(tmp_path / "b.warc.gz")


def archive(*bodies: bytes, encoding: str = "") -> tuple[bytes, list[int]]:
    """Return a plain WARC of pages, and where each record begins."""
    file, places = io.BytesIO(), []
    writer = WARCWriter(file, gzip=False)
    for number, body in enumerate(bodies):
        places.append(file.tell())
        headers = [("Content-Type", "text/html")]
        headers += [("Content-Encoding", encoding)] if encoding else []
        came = StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1")
        url = f"http://a.example/{number}"
        record = writer.create_warc_record(url, "response", io.BytesIO(body), http_headers=came)
        writer.write_record(record)
    return file.getvalue(), places


def zstd(data: bytes) -> bytes:
    return bytes(pa.compress(data, "zstd", asbytes=True))


BODIES = tuple(b"<p>Page %d</p>" % number * 40 for number in range(3))


def by_record(data: bytes, places: list[int], packed: Callable[[bytes], bytes]) -> list[bytes]:
    return [packed(data[a:b]) for a, b in pairwise([*places, len(data)])]


def pages_of(path: Path) -> list[bytes]:
    reader = WarcReader(path)
    return sorted(reader.read(page_id).page.html for page_id in reader.ids)


@pytest.mark.parametrize("packed", [bytes, gzip.compress, zstd])
def test_every_way_to_pack_records(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "a.warc.zst"
    path.write_bytes(b"".join(by_record(*archive(*BODIES), packed)))
    assert pages_of(tmp_path) == pages_of(path) == [*BODIES]


@pytest.mark.parametrize("packed", [bytes, gzip.compress, zstd])
@given(share=st.floats(0, 1))
def test_a_truncated_archive_keeps_the_pages_before_its_end(
    tmp_path_factory: pytest.TempPathFactory,
    packed: Callable[[bytes], bytes],
    share: float,
) -> None:
    parts = by_record(*archive(*BODIES), packed)
    whole = b"".join(parts)
    end = int(share * len(whole))
    path = tmp_path_factory.mktemp("cut") / "a.warc"
    path.write_bytes(whole[:end])
    complete = sum(end >= sum(map(len, parts[: at + 1])) for at in range(3))
    try:
        reader = WarcReader(path)
    except GoldError:
        assert complete == 0
        return
    # Of the last record nothing but white space, or a checksum, may be missing.
    assert complete <= len(reader.ids) <= complete + 1
    assert sorted(reader.read(i).page.html for i in reader.ids) == [*BODIES[: len(reader.ids)]]
    assert not any("another status" in line for line in reader.problems)


@given(st.binary(max_size=300), st.integers(0, 2000))
def test_junk_in_an_archive_is_one_line(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, at: int
) -> None:
    whole, _ = archive(*BODIES)
    path = tmp_path_factory.mktemp("junk") / "a.warc"
    path.write_bytes(whole[:at] + junk + whole[at + len(junk) :])
    try:
        reader = WarcReader(path)
    except GoldError:
        return
    assert all(line.count("\n") == 0 for line in reader.problems)
    for page_id in reader.ids:
        assert len(reader.read(page_id).page.html) < 5000


@pytest.mark.parametrize("length", [b"99", b"99999999", b"none", b"-1"])
def test_a_wrong_length_loses_nothing_before_it(tmp_path: Path, length: bytes) -> None:
    whole, places = archive(*BODIES)
    last = whole[places[2] :]
    stated = re.search(rb"\r\nContent-Length: (\d+)\r\nContent-Type: application/http", last)
    stated = stated or re.search(rb"Content-Length: (\d+)", last)
    assert stated
    path = tmp_path / "a.warc"
    path.write_bytes(whole[: places[2]] + last.replace(stated[1], length, 1))
    reader = WarcReader(path)
    assert [reader.read(i).page.html for i in reader.ids][:2] != []
    assert len(reader.ids) == 2 or length == b"99"


def test_damage_in_the_middle_is_told(tmp_path: Path) -> None:
    first, second, third = by_record(*archive(*BODIES), gzip.compress)
    path = tmp_path / "a.warc.gz"
    path.write_bytes(first + second[:30] + b"\0" * 30 + second[60:] + third)
    reader = WarcReader(path)
    assert len(reader.ids) == 1
    (line,) = reader.problems
    assert line.startswith("a.warc.gz is damaged after the record at byte 0")


def test_an_archive_packed_as_a_whole_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(archive(*BODIES)[0]))
    with pytest.raises(GoldError, match="compressed as a whole"):
        WarcReader(path)


def test_a_bomb_is_counted_and_no_page(tmp_path: Path) -> None:
    bomb, page = gzip.compress(b"a" * (FILE_BYTES + 2)), gzip.compress(b"<p>Page</p>")
    path = tmp_path / "a.warc"
    path.write_bytes(archive(bomb, page, b"no gzip", encoding="gzip")[0])
    reader = WarcReader(path)
    assert pages_of(path) == [b"<p>Page</p>"]
    assert reader.problems == [
        "1 responses longer than 64 MiB", "1 responses whose encoding is damaged",
    ]  # fmt: skip
