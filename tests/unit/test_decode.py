"""From bytes to str: marks, transport, declarations that lie, and anything at all."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bench.worker.decode import charset, codec, declared, decode


def page(text: str, encoding: str, label: str | None = None) -> bytes:
    meta = f'<meta charset="{label}">' if label else ""
    return f"<html><head>{meta}<title>x</title></head><body>{text}</body></html>".encode(encoding)


JAPANESE = "提灯の火は風に揺れていた。①髙"
SPANISH = "El niño comió «pan» y se fue — ¿adónde? “aquí”"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ],
)
def test_a_byte_order_mark_wins_over_everything(mark: bytes, encoding: str) -> None:
    html = mark + page(JAPANESE, encoding, "iso-8859-1")
    text = decode(html, "shift_jis")
    assert JAPANESE in text
    assert not text.startswith("\ufeff")


def test_the_transport_wins_over_the_declaration() -> None:
    assert JAPANESE in decode(page(JAPANESE, "cp932", "utf-8"), "Shift_JIS")
    assert SPANISH in decode(page(SPANISH, "cp1252", "koi8-r"), " ISO-8859-1 ")


@pytest.mark.parametrize("nonsense", ["", "none", "no such charset", "utf-8;q=1", "\0", "日本"])
def test_a_transport_that_means_nothing_is_passed_over(nonsense: str) -> None:
    assert JAPANESE in decode(page(JAPANESE, "cp932", "shift_jis"), nonsense)


@pytest.mark.parametrize("lie", ["iso-8859-1", "shift_jis", "windows-1251", "gb2312"])
def test_utf_8_that_is_declared_as_something_else(lie: str) -> None:
    assert JAPANESE in decode(page(JAPANESE, "utf-8", lie))
    assert SPANISH in decode(page(SPANISH, "utf-8", lie))


def test_windows_1252_that_is_declared_as_utf_8() -> None:
    text = decode(page(SPANISH, "cp1252", "utf-8"))
    assert "El ni\ufffdo comi\ufffd" in text


@pytest.mark.parametrize(
    ("text", "encoding", "label"),
    [
        (JAPANESE, "cp932", "Shift_JIS"),
        (JAPANESE, "cp932", "x-sjis"),
        ("提灯の火", "euc_jp", "euc-jp"),
        ("提灯の火", "iso2022_jp", "iso-2022-jp"),
        (SPANISH, "cp1252", "windows-1252"),
        (SPANISH, "cp1252", "iso-8859-1"),
        (SPANISH, "cp1252", "latin1"),
        (SPANISH, "cp1252", "us-ascii"),
        ("Şişli’de", "cp1254", "iso-8859-9"),
        ("Привет", "cp1251", "windows-1251"),
        ("Привет", "koi8_r", "KOI8-R"),
        ("国务院镕", "gbk", "gb2312"),
        ("國務院㐀", "gb18030", "gbk"),
        ("똠방각하", "cp949", "euc-kr"),
        ("똠방각하", "cp949", "ks_c_5601-1987"),
        ("ไทย", "cp874", "tis-620"),
    ],
)
def test_labels_mean_what_browsers_take_them_for(text: str, encoding: str, label: str) -> None:
    assert text in decode(page(text, encoding, label))
    assert text in decode(page(text, encoding), label)


def test_no_declaration() -> None:
    assert SPANISH in decode(page(SPANISH, "utf-8"))
    assert SPANISH in decode(page(SPANISH, "cp1252"))


def test_a_declaration_of_utf_16_in_a_page_that_can_be_read_is_wrong() -> None:
    assert "plain" in decode(page("plain", "ascii", "utf-16"))
    assert SPANISH in decode(page(SPANISH, "utf-8", "utf-16le"))


def test_an_unknown_label_is_passed_over() -> None:
    assert SPANISH in decode(page(SPANISH, "cp1252", "martian-1"))


@pytest.mark.parametrize(
    ("html", "label"),
    [
        (b"<meta charset=utf-8>", "utf-8"),
        (b"<META CHARSET='KOI8-R'>", "KOI8-R"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=gb2312">', "gb2312"),
        (b'<meta content="text/html;charset = big5" http-equiv=content-type>', "big5"),
        (b'<?xml version="1.0" encoding="euc-jp"?><html>', "euc-jp"),
        (b"<html><p>charset=utf-8</p>", None),
        (b"", None),
        (b"<!-- " + b"x" * 1024 + b" --><meta charset=utf-8>", None),
    ],
)
def test_where_the_declaration_is_looked_for(html: bytes, label: str | None) -> None:
    assert declared(html) == label


# Codecs of Python that no browser knows; some refuse errors="replace", some run escapes.
PYTHON_ONLY = [
    "idna", "undefined", "punycode", "unicode_escape", "raw_unicode_escape", "utf-7", "rot13",
    "hex", "zlib", "base64", "mbcs", "oem", "utf_8_sig", "utf-32", "palmos", "unicode_internal",
]  # fmt: skip


@pytest.mark.parametrize("label", PYTHON_ONLY)
def test_codecs_that_are_pythons_alone_do_not_exist_on_the_web(label: str) -> None:
    assert codec(label) is None
    html = page("caf\xe9 \\x41 +AGE- xn--bcher-kva", "cp1252", label)
    assert "café \\x41 +AGE- xn--bcher-kva" in decode(html)
    assert "café" in decode(page("café", "cp1252"), label)


def test_the_labels_of_the_encoding_standard() -> None:
    """Every label of the standard that names an encoding which Python has (webencodings' table)."""
    labels = pytest.importorskip("webencodings.labels").LABELS
    lookup = pytest.importorskip("webencodings").lookup
    superset = {"gbk": "gb18030"}  # and what browsers decode both as
    refused = ("utf-16", "replacement", "x-user-defined")  # "iso-2022-kr" and so on
    unknown = []
    for label in labels:
        name = lookup(label).codec_info.name
        if name.startswith(refused):
            continue
        ours = codec(label)
        if ours is None or codecs.lookup(ours).name != superset.get(name, name):
            unknown.append(label)
    assert unknown == []


@given(st.binary(max_size=300), st.none() | st.text(max_size=20))
@example(b"\xff\xfe\x00", None)
@example(b"\xef\xbb\xbf\xff", "utf-8")
@example(b"<meta charset=idna>\xff", None)
@example(b"<meta charset=undefined>", None)
@example(b"", "")
def test_never_raises(html: bytes, transport: str | None) -> None:
    assert isinstance(decode(html, transport), str)
    name, skip = charset(html, transport)
    assert codecs.lookup(name)
    assert skip in (0, 2, 3)


@given(st.sampled_from([*PYTHON_ONLY, "x-sjis", "utf-8", "hz", "big5"]), st.binary(max_size=60))
def test_never_raises_whatever_is_declared(label: str, rest: bytes) -> None:
    assert isinstance(decode(b"<meta charset=" + label.encode() + b">" + rest), str)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\ufeff")))
def test_utf_8_comes_back_whole(text: str) -> None:
    assert decode(text.encode(), "utf-8") == text
    if not text.isascii():
        assert decode(text.encode()) == text
