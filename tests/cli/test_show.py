"""``bench show``: a stored page's scores and marked texts, inert whatever they hold."""

from __future__ import annotations

import io
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from bench.api import RowOnPage
from bench.cli.show import _table, command
from bench.model import BenchError, Outcome
from bench.report import terminal
from tests import reported
from tests.conftest import BenchCli
from tests.unit.test_reports import held_against_golden


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reported.results(tmp_path_factory)


def show(results: Path, *words: str, **env: str) -> Result:
    done = CliRunner().invoke(
        command,
        [*words, "--results", str(results)],
        env={"NO_COLOR": None, "FORCE_COLOR": None, "COLUMNS": "80", **env},
        standalone_mode=False,
    )
    if isinstance(done.exception, BenchError):
        return done
    assert done.exception is None, done.exception
    return done


def facts(results: Path, *words: str) -> dict[str, Any]:
    return dict(json.loads(show(results, *words, "--json").stdout))


def unsafe(text: str) -> set[str]:
    kinds = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    return {c for c in text if unicodedata.category(c) in kinds and c != "\n"}


def test_every_row_best_first(results: Path) -> None:
    text = show(results, "ferry-t").stdout
    rows = [line.split() for line in text.splitlines()]
    names = [
        row[0] for row in rows if row and row[0] in {"gold", "everything", "stranger", "fails"}
    ]
    assert names == ["gold", "everything", "stranger", "fails"]
    found = {row[0]: row for row in rows if row}
    assert found["gold"][3] == "100.0"
    assert found["fails"][-2] == "error"
    assert "ferry-two" in text.splitlines()[0]
    assert max(map(len, text.splitlines()[4:])) <= 80


@pytest.mark.parametrize("width", [80, 120])
def test_table_golden(width: int) -> None:
    def row(label: str, f1: float | None, outcome: str, wall_s: float, kind: str) -> RowOnPage:
        figures = {"precision": f1, "recall": f1, "f1": f1, "accuracy": f1, "exact": 0.0}
        return RowOnPage(label, "1.0", kind, Outcome(outcome), figures, wall_s, "", "")

    rows = [
        row("gold", 1.0, "ok", 0.0, "control"),
        row("a-name-as-long-as-they-come:and-its-variant@12.34.56+filtered", 0.987, "ok", 1.5, ""),
        row("[bold]\x1b[31mred\u202e<script>", 0.5, "timeout", 30.0, ""),
        row("nothing-known", None, "error", 0.012, ""),
    ]
    stream = io.StringIO()
    terminal.show([_table(rows)], Console(file=stream, width=width, color_system=None))
    held_against_golden(f"show-{width}.txt", stream.getvalue())


def test_the_marked_difference(results: Path) -> None:
    text = show(results, "ferry", "stranger", "fails", "gold").stdout
    assert f"[-{reported.GOLD[60:].strip()}-]" in text
    assert "{+31mred[0m" in text, "the escape is gone, its letters stay"
    assert "ValueError" in text
    assert text.index("gold ") < text.index("stranger") < text.index("fails:")


def test_json_has_figures_and_spans(results: Path) -> None:
    found = facts(results, "ferry", "stranger")
    (row,) = found["rows"]
    assert (found["page"], row["extractor"], row["outcome"]) == ("ferry", "stranger", "ok")
    assert row["figures"]["f1"] == pytest.approx(
        2 / (1 / row["figures"]["precision"] + 1 / row["figures"]["recall"])
    )
    kept = "".join(each["text"] for each in row["spans"] if each["kind"] != "missing")
    assert kept == row["text"], "same and surplus are the extraction"
    assert all("text" not in each for each in facts(results, "ferry")["rows"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fer", "gold"], "2 pages of"),
        (["nowhere"], "has no page 'nowhere'"),
        (["ferry", "strangr"], "did you mean stranger"),
        (["ferry", "--run", "1999"], "no run begins with"),
    ],
)
def test_what_is_not_there(results: Path, words: list[str], said: str) -> None:
    done = show(results, *words)
    assert isinstance(done.exception, BenchError)
    assert said in str(done.exception)


@pytest.mark.parametrize("words", [["=SUM"], ["=SUM", "stranger", "--full"], ["ferry", "fails"]])
@pytest.mark.parametrize("width", ["80", "120"])
def test_strangers_texts_are_inert(results: Path, words: list[str], width: str) -> None:
    text = show(results, *words, COLUMNS=width).stdout
    assert unsafe(text) == set()
    if "stranger" in words:
        assert "<script>alert(1)</script>" in text, "shown as it is"
        assert "[bold]x[/bold]" in text, "not taken for markup"
        assert "w" * reported.LONG in text


def test_colours_on_a_terminal_alone(results: Path) -> None:
    words = ["ferry", "stranger"]
    coloured = show(results, *words, FORCE_COLOR="1", TERM="xterm-256color").stdout
    assert "\x1b[31m" in coloured
    assert "\x1b[32m" in coloured
    assert "]0;title" in coloured
    assert "\x1b]" not in coloured
    plain = show(results, *words, FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color").stdout
    assert "\x1b[31m" not in plain
    assert "[-" in plain


def test_end_to_end(results: Path, bench_cli: BenchCli) -> None:
    done = bench_cli("show", "ferry-two", "gold", "--results", results)
    assert done.returncode == 0, done.stderr
    assert "F1 100.0" in done.stdout
    wrong = bench_cli("show", "=SUM(A1)<script>\u202ex", "--results", results)
    assert wrong.returncode == 2
    assert unsafe(wrong.stderr) == set()
