"""Pages without main content: who returns nothing there, and what that leaves of the others."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

import bench
from bench.scoring.abstention import Abstention
from tests.conftest import html_of, write_pages

TEXT = "The old ferry crossed the river twice a day until the bridge was built"
PAGES = {f"page{at}": (html_of(f"<p>{TEXT}</p>"), TEXT) for at in range(3)}
EMPTY = {f"none{at}": (html_of("<p>Sign in</p>"), "") for at in range(4)}
RIGHT = dict.fromkeys(PAGES, TEXT)


@pytest.fixture
def abstentions(tmp_path: Path) -> dict[str, Abstention | None]:
    folder = write_pages(tmp_path / "pages", PAGES | EMPTY)
    systems = {
        "silent": RIGHT,
        "loud": RIGHT | dict.fromkeys(EMPTY, "Sign in"),
        "half": RIGHT | {"none0": "one", "none1": "one two three"},
    }
    board = bench.score(systems, f"folder:{folder}").board
    return {line.label: line.abstention for line in board.lines}


def test_who_returns_nothing_where_there_is_nothing(
    abstentions: dict[str, Abstention | None],
) -> None:
    shown = {
        label: own and (own.pages, own.share, own.words, own.elsewhere.value)
        for label, own in abstentions.items()
    }
    assert shown == {
        "silent": (4, 1.0, None, 1.0),
        "loud": (4, 0.0, 2.0, 1.0),
        "half": (4, 0.5, 2.0, 1.0),
    }


def test_no_share_is_certain(abstentions: dict[str, Abstention | None]) -> None:
    for own in abstentions.values():
        assert own
        assert 0 <= own.lo <= own.share <= own.hi <= 1
        assert own.hi - own.lo > 0.3


def test_where_every_page_has_content_nothing_is_said(tmp_path: Path) -> None:
    folder = write_pages(tmp_path / "pages", PAGES)
    (line,) = bench.score({"a": RIGHT}, f"folder:{folder}").board.lines
    assert line.abstention is None


def test_texts_of_a_run_are_opened_once_for_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bench_home: Path
) -> None:
    folder = write_pages(tmp_path / "pages", PAGES | EMPTY)
    rows = ["html_text", "everything", "inscriptis"]
    run = bench.run(rows, f"folder:{folder}", results=tmp_path / "results")
    real, opened = pq.ParquetFile, []

    def noting(path: Path, **options: bool) -> pq.ParquetFile:
        opened.append(path.name)
        return real(path, **options)

    monkeypatch.setattr(pq, "ParquetFile", noting)
    lines = run.board.lines
    assert all(line.abstention and line.abstention.words for line in lines)
    # Once to score, once to rank.
    assert opened.count("texts.parquet") <= 2
