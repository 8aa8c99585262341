"""Specifications: levels and inheritance, macros, the schema's errors, and hostile files."""

from __future__ import annotations

import socket
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.methods.webreader import macros, specification
from bench.methods.webreader.specification import Specification, SpecificationError

NINTH = date(2001, 9, 9)


def spec(sites: str, outer: str = "") -> Specification:
    return specification.read(f"<webreader>{outer}{sites}</webreader>".encode())


def one_url(pattern: str, site: str = "", link: str = "") -> Specification:
    return spec(f'<site name="a"{site}><link{link}><URL pattern="{pattern}"/></link></site>')


def translate(tag: str, section: str, attributes: str = "") -> str:
    return f"<translate><tag_in{attributes}>{tag}</tag_in><tag_out>{section}</tag_out></translate>"


# --- which rule is for an address ---------------------------------------------------------------


def test_the_issues_example_of_a_pattern() -> None:
    read = one_url("$DD$N0")
    assert read.find("http://diario.example/09N0001.html", NINTH)
    assert not read.find("http://diario.example/10N0001.html", NINTH)
    assert not read.find("http://diario.example/09X0001.html", NINTH)


def test_without_a_day_a_macro_stands_for_any_and_keeps_its_value() -> None:
    read = one_url("/$YYYY$/$MM$/$DD$/n$YYYY$-")
    found = read.find("http://d.example/1999/12/31/n1999-7.html")
    assert found
    assert {"YYYY": "1999", "MM": "12", "DD": "31"}.items() <= found[1].items()
    assert not read.find("http://d.example/1999/12/31/n2000-7.html")
    assert not read.find("http://d.example/1999/13/31/n1999-7.html")


def test_site_and_link_narrow_what_a_url_is_for() -> None:
    read = one_url("$URL$n", site=' url="//d.example/"', link=' url="$URL$deportes/"')
    assert read.find("http://d.example/deportes/n1.html")
    assert not read.find("http://d.example/n1.html")
    assert not read.find("http://e.example/deportes/n1.html")


def test_a_date_known_from_the_site_holds_for_the_url() -> None:
    read = one_url("p$DD$", site=' url="/$DD$/"')
    assert read.find("http://d.example/09/p09.html")
    assert not read.find("http://d.example/09/p10.html")


def test_the_first_rule_in_the_file_is_taken() -> None:
    read = spec(
        '<site name="a"><link><URL pattern="/n/1"/><URL pattern="/n/"/></link></site>'
        '<site name="b"><link><URL pattern="/n"/></link></site>'
    )
    names = [read.find(f"http://d.example{path}") for path in ("/n/1", "/n/2", "/news", "/x")]
    assert [found and (found[0].site, found[0].line) for found in names[2:]] == [("b", 1), None]
    first, second = names[:2]
    assert first
    assert first[0] is read.urls[0]
    assert second
    assert second[0] is read.urls[1]


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_text_without_macros_is_filled_with_nothing_and_found_in_itself(text: str) -> None:
    template = macros.template(text.replace("$", "$$"))
    assert template.fill({}) == text
    assert template.find(f"before {text} after", {}) == {}


@given(st.dates(min_value=date(1000, 1, 1)), st.text("/abc-", max_size=5))
def test_a_pattern_filled_on_a_day_is_found_on_that_day_and_on_any(day: date, text: str) -> None:
    template = macros.template(f"{text}$DD$$MM$-$YYYY${text}")
    address = "http://d.example/" + template.fill(macros.of_date(day))
    assert template.find(address, macros.of_date(day)) == macros.of_date(day)
    assert template.find(address, {}) is not None


def test_what_a_macro_brings_in_is_not_searched_for_macros() -> None:
    assert macros.template("a $URL$ b").fill({"URL": "$URL$ $DD$"}) == "a $URL$ $DD$ b"


# --- inheritance --------------------------------------------------------------------------------

LEVELS = ("webreader", "site", "link", "URL")


def nested(rules: dict[str, str]) -> Specification:
    formats = {level: f"<format>{rules.get(level, '')}</format>" for level in LEVELS}
    return spec(
        f'<site name="a">{formats["site"]}<link>{formats["link"]}'
        f'<URL pattern="x">{formats["URL"]}</URL></link></site>',
        formats["webreader"],
    )


@pytest.mark.parametrize("level", LEVELS)
def test_a_rule_of_any_level_comes_down_to_the_url(level: str) -> None:
    rules = nested({level: translate("p", "CUERPO")}).urls[0].rules
    found = rules.content("p", {})
    assert found
    assert found.section == "CUERPO"


@pytest.mark.parametrize("outer", range(3))
def test_the_more_local_rule_wins_for_the_same_tag(outer: int) -> None:
    for inner in range(outer + 1, 4):
        both = {LEVELS[outer]: translate("p", "FUERA"), LEVELS[inner]: translate("p", "DENTRO")}
        rules = (
            nested({**both, "site": both.get("site", "") + translate("b", "OTRO")}).urls[0].rules
        )
        found, other = rules.content("p", {}), rules.content("b", {})
        assert found
        assert found.section == "DENTRO"
        assert other
        assert other.section == "OTRO", "a rule for another tag is untouched"


def test_locality_wins_over_a_condition_and_over_the_kind_of_rule() -> None:
    rules = nested(
        {
            "webreader": translate("td", "MENU", ' attr_name="class" attr_value="menu"'),
            "URL": "<ignore>td</ignore>" + translate("i", "X"),
            "site": "<ignore>i</ignore>",
        }
    ).urls[0].rules  # fmt: skip
    ignored, translated = rules.content("td", {"class": "menu"}), rules.content("i", {})
    assert ignored
    assert ignored.section is None
    assert translated
    assert translated.section == "X"


def test_within_a_level_a_value_wins_over_an_attribute_and_that_over_the_tag() -> None:
    rules = (
        nested(
            {
                "site": translate("td", "TAG")
                + translate("td", "ATTRIBUTE", ' attr_name="class"')
                + translate("td", "VALUE", ' attr_name="class" attr_value="a  b"')
            }
        )
        .urls[0]
        .rules
    )
    given_to = [rules.content("td", a) for a in ({}, {"class": "c"}, {"class": "b x a"})]
    assert [found and found.section for found in given_to] == ["TAG", "ATTRIBUTE", "VALUE"]


def test_appended_text_target_and_processing_are_inherited_and_the_local_ones_win() -> None:
    text = "<append><tag_out>F</tag_out><text>{}</text></append>"
    read = spec(
        f'<site name="a" process_links="yes"><format>{text.format("site")}</format>'
        '<target append="yes">all.txt</target><link process_content="no"><URL pattern="x"/></link>'
        f'<link><URL pattern="y" process_links="no"><format>{text.format("url")}</format>'
        "<target>y.txt</target></URL></link></site>"
    )
    x, y = read.urls
    assert (x.process_links, x.process_content) == (True, False)
    assert (y.process_links, y.process_content) == (False, True)
    assert [append.text.fill({}) for u in (x, y) for append in u.rules.appends] == [
        "site",
        "site",
        "url",
    ]
    assert [(u.target.name.fill({}), u.target.append) for u in (x, y) if u.target] == [
        ("all.txt", True),
        ("y.txt", False),
    ]


# --- errors -------------------------------------------------------------------------------------

SITE = "<site name='a'><link><URL pattern='x'/></link></site>"
RULE = f"<webreader>\n<format>\n{{}}\n</format>{SITE}</webreader>"
URLS = "<webreader>\n<site name='a'{}>\n<link{}>\n<URL pattern='{}'/></link></site></webreader>"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "no element found"),
        ("<webreader>\n<site>\n</webreader>", 3, "tag mismatch"),
        ("<webreader>\n<sight/></webreader>", 2, "sight"),
        ("<rules/>", 1, "rules"),
        ("<webreader/>", 1, "site"),
        ("<webreader>\n\n<site name='a'/></webreader>", 3, "a link"),
        (RULE.format("<ignore>p</ignore>\n<ignore>P</ignore>"), 4, "line 3"),
        (RULE.format(translate("p", "A B")), 3, "A B"),
        (RULE.format(translate("<p>".replace("<", "&lt;"), "A")), 3, "p>"),
        (RULE.format(translate("p", "A", " attr_value='x'")), 3, "attr_name"),
        (RULE.format(translate("p", "A", " closed='perhaps'")), 3, "perhaps"),
        (RULE.format("<append><tag_out>A</tag_out><text>$DAY$</text></append>"), 3, "$DAY$"),
        (URLS.format("", "", "$DDN0"), 4, "opens no macro"),
        (URLS.format("", "", "$dd$"), 4, "no macro $dd$"),
        (URLS.format("", "", ""), 4, "pattern"),
        (URLS.format("", "", "$URL$x"), 4, "$URL$"),
        (URLS.format("", "", "x" * 3000), 4, "2000 may be"),
        (URLS.format("", "", "a b"), 4, "'a b' is no pattern"),
        ("<webreader>\n<site name='a'><link>\n<URL>\n</URL></link></site></webreader>", 3, "''"),
        ("<webreader>\n<site name='a'>\n<link/></site></webreader>", 3, "Expected is one of"),
        (RULE.format("<append>TITULO: x</append>"), 3, "'TITULO:' is no name of a section"),
        (RULE.format("<append/>"), 3, "'' is no name of a section"),
        (RULE.format(translate("br", "A", " closed='false'")), 3, "attr_get"),
        (f"<webreader><format/>\n{SITE}\n<format/></webreader>", 3, "a second format"),
        (f"<webreader>{SITE}\n<file>../$X$</file></webreader>", 1, "no macro $X$"),
    ],
)
def test_an_error_names_file_line_and_what_is_wrong(text: str, line: int, reason: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        specification.read(text.encode(), "sites.xml")
    assert str(caught.value).startswith(f"sites.xml, line {line}: ")
    assert reason in caught.value.reason
    assert "\n" not in str(caught.value)


BOMB = (
    '<?xml version="1.0"?>\n<!DOCTYPE webreader [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    + "]>\n<webreader>&a11;</webreader>"
)


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        '<!DOCTYPE webreader [<!ENTITY a "&b;"><!ENTITY b "&a;">]><webreader>&a;</webreader>',
        '<!DOCTYPE webreader SYSTEM "http://example.org/w.dtd" [<!ENTITY a "b">]><webreader/>',
        '<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]><webreader>&x;</webreader>',
        '<!DOCTYPE w [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><webreader/>',
        '<!DOCTYPE webreader [<!ATTLIST site name CDATA "x">]><webreader/>',
    ],
    ids=["bomb", "loop of entities", "DTD", "external entity", "parameter entity", "default"],
)
@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_declarations_are_refused_before_anything_in_them_is_read(text: str, codec: str) -> None:
    if codec == "utf-16":
        text = text.removeprefix('<?xml version="1.0"?>\n')
    with pytest.raises(SpecificationError, match="document type"):
        specification.read(text.encode(codec))


@pytest.mark.parametrize("place", ["<ignore>&secret;</ignore>", "<append>.A\n&secret;</append>"])
def test_an_external_document_type_is_named_and_never_read(tmp_path: Path, place: str) -> None:
    dtd = tmp_path / "webreader.dtd"
    dtd.write_text('<!ENTITY secret "b"><!ATTLIST site process_links CDATA "yes">')
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        for system in (dtd.as_uri(), str(dtd), f"http://127.0.0.1:{server.getsockname()[1]}/"):
            kind = f'<!DOCTYPE webreader PUBLIC "-//x" "{system}">\n<webreader>\n'
            read = specification.read(f"{kind}{SITE}</webreader>".encode())
            assert not read.urls[0].process_links
            for text in (f"<format>{place}</format>{SITE}", SITE.replace("'x'", "'&secret;'")):
                with pytest.raises(SpecificationError, match=r"line [34]: Entity 'secret' not def"):
                    specification.read(f"{kind}{text}</webreader>".encode())
        with pytest.raises(TimeoutError):
            server.accept()


@pytest.mark.parametrize(
    ("sites", "reason"),
    [
        ('<site name="a"><link><URL pattern="x"><site name="a"/></URL></link></site>', "site"),
        ('<site name="a"><site name="a"><link/></site></site>', "site"),
        ('<site name="a" url="$URL$"><link><URL pattern="$URL$"/></link></site>', "$URL$"),
    ],
    ids=["a site below its own URL", "a site in a site", "an address based on itself"],
)
def test_no_level_can_inherit_from_itself(sites: str, reason: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        spec(sites)
    assert reason in caught.value.reason


def test_macros_cannot_be_a_bomb() -> None:
    with pytest.raises(SpecificationError, match="characters; 10000 may be"):
        one_url("$URL$" * 300, site=f' url="{"x" * 1900}"', link=f' url="{"$URL$" * 300}"')


def test_too_deep_too_large_or_no_text_at_all() -> None:
    for data in (
        b"<webreader>" * 5000,
        bytes(range(256)),
        b" " * (specification.LARGEST_BYTES + 1),
    ):
        with pytest.raises(SpecificationError):
            specification.read(data)


def test_an_encoding_that_there_is_not() -> None:
    with pytest.raises(SpecificationError, match="unknown encoding"):
        specification.read(b'<?xml version="1.0" encoding="nosuch"?><webreader/>')
