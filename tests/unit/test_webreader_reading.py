"""Pages read by a specification: three newspapers, the semantics of text, broken and huge pages."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from bench.methods.webreader import output, reading, specification
from bench.methods.webreader.document import Document
from bench.worker.decode import decode
from tests.conftest import ROOT
from tests.unit.test_webreader_specification import spec, translate

NINTH = date(2001, 9, 9)
URL = "http://d.example/x"


def read(html: str, rules: str, *, url: str = URL, more: str = "") -> Document:
    made = spec(
        f'<site name="a"{more}><format>{rules}</format><link><URL pattern="x"/></link></site>'
    )
    document = reading.read_page(made, html, url)
    assert document is not None
    return document


def sections(html: str, rules: str) -> dict[str, str]:
    return {s.name: s.marked for s in read(html, rules).sections}


# --- three newspapers under one specification, after the account of the paper's figure 1 ----------

NEWSPAPERS = """<webreader>
  <format>
    <translate><tag_in>h1</tag_in><tag_out>TITULO</tag_out></translate>
    <translate><tag_in runs_on="yes">p</tag_in><tag_out>CUERPO</tag_out></translate>
  </format>
  <site name="El Faro" url="//faro.example/" process_links="yes">
    <target append="yes">faro-$YYYY$$MM$$DD$.txt</target>
    <link name="portada">
      <URL pattern="/index" process_content="no"/>
    </link>
    <link name="noticias" process_links="no">
      <URL pattern="$DD$N0"/>
    </link>
  </site>
  <site name="La Rueda" url="//rueda.example/">
    <format>
      <translate>
        <tag_in attr_name="class" attr_value="titular">td</tag_in><tag_out>TITULO</tag_out>
      </translate>
      <translate>
        <tag_in attr_name="class" attr_value="texto">td</tag_in><tag_out>CUERPO</tag_out>
      </translate>
      <ignore>b</ignore>
    </format>
    <link name="noticias">
      <URL pattern="/$YYYY$/$MM$/$DD$/"/>
    </link>
  </site>
  <site name="El Molino" url="//molino.example/">
    <link name="noticias">
      <format>
        <translate>
          <tag_in attr_name="name" attr_value="author" attr_get="content">meta</tag_in>
          <tag_out>AUTOR</tag_out>
        </translate>
        <append><tag_out>FUENTE</tag_out><text>El Molino, $DD$/$MM$/$YYYY$, $URL$</text></append>
      </format>
      <URL pattern="n"/>
      <URL pattern="opinion">
        <format>
          <translate><tag_in>h1</tag_in><tag_out>COLUMNA</tag_out></translate>
        </format>
      </URL>
    </link>
  </site>
</webreader>"""
PAGES = {
    "http://faro.example/index.html": "<h1>El Faro</h1><a href='09N0001.html'>Uno</a>"
    "<a href='/10N0002.html'>Otro día</a><a href='http://rueda.example/2001/09/09/1'>Fuera</a>"
    "<a href='09N0001.html#fin'>Uno</a><a href='http://['>Roto</a>",
    "http://faro.example/09N0001.html": "Inicio<h1>La isla</h1><p>Primero.<p>Segundo <b>ya</b>.",
    "http://rueda.example/2001/09/09/1": "<table><tr><td class=menu>Inicio<td class=titular>La rueda"
    "<tr><td class=texto>Gira <b>hoy</b> y <i>siempre</i>.</table>",
    "http://molino.example/n1": "<meta name=author content='Ana'><h1>Viento</h1><p>Sopla.",
    "http://molino.example/opinion": "<h1>Aspas</h1><p>Cuatro.",
}


def newspaper(url: str) -> Document | None:
    made = specification.read(NEWSPAPERS.encode())
    return reading.read_page(made, PAGES[url], url, NINTH)


def test_a_front_page_gives_links_of_its_site_and_no_text() -> None:
    document = newspaper("http://faro.example/index.html")
    assert document
    assert document.sections == ()
    assert document.links == ("http://faro.example/09N0001.html",)


def test_unclosed_paragraphs_concatenate_and_the_target_is_named() -> None:
    document = newspaper("http://faro.example/09N0001.html")
    assert document
    assert output.text(document) == ".TITULO\nLa isla\n\n.CUERPO\nPrimero.\nSegundo ya.\n\n"
    assert (document.target, document.append) == ("faro-20010909.txt", True)
    assert document.main_text == "Primero.\nSegundo ya."


def test_cells_by_their_class_with_an_ignored_tag_left_as_it_is() -> None:
    document = newspaper("http://rueda.example/2001/09/09/1")
    assert document
    assert output.text(document) == ".TITULO\nLa rueda\n\n.CUERPO\nGira <b>hoy</b> y siempre.\n\n"
    assert document.main_text == "Gira hoy y siempre."
    assert output.xml([document]) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<documents>\n'
        '<document url="http://rueda.example/2001/09/09/1">\n<TITULO>La rueda</TITULO>\n'
        "<CUERPO>Gira &lt;b&gt;hoy&lt;/b&gt; y siempre.</CUERPO>\n</document>\n</documents>\n"
    )


def test_an_attribute_and_a_text_of_the_specifications_own() -> None:
    document = newspaper("http://molino.example/n1")
    assert document
    assert output.text(document) == (
        ".FUENTE\nEl Molino, 09/09/2001, http://molino.example/n1\n\n"
        ".AUTOR\nAna\n\n.TITULO\nViento\n\n.CUERPO\nSopla.\n\n"
    )


def test_the_urls_own_rule_wins_over_all_above() -> None:
    document = newspaper("http://molino.example/opinion")
    assert document
    # "n" of the first URL occurs in this address too: the first rule in the file is taken.
    assert [s.name for s in document.sections] == ["FUENTE", "TITULO", "CUERPO"]
    made = specification.read(NEWSPAPERS.replace('pattern="n"', 'pattern="/n"').encode())
    other = reading.read_page(made, PAGES[document.url], document.url, NINTH)
    assert other
    assert [s.name for s in other.sections] == ["FUENTE", "COLUMNA", "CUERPO"]


def test_no_rule_no_document() -> None:
    made = specification.read(NEWSPAPERS.encode())
    assert reading.read_page(made, "<h1>x</h1>", "http://elsewhere.example/") is None
    assert reading.read_page(made, "<h1>x</h1>", "") is None


# --- the semantics of text ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "rules", "wanted"),
    [
        ("out <h1>in</h1> out", translate("h1", "T"), {"T": "in"}),
        ("<b>out</b><h1>in <b>kept</b></h1>", translate("h1", "T"), {"T": "in kept"}),
        ("<b>out</b><h1>a <b>b</b></h1>", translate("h1", "T") + "<ignore>b</ignore>",
         {"T": "a <b>b</b>"}),
        ("<h1>a</h1>x<h1>b</h1>", translate("h1", "T"), {"T": "a\nb"}),
        ("<div>a <p>b</p> c</div>", translate("div", "A") + translate("p", "B"),
         {"A": "a\n c", "B": "b"}),
        ("<h1>a</h1><h2>b</h2>", translate("h1", "h2") + translate("h2", "h1"),
         {"h2": "a", "h1": "b"}),
        ("<div>a<hr>b<i>c</i><hr>d</div>e", translate("hr", "A", ' runs_on="yes"'), {"A": "bc\nd"}),
        ("<div>a<hr>b<br>c</div>",
         translate("hr", "A", ' runs_on="yes"') + translate("br", "B", ' runs_on="yes"'),
         {"A": "b", "B": "c"}),
        ("<div><hr>a<h1>t</h1>b</div>c", translate("hr", "A", ' runs_on="yes"') + translate("h1", "T"),
         {"A": "a\nb", "T": "t"}),
        ("<p>a <a href=u>b</a></p>", translate("p", "A") + translate("a", "L", ' attr_get="href"'),
         {"A": "a b", "L": "u"}),
        ("<p>a<script>s()</script><style>t{}</style></p>", translate("p", "A"), {"A": "a"}),
        ("<p>a</p><script>s()</script>", translate("script", "S"), {"S": "s()"}),
        ("<p>a<!-- no -->b<?pi no?>c</p>", translate("p", "A"), {"A": "abc"}),
        ("<p>a<br>b</p>", translate("p", "A") + "<ignore>br</ignore>", {"A": "a<br>b"}),
        ("<p></p><h1>a</h1>", translate("p", "A") + translate("h1", "T"), {"A": "", "T": "a"}),
        ("<p>a <B Class='x \"y\"'>b</B></p>", translate("p", "A") + "<ignore>B</ignore>",
         {"A": """a <B Class='x "y"'>b</B>"""}),
        ("<pre>a\n  b</pre>", translate("pre", "A"), {"A": "a\n  b"}),
        ("<p>a\n  b </p>", translate("p", "A"), {"A": "a\n  b"}),
    ],
)  # fmt: skip
def test_what_becomes_of_text(html: str, rules: str, wanted: dict[str, str]) -> None:
    assert sections(html, rules) == wanted


TREE = st.recursive(
    st.just("word"),
    lambda inner: st.tuples(
        st.sampled_from(["div", "span", "i", "em"]), st.lists(inner, max_size=4)
    ),
    max_leaves=30,
)
SECTION_OF = {"div": "UNO", "i": "DOS"}
"""span is unknown, em is ignored."""


@given(TREE)
def test_each_text_goes_to_the_innermost_translated_tag_around_it(tree: Any) -> None:
    count = iter(range(10_000))
    wanted: dict[str, list[str]] = {"UNO": [], "DOS": []}

    def build(node: Any, section: str | None) -> str:
        if node == "word":
            word = f"w{next(count)}"
            if section:
                wanted[section].append(word)
            return f" {word} "
        tag, children = node
        inner = SECTION_OF.get(tag, section)
        return f"<{tag}>{''.join(build(child, inner) for child in children)}</{tag}>"

    # Every i and em is closed, so that the parser builds the tree that we built.
    html = f"<!DOCTYPE html><html><body><section>{build(tree, None)}</section></body></html>"
    if _reparsed(html) != html:
        return
    rules = translate("div", "UNO") + translate("i", "DOS") + "<ignore>em</ignore>"
    document = read(html, rules)
    assert {s.name: s.text.split() for s in document.sections if s.text} == {
        name: words for name, words in wanted.items() if words
    }
    etree.fromstring(output.xml([document]).encode())


def _reparsed(html: str) -> str:
    """What the parser took the page for."""
    root = etree.fromstring(html.encode(), etree.HTMLParser())
    return str(etree.tostring(root.getroottree(), encoding="unicode", method="html")).replace(
        "\n", ""
    )


LINES = st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp")), max_size=20)


@given(st.lists(st.tuples(st.sampled_from(["h1", "h2"]), st.one_of(LINES, st.just(".CUERPO")))))
def test_normalised_text_can_be_read_back(parts: list[tuple[str, str]]) -> None:
    html = "".join(f"<{tag}>{_escaped(line)}</{tag}>" for tag, line in parts)
    document = read(f"<body>{html}</body>", translate("h1", "CUERPO") + translate("h2", "OTRO"))
    back: dict[str, list[str]] = {}
    for line in output.text(document).split("\n")[:-1]:
        if line.startswith(".") and not line.startswith(".."):
            content = back.setdefault(line[1:], [])
        else:
            content.append(line.removeprefix("."))
    assert {name: "\n".join(lines[:-1]) for name, lines in back.items()} == {
        s.name: s.marked for s in document.sections
    }


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


# --- broken and huge pages ----------------------------------------------------------------------

ANY = translate("body", "CUERPO") + "<ignore>b</ignore>"


@pytest.mark.parametrize(
    "html",
    [
        "",
        " ",
        "<!-- no element -->",
        "\0",
        "<<html><body <p>&nosuch; &#xFFFFFFF; <!--",
        "<b @a=1 x:y=2>",
        "<b xmlns='http://www.w3.org/2000/xmlns/' xmlns:x=''>",
    ],
)
def test_a_broken_page_is_a_document_all_the_same(html: str) -> None:
    document = read(html, ANY, more=' process_links="yes"')
    etree.fromstring(output.xml([document]).encode())


def test_what_neither_xml_nor_a_terminal_should_get_is_replaced() -> None:
    document = read(
        "<body><p>a\x1b[31m \ud800 &#0; <b title='\x07'>c</b></body>", ANY, url=URL + "\x1b"
    )
    for printed in (output.text(document), output.xml([document])):
        assert not set(printed) & set("\x1b\x07\0\x9b\ud800")
    etree.fromstring(output.xml([document]).encode())


def test_a_tree_ten_thousand_deep_is_an_outcome() -> None:
    for depth, there in ((2_000, True), (10_000, False)):  # libxml2 reads 2,048 levels
        document = read("<div>" * depth + "the end" + "</div>" * depth, ANY)
        assert document.main_text == ("the end" if there else "")
        deep = read("<b>" * depth + "the end", ANY)
        etree.fromstring(output.xml([deep]).encode())


def test_two_hundred_thousand_texts_are_all_there() -> None:
    document = read("<body>" + "<p>one <i>two</i>" * 100_000, ANY)
    assert document.main_text.count("one two") == 100_000


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "<p>word <b>two</b> <i>three</i>" * n,
        lambda n: "<b>" * min(n, 1500) + "x" + "<a href='/x/1'>l</a>" * n,
        lambda n: "".join(f'<a href="/x/{k}">link</a><hr>' for k in range(n)),
        lambda n: "<td class='" + "c " * n + "'>x",
    ],
    ids=["paragraphs", "marks", "links", "a class of many words"],
)
def test_work_grows_no_faster_than_the_page(make: Callable[[int], str]) -> None:
    rules = (
        ANY
        + translate("hr", "PIE", ' runs_on="yes"')
        + translate("td", "C", ' attr_name="class" attr_value="c"')
    )

    def work(n: int) -> int:
        html = f"<table><tr><td></table>{make(n)}"
        return calls(lambda: output.xml([read(html, rules, more=' process_links="yes"')]))

    small, large = work(500), work(2000)
    assert large < 4.4 * small


def calls(run: Callable[[], object]) -> int:
    """Count the calls of Python and C functions: a measure of work that no load disturbs."""
    count = 0

    def note(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    run()  # what is made once and kept
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


# --- the starter set ----------------------------------------------------------------------------

STARTER = ROOT / "gold" / "starter"
IN_A_SCRIPT = "article-en-kelp-script-only"


def starter_pages() -> list[dict[str, Any]]:
    lines = (STARTER / "pages.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("page", starter_pages(), ids=lambda page: page["id"])
def test_the_rules_that_ship_give_the_gold_of_the_starter_set(page: dict[str, Any]) -> None:
    made = specification.read_file(specification.shipped("starter"))
    html = (STARTER / "pages" / f"{page['id']}.html").read_bytes()
    document = reading.read_page(made, decode(html, page["encoding"]), page["url"])
    if page["id"] == IN_A_SCRIPT:
        assert document is None, "its text is in a script alone: no rule can reach it"
        return
    gold = Path(STARTER / "pages" / f"{page['id']}.txt").read_text(encoding="utf-8")
    assert document
    assert re.findall(r"\w+", document.main_text) == re.findall(r"\w+", gold)
