"""What ``bench collect`` wrote, read as a data set: the same pages from WARC and from a folder."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from bench.datasets import catalogue
from bench.datasets.readers.base import GoldError
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
