"""Link position: a page for each of the paper's rules, and for each way of cutting it wrong."""

from __future__ import annotations

from bench.methods.dorosz import links
from bench.methods.dorosz import tree as trees

SENTENCES = (
    "The old ferry crossed the river twice a day until the bridge was built, and nobody missed "
    "it at first, and then, when the bridge was closed for the winter, everybody did at once, and "
    "stood on the bank and waited for it."
)
"""One large text: 43 words."""


def texts(body: str) -> list[str]:
    return [each.text for each in links.coherent(f"<html><body>{body}</body></html>")]


def test_a_link_is_a_text_of_its_own() -> None:
    assert texts("<div>Written by <a href='/ann'>Ann</a> yesterday</div>") == [
        "Written by",
        "Ann",
        "yesterday",
    ]


def test_an_anchor_without_address_is_no_link() -> None:
    assert texts("<div>Written by <a name='ann'>Ann</a> yesterday</div>") == [
        "Written by Ann yesterday"
    ]


def test_a_large_text_keeps_the_links_inside_its_sentences() -> None:
    linked = SENTENCES.replace("ferry", "<a href='/ferry'>ferry</a>").replace(
        "the bridge was closed", "<a href='/bridge'>the <b>bridge</b></a> was closed"
    )
    assert texts(f"<div><h1>The ferry</h1><p>{linked}</p><p>{SENTENCES}</p></div>") == [
        f"The ferry\n{SENTENCES}\n{SENTENCES}"
    ]


def test_neighbouring_links_inside_a_sentence_are_no_navigation() -> None:
    linked = SENTENCES.replace("old ferry", "<a href='/old'>old</a> <a href='/ferry'>ferry</a>")
    assert texts(f"<p>{linked}</p>") == [SENTENCES]


def test_links_higher_than_a_large_text_bound_it_from_above() -> None:
    body = (
        "<a href='/'>The River</a>"
        f"<div><div><p>{SENTENCES}</p><p>{SENTENCES}</p></div></div>"
        "<div><a href='/next'>Next story</a></div>"
    )
    assert texts(body) == ["The River", f"{SENTENCES}\n{SENTENCES}", "Next story"]


def test_a_link_as_low_as_a_large_text_does_not_bound_it() -> None:
    body = f"<div><p>{SENTENCES}</p><p><a href='/ferry'>The ferry</a></p></div>"
    assert texts(f"<a href='/'>Home</a>{body}") == ["Home", f"{SENTENCES}\nThe ferry"]


def test_a_run_of_links_is_navigation_with_each_link_apart() -> None:
    bar = "<a href='/'>Home</a> | <a href='/news'>News</a> · <a href='/shop'>The shop</a>"
    # As deep as the text, so that only the run tells it apart.
    body = f"<div><p>{bar}</p></div><div><p>{SENTENCES}</p></div>"
    found = texts(body)
    assert [text for text in found if text not in "|·"] == ["Home", "News", "The shop", SENTENCES]


def test_text_between_ends_a_run() -> None:
    body = "<li><a href='/{0}'>{0}</a> by {0}</li>"
    assert not _has_run("".join(body.format(name) for name in ("Ann", "Bob")))
    assert _has_run("<li><a href='/a'>Ann</a></li><li><a href='/b'>Bob</a></li>")


def test_two_links_to_one_place_are_no_run() -> None:
    assert not _has_run("<h3><a href='/a'>Ann</a></h3><p><a href='/a'>more</a></p>")


def test_a_picture_is_no_link() -> None:
    assert texts(f"<div><a href='/big'><img src='x'></a><p>{SENTENCES}</p></div>") == [SENTENCES]


def test_a_link_with_its_teaser_is_one_text_inside_a_structure_of_links() -> None:
    items = "".join(
        f"<li><h3><a href='/{what}'>The {what}</a></h3><p>It is old.</p>"
        f"<a href='/{what}'>Read on</a></li>"
        for what in ("ferry", "bridge", "mill")
    )
    assert texts(f"<ul>{items}</ul>") == [
        f"The {what}\nIt is old.\nRead on" for what in ("ferry", "bridge", "mill")
    ]


def test_a_link_and_a_text_are_no_teaser_outside_a_structure_of_links() -> None:
    assert texts("<div><h3><a href='/f'>The ferry</a></h3><p>It is old.</p></div>") == [
        "The ferry",
        "It is old.",
    ]


def test_without_links_nothing_bounds_the_page() -> None:
    assert texts("<h1>One</h1><div><p>Two</p></div><p>Three</p>") == ["One\nTwo\nThree"]


def test_energy_is_the_number_of_words() -> None:
    found = links.coherent("<body><a href='/'>The river</a><p>One | two, three</p></body>")
    assert [each.energy for each in found] == [2.0, 4.0]


def test_where_a_text_becomes_large() -> None:
    html = "<body><div><p>One <a href='/'>two</a> three four.</p></div></body>"
    assert [each.text for each in links.coherent(html, large=3)] == ["One two three four."]
    assert [each.text for each in links.coherent(html, large=4)] == ["One", "two", "three four."]


def _has_run(body: str) -> bool:
    tree = trees.parse(f"<body>{body}</body>")
    return links.Positions(tree).has_run(0)
