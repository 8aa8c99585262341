"""Whatever a page repeats, looking through its text takes time that grows with its length alone."""

from __future__ import annotations

import gzip
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.datasets import page_text
from bench.datasets.lint import page_checks
from bench.datasets.readers import annotation, cleaneval, dragnet_data
from bench.datasets.readers.folder import FolderReader
from bench.methods.webreader import reading as webreader
from bench.metrics.texts import shingles
from bench.model import Gold, GoldPage, Page
from bench.report.site import page_preview, page_source
from bench.util.display import without_paths

pytestmark = pytest.mark.alone

SIZE = 100_000


def lint(html: str) -> None:
    item = GoldPage(Page("p", html.encode()), Gold("gold that is not to be found in it"))
    list(page_checks.check_page(page_checks.PageView(item)))


def unwrap(html: str) -> None:
    cleaneval._unwrap(b'<text id="x">' + html.encode())


def end_of_article(text: str) -> None:
    dragnet_data._COMMENTS.split(text, maxsplit=1)


def number_tags(html: str) -> None:
    webreader._numbered(html, {"b"})


def unpack(members: str) -> None:
    """Read a page that is gzipped in many members without content: two characters for each."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "p.html.gz").write_bytes(gzip.compress(b"") * (len(members) // 2))
        FolderReader(Path(folder)).read("p")


def count_shingles(text: str) -> None:
    list(shingles.scores(text, [text, f"{text} b"]))


ATTACKS: list[tuple[Callable[[str], object], str, str]] = [
    *((page_text.parse, "", unit) for unit in (
        "<script ", "<script>", "</script", "<div", "<a ", "<a b=", "<a b='", "<!--", "<!", "</", "<",
        "<a>", "<p>", "</b>", "<table>", "<html lang=", "&#0", "&",
    )),
    (page_text.parse, "<html lang=", " "),
    (page_text.parse, "<html ", "lang "),
    *((annotation.strip, "", unit) for unit in (
        " ", "\t\n", "<style ", "<style id=cc-extraStyle ", "<style id=cc-extraStyle>", "</style ",
        "<marked-text ", "</marked-tail", "<body ", " cc-select", " cc-select='", " cc-select = ",
        " class=", ' class=" mark-selected', "mark-selected ", " style=",
    )),
    (annotation.strip, '<p class="', "mark-selected "),
    (annotation.strip, "<p cc-select", " "),
    (annotation.strip, "<body", " "),
    *((lint, "", unit) for unit in ("<text id=", "<text ", "<p class=", "\\u0041", "<meta ", "< ")),
    (lint, "<meta charset", " "),
    (lint, "<meta charset=", " "),
    (lint, "<meta ", "charset "),
    (unpack, "", "[]"),
    (unwrap, "", " "),
    (unwrap, "", "</text> "),
    (unwrap, "", '<text id="'),
    *((count_shingles, "", unit) for unit in ("a", "a ", "漢", "—", "aaaaaaaab ", "\n")),
    (end_of_article, "!@#$%", " "),
    (end_of_article, "!@#$%", "A"),
    (end_of_article, "", "!"),
    *((number_tags, start, unit) for start, unit in (
        ("", "<"), ("", "<b>"), ("", "<b "), ("", "<b ="), ("", "<b ='"), ("<b a=", " "), ("", "<!--"),
        ("<!--", "--"), ("", "<!"), ("", "<script>"), ("<script>", "</script "), ("", "<script ='"),
    )),
    *((without_paths, start, unit) for start, unit in (
        ("", "x"), ("", "/"), ("", "-/"), ("", "/x"), ("", "/site-packages"), ("~", "/x "), ("", "(/x"),
    )),
    *((page_source.readable, start, unit) for start, unit in (
        ("", "<script "), ("", "<script>"), ("", "<svg x='"), ("<script>", "</script "),
        ("<script>", "</script"), ("", "<style></style "), ("", "data:x;base64,"),
        ("<img src=data:x;base64,", "A"), ("", "<"),
    )),
    *((page_preview.harmless, start, unit) for start, unit in (
        ("", "<script "), ("<script>", "</script "), ("<script>", "</script"), ("<svg>", "</svg/"),
        ("", "<svg></svg "), ("", "<"), ("", "</"), ("", "<!"), ("", "<!--"), ("", "<a b='"),
        ("", "<p>"), ("", "</p>"), ("<p ", "hidden"), ("<p style='", "display "), ("<p ", "style='"),
        ("<img ", "alt=' "), ("<img ", 'alt="x'), ("<img alt=", " "), ("", "&"), ("&#", "1"),
    )),
]  # fmt: skip


def seconds(look: Callable[[str], object], html: str) -> float:
    began = time.process_time()
    look(html)
    return time.process_time() - began


@pytest.mark.parametrize(
    ("look", "start", "unit"),
    ATTACKS,
    ids=[f"{look.__name__} {start}{unit}" for look, start, unit in ATTACKS],
)
def test_hostile_repeats(look: Callable[[str], object], start: str, unit: str) -> None:
    count = SIZE // len(unit)
    once = min(seconds(look, start + unit * count) for _ in range(3))
    # Four times the length, a fourth of it for noise: the square of the length would take sixteen.
    four = min(seconds(look, start + unit * count * 4) for _ in range(2))
    assert four < 8 * once + 0.25
