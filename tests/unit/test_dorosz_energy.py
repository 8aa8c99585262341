"""Node energy: its formulas by hand, and a portal page whose frames must come apart."""

from __future__ import annotations

import justext
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.methods.dorosz import energy
from bench.methods.dorosz import tree as trees

STORY = (
    "<div><h3>{0} at the river</h3><p>The {0} was seen again by those who live beside the water, "
    "and who say that they had waited for it all the winter, by the bridge on {1}.</p></div>"
)
STORIES = "".join(
    STORY.format(what, day)
    for what, day in [
        ("ferry", "Monday"), ("heron", "Tuesday"), ("wheel", "Wednesday"),
        ("miller", "Thursday"), ("lantern", "Friday"), ("raft", "Sunday"),
    ]
)  # fmt: skip
MENU = "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in ("News", "Sport", "Weather"))
OFFERS = "".join(f"<p>Buy {what} today</p>" for what in ("boats", "oars", "ropes"))
PORTAL = f"""<html><body><div id=page>
<div id=head><div><a href='/'>The River Portal</a></div><div>All that floats</div></div>
<div id=columns>
  <div id=menu><ul>{MENU}</ul></div>
  <div id=news><div><div>{STORIES}</div></div></div>
  <div id=offers>{OFFERS}</div>
</div>
<div id=foot><span>Terms and conditions</span> <span>Who we are</span></div>
</div></body></html>"""
"""A portal as the paper has it: frames side by side, one with most of the text, no frame alike."""


def test_the_frames_of_a_portal_come_apart() -> None:
    texts = [each.text for each in energy.coherent(PORTAL)]
    (news,) = [text for text in texts if "ferry" in text]
    assert news.startswith("ferry at the river\n")
    assert news.endswith("by the bridge on Sunday.")
    assert len(news.split("\n")) == 12, "all six stories, and nothing else"
    assert "News\nSport\nWeather" in texts
    assert "Buy boats today\nBuy oars today\nBuy ropes today" in texts
    assert "Terms and conditions Who we are" in texts
    assert max(energy.coherent(PORTAL), key=lambda each: each.energy).text == news


def test_as_printed_the_formula_leaves_a_tree_lower_than_p_in_one_piece() -> None:
    height = trees.parse(PORTAL).height
    (whole,) = energy.coherent(PORTAL, reading=energy.FORMULA, p=height)
    assert "Who we are" in whole.text
    assert "ferry" in whole.text


@pytest.mark.parametrize(
    ("reading", "p", "height", "expected"),
    [
        (energy.FORMULA, 2, 8, 0.25),
        (energy.FORMULA, 12, 8, 1.5),
        (energy.FORMULA, 3, 0, 3.0),
        (energy.PROSE, 2, 8, 0.8),
        (energy.PROSE, 0, 8, 1.0),
        (energy.PROSE, 3, 0, 0.25),
    ],
)
def test_the_share_that_a_step_leaves(reading: str, p: float, height: int, expected: float) -> None:
    assert energy.kept(reading, p, height) == pytest.approx(expected)


@given(p=st.floats(0.1, 50), height=st.integers(1, 500))
def test_the_two_readings_are_opposite(p: float, height: int) -> None:
    assert energy.kept(energy.PROSE, p, height + 1) > energy.kept(energy.PROSE, p, height)
    assert energy.kept(energy.FORMULA, p, height + 1) < energy.kept(energy.FORMULA, p, height)
    assert 0 < energy.kept(energy.PROSE, p, height) < 1


def test_an_unknown_reading_is_refused() -> None:
    with pytest.raises(ValueError, match="there are formula and prose"):
        energy.kept("tall", 1, 1)


def coherent_nodes(tree: trees.Tree, found: list[float], greatest: list[float]) -> list[int]:
    return trees.coherent_nodes(tree, lambda node: greatest[node] <= found[node])


def test_energy_by_hand() -> None:
    tree = trees.parse("<body><div><p>one two</p><p>three four five</p></div><p>six</p></body>")
    assert tree.height == 3
    found, greatest = energy.energies(tree, energy.words, 0.5)
    # In document order: body, div, p, text, p, text, p, text.
    assert found == [0.5 * (0.5 * (1 + 1.5) + 0.5), 1.25, 1.0, 2.0, 1.5, 3.0, 0.5, 1.0]
    assert greatest == [1.25, 1.5, 2.0, 0.0, 3.0, 0.0, 1.0, 0.0]
    # Each element has a child with more; so the texts stand alone.
    assert coherent_nodes(tree, found, greatest) == [3, 5, 7]


def test_a_node_is_coherent_while_no_child_has_more() -> None:
    """With f = 1/2 two equal children make a node as rich as each of them: enough to be whole."""
    tree = trees.parse("<body><p>one two</p><p>three four</p></body>")
    found, greatest = energy.energies(tree, energy.words, 0.5)
    assert found[0] == greatest[0] == 1.0
    assert coherent_nodes(tree, found, greatest) == [0]


def test_every_child_is_looked_at_where_one_has_more() -> None:
    html = (
        "<body><div><p>a b c d</p><p>e f g h</p><p>i j k l</p></div>"
        "<ul><li>Home</li><li>News</li><li>Shop</li></ul></body>"
    )
    tree = trees.parse(html)
    found, greatest = energy.energies(tree, energy.words, 0.5)
    nodes = coherent_nodes(tree, found, greatest)
    assert [tree.read(node).split() for node in nodes] == [
        list("abcdefghijkl"),
        ["Home", "News", "Shop"],
    ]


def test_measures() -> None:
    text = " The mill,\nand the “Weir”. "
    assert energy.characters(text) == 21
    assert energy.words(text) == 5
    stop_list = justext.get_stoplist("English")
    assert energy.words_in(stop_list)(text) == 3
    assert energy.words_in({"weir", "mill"})(text) == 2
    assert energy.words_in(stop_list)(" \n") == energy.words(" ") == energy.characters("\n") == 0


def test_texts_without_energy_still_have_their_place() -> None:
    texts = energy.coherent("<body><p>Ahoj</p><p>the</p></body>", energy.words_in({"the"}))
    assert [each.text for each in texts] == ["Ahoj", "the"]
    assert texts[0].energy == 0.0


def test_energy_that_has_dispersed_leaves_the_top_whole() -> None:
    """As printed, f is 1 in 5,000 here: 100 levels up nothing a float can hold is left."""
    html = "<body>" + "<div>" * 400 + "<p>The bottom.</p>"
    tree = trees.parse(html)
    found, greatest = energy.energies(tree, energy.words, 1 / 5000)
    assert coherent_nodes(tree, found, greatest) == [0]
    (text,) = energy.coherent(html)
    assert text.text == "The bottom."
