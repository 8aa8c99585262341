"""How words and glued words part as a corpus grows."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.corpus.growth import growth
from bench.corpus.store import DONE, Entry, Store
from bench.model import UsageError


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A corpus of four texts: a glued form that stays rare while its words become frequent."""
    store = Store(tmp_path / "corpus", make=True)
    with store.writing():
        store.begin("here", {}, anew=True)
        for number, extra in enumerate(("gramaticacuando", "gramaticacuando", "él", "él")):
            with store.document():
                text = f"Gramatica y cuando: gramatica, cuando. {extra}"
                store.add(Entry(f"u{number}", f"p{number}", DONE), text)
        store.finish()
    return store


def test_sizes(store: Store) -> None:
    sizes = growth(store, [1, 2])
    assert [(s.texts, s.words, s.distinct_words, s.glued, s.ratio) for s in sizes] == [
        (1, 6, 4, 1, 2.0),
        (2, 12, 4, 1, 2.0),
        (4, 24, 5, 1, 4.0),
    ]
    assert [size.below for size in sizes] == [0.0, 0.0, 0.0]


def test_more_than_there_is(store: Store) -> None:
    with pytest.raises(UsageError, match="has 4 texts"):
        growth(store, [5])


def test_words_that_wait_are_counted_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before = dict(store.words())
    killed = Store(store.folder)
    with killed.writing():
        monkeypatch.setattr(killed, "_count", lambda: None)
        with killed.document():
            killed.add(Entry("more", "more", DONE), "gramatica nueva")
    assert dict(store.words()) == before
    with Store(store.folder).writing():
        pass
    wanted = before | {"gramatica": before["gramatica"] + 1, "nueva": 1}
    assert dict(store.words()) == wanted
    with Store(store.folder).writing():
        pass
    assert dict(store.words()) == wanted
