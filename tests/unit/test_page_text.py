"""All text of a page: what belongs to it, whatever the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.datasets import page_text
from bench.datasets.page_text import words

SCRAPS = st.lists(
    st.sampled_from(
        ["<", ">", "<a ", "</", "<!--", "-->", "<script>", "</script>", "<p>", "</p>", "<b>", '"',
         "'", "=", "&", "&amp;", "&#x", "&#99;", "/>", "<svg>", "<path/>", "<title>", "<!", "<?",
         "<textarea>", "word", " ", "é", "\x00", "漢"]
    ),
    max_size=60,
).map("".join)  # fmt: skip


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>One</p><p>two", "One two"),
        ("in<b>line</b> and <i>t</i>wo", "inline and two"),
        ("a<br>b<td>c", "a b c"),
        ("<title>T &amp; t</title><script>no()</script><style>p{}</style>x", "T & t x"),
        ("<script>'<p>no</p>'</script >yes", "yes"),
        ("<script>never ended <p>no", ""),
        ("<!-- no > no -->yes<!--> yes<!-- no", "yes yes"),
        ("<!DOCTYPE html><?php no ?>x", "x"),
        ('<a title="a > b">x</a>', "x"),
        ("<a title='no\">yes", ""),
        ("1 < 2 <3 </ 4", "1 < 2 <3"),
        ("<p title=never ended", ""),
        ("<noscript>yes</noscript><template>yes</template><iframe>no</iframe>", "yes yes"),
        ("<textarea><p>raw</textarea>", "<p>raw"),
        ("&lt;p&gt; &eacute; &#233; &#xe9; &nosuch;", "<p> é é é &nosuch;"),
        ("&#" + "9" * 5000 + "; x", "\ufffd x"),
    ],
)
def test_the_text_of_a_page(html: str, expected: str) -> None:
    assert " ".join(page_text.parse(html).text.split()) == expected


def test_the_text_of_links() -> None:
    page = page_text.parse("x <a href=/>one <b>two</b></a> y <a>three<a>four</a> z <p>w</a>")
    assert words(page.link_text) == ["one", "two", "three", "four"]


@pytest.mark.parametrize(
    ("html", "depth"),
    [
        ("", 0),
        ("text", 0),
        ("<html><body><p>x</p></body></html>", 3),
        ("<p>" * 9, 1),
        ("<ul>" + "<li>x" * 9 + "</ul>", 2),
        ("<table><tr><td>x<td>x<tr><td>x</table>", 3),
        ("<br><img><input>", 1),
        ("<div>" * 9 + "</div>" * 9, 9),
        ("</div></p></x><p>", 1),
        ("<svg><path/><path/><g><path/></g></svg>", 3),
    ],
)
def test_depth(html: str, depth: int) -> None:
    assert page_text.parse(html).depth == depth


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=en-GB>", "en"),
        ("<HTML class=a xml:lang='DE'>", "de"),
        ('<html data-lang="x1" lang = "pt_BR">', "pt"),
        ("<html><p lang=fr>", None),
        ('<html lang="">', None),
    ],
)
def test_the_declared_language(html: str, language: str | None) -> None:
    assert page_text.declared_language(html) == language


@given(SCRAPS)
def test_any_page_has_a_text(html: str) -> None:
    page = page_text.parse(html)
    assert len(page.link_text.split()) <= len(page.text.split()) + html.count("<")
    assert 0 <= page.depth <= html.count("<")


@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1), max_size=20))
def test_the_words_of_paragraphs_are_all_there(parts: list[str]) -> None:
    page = "<html><body>" + "".join(f"<div><p>{part}</p></div>" for part in parts)
    assert words(page_text.parse(page).text) == [word for part in parts for word in words(part)]


@pytest.mark.parametrize(
    "unit", ["<div>", "<p>", "<!--", "<a ", '<a "', "<a b='", "<script>", "</b>", "<a><b>", "&#9"]
)
def test_a_huge_or_deep_page_is_no_matter(unit: str) -> None:
    """At this size anything that grows with the square of the length would not come back."""
    page = page_text.parse(unit * 200_000)
    assert page.depth <= 400_000


def test_words_of_languages_without_spaces_are_characters() -> None:
    assert words("Tokyo東京 ไทย 2,5 a_b") == ["Tokyo", "東", "京", "ไ", "ท", "ย", "2", "5", "a_b"]
