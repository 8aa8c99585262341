"""CleanEval's layout: the wrapper, charsets of pages and gold, the URL line and the tags."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.datasets import readers
from bench.datasets.readers.base import GoldError, Reader
from bench.model import GoldPage
from bench.worker.decode import decode
from tests.layouts import write

PAGE = (
    b'<text id="http://example.org/" title="A &quot;b&quot;" encoding="unset">\n<p>x</p>\n</text>\n'
)
GOLD = b"URL: http://example.org/\n\n<h>Title\n<p>One\n two.\n<l>three"


def one(folder: Path, page: bytes = PAGE, gold: bytes = GOLD) -> GoldPage:
    write(folder / "orig" / "1.html", page)
    write(folder / "clean" / "1.txt", gold)
    return readers.open_folder("cleaneval", folder).read("1")


def wrapped(html: bytes, encoding: str) -> bytes:
    return f'<text id="http://example.org/" encoding="{encoding}">\n'.encode() + html + b"\n</text>"


def test_a_page_and_its_gold(tmp_path: Path) -> None:
    item = one(tmp_path)
    assert item.page.html == b"<p>x</p>"
    assert item.page.url == "http://example.org/"
    assert dict(item.page.meta) == {"title": 'A "b"'}
    assert item.gold.text == "\nTitle\nOne\n two.\nthree"


@pytest.mark.parametrize(
    ("page", "html"),
    [
        (b'\n<text id="http://a/"> \n\n<!DOCTYPE html>x\n</text>', b"\n<!DOCTYPE html>x"),
        (b'<text id="http://a/" title="a <br/> > b" encoding="x">\nx</text>\n\n', b"x"),
        (b'<text id="http://a/">\r\nx\r\n</text>\r\n', b"x"),
        (
            b'<text id="http://a/">\n<svg><text>in</text></svg></text>',
            b"<svg><text>in</text></svg>",
        ),
        (b"<p>never wrapped</p>", b"<p>never wrapped</p>"),
        (b'<text id="http://a/">\nno end', b"no end"),
        (b'<text id="never closed', b'<text id="never closed'),
    ],
)
def test_wrappers(tmp_path: Path, page: bytes, html: bytes) -> None:
    found = one(tmp_path, page).page.html
    assert found.lstrip(b" \n") == html.lstrip(b" \n")
    assert b"http://a/" not in found


@pytest.mark.parametrize(
    ("html", "label", "stated", "text"),
    [
        (b"n\xe9e", "iso-8859-1", "iso-8859-1", "née"),
        ("née".encode(), "iso-8859-1", "utf-8", "née"),
        ("née".encode(), "utf8", "utf-8", "née"),
        (b"n\xe9e", "utf8", None, "née"),
        (b"n\xe9e", "unset", None, "née"),
        (b"n\xe9e", "unknown-us-ascii", None, "née"),
        (b"n\xe9e", "unknown- ", None, "née"),
        ("тест".encode("cp1251"), "windows-1251", "windows-1251", "тест"),
        ("한국".encode("cp949"), "euc-kr", "euc-kr", "한국"),
    ],
)
def test_the_charset_is_stated_where_it_is_known(
    tmp_path: Path, html: bytes, label: str, stated: str | None, text: str
) -> None:
    page = one(tmp_path, wrapped(html, label)).page
    assert page.encoding == stated
    assert decode(page.html, page.encoding) == text


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        (b"no address\n<p>One", "no address\nOne"),
        (b"\nURL: http://a/\r\n<p>One", "One"),
        (b"URL: http://a/\r<p>One\r<p>two", "One\rtwo"),
        (b"\xef\xbb\xbfURL: http://a/\n<P>One</P>", "One"),
        (b"URL: http://a/\n<p>n\xe9e", "née"),
        ("URL: http://a/\n<p>née".encode(), "née"),
        ("URL: http://a/\n<p>née".encode("utf-16"), "née"),
        (b"URL: http://a/\n<p>it&#8217;s &amp; &lt;p&gt;", "it’s & <p>"),
        (b"URL: http://a/\n<CR> <br> <hr> <link> a < b", "<CR> <br> <hr> <link> a < b"),
        (b"URL: http://a/", ""),
        (b"", ""),
        (b"<p>See URL: http://a/ for more", "See URL: http://a/ for more"),
    ],
)
def test_gold_in_every_form(tmp_path: Path, gold: bytes, text: str) -> None:
    assert one(tmp_path, gold=gold).gold.text == text


def test_gold_that_is_not_utf_8_is_read_as_its_page(tmp_path: Path) -> None:
    gold = "URL: http://a/\n<p>тест".encode("cp1251")
    assert one(tmp_path, wrapped(b"x", "windows-1251"), gold).gold.text == "тест"


def test_the_address_of_the_gold_helps_out(tmp_path: Path) -> None:
    assert one(tmp_path, b"<p>x</p>").page.url == "http://example.org/"
    assert one(tmp_path, b'<text id="7">x</text>', b"x").page.url is None


def both(folder: Path) -> Reader:
    for place, text in (("cleaneval-dev", "early"), ("cleaneval-final", "late")):
        write(folder / place / "input" / "60.html", PAGE)
        write(folder / place / "GoldStandard" / "60.txt", f"URL: x\n{text}")
    write(folder / "cleaneval-dev" / "input" / "1.html", PAGE)
    write(folder / "cleaneval-dev" / "GoldStandard" / "1.txt", GOLD)
    write(folder / "cleaneval-final" / "input" / "100.html", PAGE)
    return readers.open_folder("cleaneval", folder)


def test_development_set_and_final_run_are_one_set(tmp_path: Path) -> None:
    reader = both(tmp_path)
    assert list(reader.ids) == ["1", "60"]
    assert reader.read("60").gold.text == "late"
    assert [line.split(" (")[0] for line in reader.problems] == ["page without gold: 100"]
    assert len(reader.files()) == 4


def test_the_names_of_the_final_run_as_it_was_handed_out(tmp_path: Path) -> None:
    write(tmp_path / "finalrun-input" / "103.html", PAGE)
    write(tmp_path / "GoldStandard" / "103-cleaned.txt", GOLD)
    reader = readers.open_folder("cleaneval", tmp_path)
    assert reader.read("103").gold.text
    assert Path("GoldStandard/103-cleaned.txt") in reader.files()


def test_gold_of_one_set_is_none_for_the_page_of_another(tmp_path: Path) -> None:
    write(tmp_path / "cleaneval-dev" / "input" / "5.html", PAGE)
    write(tmp_path / "cleaneval-dev" / "GoldStandard" / "6.txt", GOLD)
    write(tmp_path / "cleaneval-final" / "input" / "6.html", PAGE)
    write(tmp_path / "cleaneval-final" / "GoldStandard" / "7.txt", GOLD)
    with pytest.raises(GoldError, match="holds no pair"):
        readers.open_folder("cleaneval", tmp_path)
