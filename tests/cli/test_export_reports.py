"""``bench report --export``: every form of a leaderboard, charts as figures, strangers' names inert.

``BENCH_UPDATE_GOLDEN=1`` writes the golden files again.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.datasets import catalogue
from bench.metrics.bow import Bow
from bench.metrics.ngram import Ngram
from bench.model import Outcome
from bench.report import bibtex, export, forms, latex, tables
from bench.report import leaderboard as report
from bench.report.charts.write import write_charts
from bench.runs.store import runs
from bench.runs.store.runs import RunFolder
from bench.scoring import ranking, scores
from bench.scoring.leaderboard import Leaderboard
from bench.scoring.scores import Scores
from bench.util.display import plain
from tests import reported
from tests.conftest import BenchCli
from tests.unit.test_reports import BOARD, HOSTILE, held_against_golden, hostile, unsafe

# What the escaping may leave: commands of ours with an empty argument, and escaped characters.
_OURS = re.compile(
    r"\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|textquotedbl"
    r"|textasciigrave|textpm|texttimes|ldots|textminus|textbullet)\{\}|\\[{}$&#_%]"
    r"|\{(?:\[|\]|\*|--|)\}|\\ensuremath\{\\(?:rho|uparrow|downarrow)\}|~\\cite\{[A-Za-z0-9,-]+\}"
)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reported.results(tmp_path_factory)


@pytest.fixture(scope="module")
def scored(results: Path) -> tuple[RunFolder, Leaderboard, dict[str, str], list[Scores]]:
    run = runs.find(results, None)
    data_set = catalogue.open_gold(f"folder:{results.parent / 'pages'}")
    found = scores.of_run(run, data_set, [Ngram(), Bow()])
    board = ranking.of_run(run, data_set, found)
    return run, board, {row.label: row.key for row in run.manifest.rows}, found


# -- LaTeX ----------------------------------------------------------------------------------


def test_latex_golden() -> None:
    held_against_golden("leaderboard.tex", report.latex(BOARD))


def assert_inert(text: str) -> None:
    """Nothing that TeX acts on is left once our own commands are taken out."""
    rest = _OURS.sub("", text)
    assert not set(rest) & set('\\{}$&#^_%~<>|"`[]*'), rest
    assert unsafe(text) == set()
    assert "---" not in rest


@given(st.text())
def test_latex_escape(text: str) -> None:
    shown = latex.escape(text)
    assert "\n" not in shown
    assert_inert(shown.replace("{--}", "").replace("~", "").replace("``", "").replace("''", ""))


@given(st.text(alphabet="-'a", max_size=8))
def test_latex_has_no_ligatures_of_strangers(text: str) -> None:
    shown = latex.escape(text)
    assert "--" not in shown
    assert "''" not in shown
    assert shown.replace("{}", "") == plain(text)


def test_latex_cuts_what_is_too_long_for_tex() -> None:
    assert len(latex.escape("w" * 1_000_000)) < latex.LONGEST + 20


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_names_in_latex(kind: str) -> None:
    text = report.latex(hostile(HOSTILE[kind]))
    assert unsafe(text) == set()
    cells = [line.strip() for line in text.splitlines() if line.endswith(r" \\")]
    assert len(cells) == 1 + len(hostile("x").lines)
    columns = {len(re.split(r"(?<!\\)&", line)) for line in cells}
    assert len(columns) == 1, "no cell is split"
    for line in cells:
        for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\")):
            assert_inert(cell.strip())
    for command in ("begin", "end", "caption", "label"):
        assert text.count(f"\\{command}{{") == {"begin": 2, "end": 2}.get(command, 1)


def test_latex_prints_no_warning_and_says_it_in_comments() -> None:
    text = report.latex(BOARD)
    comments = "\n".join(line for line in text.splitlines() if line.startswith("%"))
    printed = text.replace(comments, "")
    for words in ("Warning", "Not run", "blocked"):
        assert words in comments
        assert words not in printed


def test_every_key_of_latex_is_in_bibtex(
    scored: tuple[RunFolder, Leaderboard, dict[str, str], list[Scores]],
) -> None:
    run, board, _, _ = scored
    cited = {
        key
        for keys in re.findall(r"\\cite\{([^}]*)\}", report.latex(board))
        for key in keys.split(",")
    }
    entries = re.findall(r"^@misc\{([^,]*),$", bibtex.render(board, run.manifest.rows, ""), re.M)
    assert len(entries) == len(set(entries))
    assert cited <= set(entries)


@given(st.text(), st.text())
def test_bibtex_stays_whole_whatever_a_card_says(title: str, citation: str) -> None:
    board = replace(BOARD, gold={**BOARD.gold, "name": title, "title": title})
    text = bibtex.render(board, [], citation)
    assert text.count("{") == text.count("}")
    assert unsafe(text) == set()
    assert len(re.findall(r"^@", text, re.M)) == 3
    depth = 0
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0


def test_citations_of_cards_and_metrics_become_fields() -> None:
    cited = "Sun, Fei; Song, Dandan (2011): Text Density. SIGIR 2011, 245. https://doi.org/1"
    cited += "; in the form of X"
    text = bibtex.render(BOARD, [], cited)
    assert "author = {Sun, Fei and Song, Dandan}," in text
    assert "title = {Text Density}," in text
    assert "year = {2011}," in text
    assert "note = {SIGIR 2011, 245}," in text
    assert "url = {https://doi.org/1}," in text


# -- pages ----------------------------------------------------------------------------------


def test_pages_are_tidy(
    scored: tuple[RunFolder, Leaderboard, dict[str, str], list[Scores]],
) -> None:
    run, board, keys, found = scored
    table = tables.pages(run, board, keys, found)
    figures = sum(len(each.metric.figures) for each in found)
    assert len(table) == len(board.lines) * len(reported.IDS) * figures
    by = ["extractor", "page", "metric", "figure"]
    assert not table.duplicated(by).any()
    assert set(table["outcome"]) <= {each.value for each in Outcome}
    # The mean over a row's pages is the figure on the leaderboard.
    for line in board.lines:
        own = table[(table["extractor"] == line.label) & (table["metric"] == "ngram")]
        for name in ("accuracy", "recall", "page_f1"):
            mean = own.loc[own["figure"] == name, "value"].mean()
            assert mean == pytest.approx(line.figures[name].value), (line.label, name)
        cells = run.cells()
        walls = cells[cells["row"] == keys[line.label]].set_index("page")["wall_s"]
        one = own[own["figure"] == "recall"].set_index("page")["wall_s"]
        assert dict(one) == dict(walls)


def test_pages_csv_has_no_formula(
    scored: tuple[RunFolder, Leaderboard, dict[str, str], list[Scores]],
) -> None:
    run, board, keys, found = scored
    table = tables.pages(run, board, keys, found)
    text = tables.csv(table, table.itertuples(index=False, name=None))
    assert unsafe(text) == set()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert "'=SUM(A1)<script>" in {row["page"] for row in rows}
    texts = ("run", "gold", "page", "extractor", "version", "metric", "figure", "outcome")
    assert not [
        row for row in rows if any(row[name][:1] in "=+-@\t" and row[name] for name in texts)
    ]


def test_two_names_that_look_the_same_stay_two_rows() -> None:
    table = pd.DataFrame({name: ["x\u202e", "x"] for name in tables._TEXTS}).astype("category")
    rows = tables.csv(table, table.itertuples(index=False, name=None)).splitlines()
    assert rows[1] == rows[2] == ",".join(["x"] * len(tables._TEXTS))


# -- every form -----------------------------------------------------------------------------


def test_forms_agree(
    scored: tuple[RunFolder, Leaderboard, dict[str, str], list[Scores]], tmp_path: Path
) -> None:
    run, board, keys, found = scored
    written = export.write(forms.TABLES, run, board, keys, found, "", tmp_path)
    assert sorted(path.name for path in written) == sorted(
        [f"leaderboard.{end}" for end in ("csv", "parquet", "json", "md", "tex", "bib")]
        + ["pages.csv", "pages.parquet"]
    )
    from_csv = pd.read_csv(tmp_path / "leaderboard.csv")
    from_parquet = pd.read_parquet(tmp_path / "leaderboard.parquet")
    from_json = json.loads((tmp_path / "leaderboard.json").read_text(encoding="utf-8"))
    values = [each["f1"]["value"] for each in from_json["extractors"]]
    np.testing.assert_allclose(from_csv["f1"], values)
    np.testing.assert_allclose(from_parquet["f1"], values)
    pages = pd.read_parquet(tmp_path / "pages.parquet")
    np.testing.assert_allclose(pd.read_csv(tmp_path / "pages.csv")["value"], pages["value"])
    assert set(pages["page"]) == set(reported.IDS), "a machine gets the ids as they are"


def test_pdf_figures_are_the_same_each_time(tmp_path: Path) -> None:
    board = replace(BOARD, lines=BOARD.lines[:2])
    for name in ("one", "two"):
        files = write_charts(board, tmp_path / name, ["pdf"])
        assert {path.name for path in files} == {"quality.pdf", "time.pdf", "quality-cost.pdf"}
    for path in files:
        content = path.read_bytes()
        assert content.startswith(b"%PDF-")
        assert b"/JavaScript" not in content
        assert content == (tmp_path / "one" / path.name).read_bytes()


def test_end_to_end(results: Path, bench_cli: BenchCli, tmp_path: Path) -> None:
    words = ["report", "--results", results]
    done = bench_cli(*words, "--export", "latex,csv", "--export", "svg", "--output", tmp_path / "o")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "o").iterdir()}
    assert {"leaderboard.tex", "leaderboard.csv", "pages.csv", "quality.svg"} <= names
    assert "index.html" not in names
    wrong = bench_cli(*words, "--export", "docx")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("bench: --export docx: no such form")
