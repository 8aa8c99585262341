"""Fallback chains: what words mean, whose text is taken, and what they cost on real workers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bench
from bench.adapters import chain, registry
from bench.methods.ensembles.chain import Chain, consulted
from bench.model import UsageError
from tests.conftest import html_of, write_pages

TEXTS = st.lists(st.text("a ", max_size=12), min_size=2, max_size=4)


@pytest.mark.parametrize(
    ("word", "members", "least_words"),
    [
        ("a>b", ["a", "b"], [1]),
        ("a>50>b:fast+clean@2", ["a", "b:fast+clean@2"], [50]),
        ("a>b>9>c", ["a", "b", "c"], [1, 9]),
    ],
)
def test_words(word: str, members: list[str], least_words: list[int]) -> None:
    assert chain.parts(word) == (members, least_words)


@pytest.mark.parametrize("word", ["a>", ">a", "a>>b", "a>50", ">"])
def test_words_that_are_no_chain(word: str) -> None:
    with pytest.raises(UsageError, match="write a chain as"):
        chain.parts(word)


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("html_text>html_text", "twice"),
        ("gold>html_text", "gold may not"),
        ("html_text>vote", "vote may not"),
        ("html_text>trafilatura:*", "name one"),
        ("html_text>html_txt", "html_text"),
    ],
)
def test_what_no_chain_is_made_of(word: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        registry.rows([word])


def test_a_row_is_named_as_it_is_written() -> None:
    first, second = registry.rows(["html_text>1>nothing", "html_text>20>nothing"])
    assert (first.label, second.label) == ("html_text>nothing", "html_text>20>nothing")
    assert [member.label for member in first.members] == ["html_text", "nothing"]
    assert first.key != second.key
    assert registry.rows([second.label]) == [second]


@given(TEXTS, st.lists(st.integers(1, 4), min_size=3, max_size=3))
def test_the_text_is_the_first_that_is_long_enough(texts: list[str], least: list[int]) -> None:
    least = least[: len(texts) - 1]
    own = Chain()
    own.load(least)
    asked = consulted(texts, least)
    assert own.combine(dict(enumerate(texts))) == texts[asked - 1]  # type: ignore[arg-type]
    assert all(
        len(text.split()) < few for text, few in zip(texts[: asked - 1], least, strict=False)
    )
    assert asked == len(texts) or len(texts[asked - 1].split()) >= least[asked - 1]


def test_a_chain_costs_what_it_asks_and_competes(tmp_path: Path) -> None:
    pages = {f"page{at}": (html_of(f"<p>{'word ' * 9}</p>"), "word " * 9) for at in range(3)}
    folder = write_pages(tmp_path / "pages", pages)
    chains = ["html_text>nothing", "nothing>html_text", "html_text>50>nothing"]
    run = bench.run(chains, gold=f"folder:{folder}", results=tmp_path / "results")
    cells = run.cells().set_index(["label", "page"])
    assert run.texts("html_text>nothing") == run.texts("html_text")
    assert run.texts("nothing>html_text") == run.texts("html_text")
    assert set(run.texts("html_text>50>nothing").values()) == {""}
    for page in pages:
        wall = {label: cells.loc[(label, page), "wall_s"] for label in (*chains, "html_text")}
        assert all(wall["html_text"] < wall[label] for label in chains)
    lines = {line.label: line for line in run.board.lines}
    assert all(lines[label].standing for label in chains)
    assert not lines["nothing"].standing
