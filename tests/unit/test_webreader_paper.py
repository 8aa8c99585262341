"""What the paper prints: its specification (figure 1), its rules (table 1), its documents (2 to 4).

The files in ``tests/golden/webreader`` are typed from print, lines that the column broke made one. Of
figure 1 the quotation marks inside quotation marks are gone, which no XML could have; where they hit
addresses (``www."ABC".es``) the paper's text was replaced throughout. Figures 3 and 4 are of the
national section, which figure 1 has no site for: the tests put it in place of the international one.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from bench.methods.webreader import macros, output, reading, specification
from bench.methods.webreader.specification import Specification
from tests.conftest import ROOT

FIGURES = ROOT / "tests" / "golden" / "webreader"
PRINTED = (FIGURES / "figure-1.xml").read_text(encoding="utf-8")
EIGHTH, NINTH = date(2000, 12, 8), date(2000, 12, 9)

TEXTO = "<translate><tag_in>texto</tag_in><tag_out>.CUERPO</tag_out></translate>"
META = """<translate>
 <tag_in closed="false"
 attr_name="NAME" attr_value="TITULO"
 attr_get="CONTENT">
  META
 </tag_in>
 <tag_out>.TITULO</tag_out>
</translate>"""


def figure_1(section: str = "Internacional") -> Specification:
    return specification.read(PRINTED.replace("Internacional", section).encode(), "figure-1.xml")


def printed(name: str) -> str:
    return (FIGURES / name).read_text(encoding="utf-8")


def text_of(html: str, url: str, day: date, section: str = "Internacional") -> str:
    document = reading.read_page(figure_1(section), html, url, day)
    assert document
    return output.text(document)


# --- figure 1 -----------------------------------------------------------------------------------


def test_figure_1_says_what_the_paper_says_of_it() -> None:
    read = figure_1()
    indexes = [rule for rule in read.rules if rule.is_index]
    assert [rule.patterns[0].fill(macros.of_date(EIGHTH)) for rule in indexes] == [
        "http://www.abc.es/abc/fijas/internac/index.asp",
        "http://www.elmundo.es/diario/internacional/index.html",
        "http://www.elpais.es/p/d/20001208/internac/",
    ]
    assert [(rule.process_links, rule.process_content) for rule in indexes] == [(True, False)] * 3
    assert [rule.patterns[0].fill({"DD": "09"}) for rule in read.urls] == [
        "pa00", "09N0", "internac",
    ]  # fmt: skip
    assert all(rule.process_content and not rule.process_links for rule in read.urls)
    target = read.urls[0].target
    assert target
    assert (target.name.fill({}), target.append) == (
        "/home1/dofer/projects/webreader/spanish_news.data",
        True,
    )


def test_figure_1_with_its_inner_quotation_marks() -> None:
    quoted = PRINTED.replace("Diario ABC", "Diario &quot;ABC&quot;").replace(" ABC\n", " “ABC”\n")
    read = specification.read(quoted.replace("www.abc.es", "www.”ABC”.es").encode())
    assert read.sites[0] == 'Diario "ABC"'
    assert [append.text.fill({}) for append in read.urls[0].rules.appends][2:] == [
        "“ABC”", "Internacional",
    ]  # fmt: skip


def test_both_dialects_become_the_same_rules() -> None:
    ours = specification.read(
        b"""<webreader>
          <format>
            <append><tag_out>FECHA</tag_out><text>$MM$-$DD$-$YYYY$</text></append>
            <ignore>p</ignore>
          </format>
          <site name="a" URL="http://a.example/" process_links="yes" process_content="no">
            <format><translate><tag_in attr_name="name" attr_value="T" attr_get="content" closed="no"
              >meta</tag_in><tag_out>TITULO</tag_out></translate></format>
            <target append="yes">there/news.txt</target>
            <link name="b"><URL pattern="n"/></link>
          </site>
        </webreader>"""
    )
    theirs = specification.read(
        b"""<webreader><path>there</path>
          <site name="a" process_content="false" process_links="true" URL="http://a.example/">
            <link name="b"><URL>n</URL></link>
            <target append="true"><file>news.txt</file></target>
            <format><translate><tag_out>.TITULO</tag_out><tag_in closed="false" attr_name="NAME"
              attr_value="T" attr_get="CONTENT">META</tag_in></translate></format>
          </site>
          <format><append> .FECHA  $MM$-$DD$-$YYYY$ </append><ignore>P</ignore></format>
        </webreader>"""
    )
    for one, other in zip(ours.rules, theirs.rules, strict=True):
        formats = [
            [(f.appends, [replace(tag, line=0) for tag in f.tags]) for f in rule.rules.formats]
            for rule in (one, other)
        ]
        assert formats[0] == formats[1]
        assert replace(one, rules=other.rules, line=other.line) == other


# --- table 1: "Must hold" 1 and 2 ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "html", "normalised"),
    [
        (
            TEXTO,
            '<font type="arial"><texto>Este texto <B>se mantiene</B> </texto>pero éste otro '
            "<B>se desecha</B></font><texto>y éste de aquí se añade</texto>",
            ".CUERPO\nEste texto se mantiene y éste de aquí se añade\n\n",
        ),
        (
            META,
            '<META name="TITULO" content="Finaliza la cumbre europea">\n'
            '<META name="FECHA" content=" 12/11/2000">',
            ".TITULO\nFinaliza la cumbre europea\n\n",
        ),
    ],
)
def test_table_1(rule: str, html: str, normalised: str) -> None:
    read = specification.read(
        f'<webreader><site name="s"><format>{rule}</format>'
        "<link><URL>x</URL></link></site></webreader>".encode()
    )
    document = reading.read_page(read, html, "http://a.example/x")
    assert document
    assert output.text(document) == normalised


# --- figures 2 to 4, and "Must hold" 3 -----------------------------------------------------------

ABC = "http://www.abc.es/abc/fijas/nacional/006pa00.asp"
EL_PAIS = """<HTML><HEAD><TITLE>EL PAIS DIGITAL</TITLE>
<META NAME="TITULO" CONTENT="El PSOE busca apoyos en el Congreso para exigir al Reino
 Unido la retirada del 'Tireless'">
<META NAME="FECHA" CONTENT="20001208"></HEAD>
<BODY BGCOLOR="#FFFFFF"><!-- menu --><SCRIPT>menu("<BR>")</SCRIPT>
<BR><BR>
<FONT SIZE=4>

  El PSOE busca apoyos en el Congreso para exigir al Reino Unido la retirada del submarino </FONT>
 <P> Zapatero afirma que la actuación del Gobierno "es un monumento a la incompetencia"  \t
 <P><I>A.DÍEZ/P.EGURBIDE,</I>
 Madrid/Niza
 <BR> La revelación del presidente del Gobierno, José María Aznar, … tiene ahora que obtener \
resultados". <BR><BR>
</BODY></HTML>"""
A_B_C = """<html><head><title>ABC</title></head><body><table><tr><td>Portada<td>
<titulo>PP y PSOE se comprometen a acabar con ETA y cualquier intento de darle «legitimación política»
</titulo><firma></firma>
<entradilla>El pacto «por las libertades… y llama a todos los demócratas a «compartir estos \
principios».<br></entradilla>
<texto>
<p>MADRID. <b>Gonzalo López Alba</b></p>
<p>El acuerdo entre el PP y el PSOE… Rodríguez Zapatero.</p>
<p>El documento… todos los demócratas».</p>
</texto></table></body></html>"""
EL_MUNDO = """<HTML><HEAD><TITLE>ESPAÑA | PP y PSOE cierran el acuerdo contra el terrorismo de ETA.  \
Exigen al PNV la «ruptura formal» con Estella y sus organismos</TITLE></HEAD>
<BODY><TABLE><TR><TD>Portada</TD><TD>
<DIV>ESPAÑA. PP y PSOE exigen al PNV la «ruptura formal» … contra el terrorismo de ETA.</DIV>
</TABLE></BODY></HTML>"""


def test_figure_2() -> None:
    # Its address is of another section, and meets no pattern of figure 1.
    read = figure_1()
    (rule,) = (rule for rule in read.urls if rule.site == "Diario El Pais")
    url = "http://www.elpais.es/p/d/20001208/espana/retirada.htm"
    assert read.find(url, EIGHTH) is None
    values = {**macros.of_date(EIGHTH), macros.URL: url}
    document = reading.read_by(read, rule, values, EL_PAIS, EIGHTH)
    assert output.text(document) == printed("figure-2.txt")


def test_figure_3() -> None:
    assert text_of(A_B_C, ABC, NINTH, "Nacional") == printed("figure-3.txt")


def test_figure_4() -> None:
    url = "http://www.elmundo.es/diario/espana/09N0001.html"
    assert text_of(EL_MUNDO, url, NINTH, "Nacional") == printed("figure-4.txt")


def test_sections_in_page_order_after_what_is_appended_and_empty_ones_too() -> None:
    html = (
        "<titulo>T</titulo><firma></firma><entradilla>E<br></entradilla>"
        "<texto><p>A</p><p>B</p></texto>"
    )
    assert text_of(html, ABC, NINTH, "Nacional") == (
        f".FECHA\n12-09-2000\n\n.LINK\n{ABC}\n\n.PERIODICO\nABC\n\n.SECCION\nNacional\n\n.TITULO\nT\n\n"
        ".AUTOR\n\n.ENTRADILLA\nE<br>\n\n.CUERPO\n<p>A</p><p>B</p>\n\n"
    )


def test_the_other_form() -> None:
    document = reading.read_page(figure_1("Nacional"), A_B_C, ABC, NINTH)
    assert document
    assert "<AUTOR></AUTOR>\n<ENTRADILLA>El pacto" in output.xml([document])
    assert "principios».&lt;br&gt;</ENTRADILLA>\n<CUERPO>&lt;p&gt;MADRID." in output.xml([document])


# --- tags as the page spells them ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("a<BR>b<br/>c<Br CLEAR=all >d", "a<BR>b<br/>c<Br CLEAR=all >d"),
        ("<P>a<P>b</P><P class='>'>c", "<P>a<P>b</P><P class='>'>c"),
        ("a</P >b", "a</P >b"),
        ("<b>a<p>b</b></p>c", "a<p>b</p>c"),
        ("<!-- <br> --><!--0-->a<br><!--1-->", "a<br>"),
        (f"<!--²-->a<br><!x <br>--><!--{'9' * 5000}-->", "a<br>-->"),
        ("<script>'<br>'</script>a<textarea><br></textarea>", "a<br>"),
        ("<p><a title='<br>'>a</a><br title='<p>'>", "<p>a<br title='<p>'>"),
        ("a<br", "a"),
        ("a<p title='b<br>c", "a"),
        ("<table><tr><td>a<br><td>b</table>", "a<br>\nb"),
        ("<strong>a<i>b</i></STRONG>", "<strong>a<i>b</i></STRONG>".replace("<i>b</i>", "b")),
    ],
)
def test_ignored_tags_stay_as_they_are_spelt(body: str, kept: str) -> None:
    document = reading.read_page(figure_1(), f"<texto>{body}</texto>", ABC, NINTH)
    assert document
    assert document.sections[-1].marked == kept
