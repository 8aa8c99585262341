"""What is printed of releases, published tables, slices and metrics, compared with golden files."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from bench.report import history, markdown, reproduction, terminal
from bench.runs.store import runs
from bench.scoring.published import Agreement, Published, Texts
from tests.cli.test_gold_lint import held_against_golden
from tests.cli.test_history import made as releases
from tests.conftest import BenchCli

WIDTHS = (80, 120)
TABLE = Published("https://example.org/table", "r" * 40, 4, ("lxml==5.4.0",), ())
AGREEMENTS = [
    Agreement("trafilatura@2.0.0", 0.9575, 0.9575, equal=True, texts=Texts(181, 0, ())),
    Agreement("justext:aeb@3.0.2", 0.8038, 0.8038, equal=True, texts=Texts(179, 0, ("p1", "p2"))),
    Agreement("xpath@5.4.0", 0.3942, 0.4001, equal=False, texts=None),
    Agreement("goose3@3.1.20", 0.8964, None, equal=False, texts=None, problem="it is <gone>"),
]


def printed(show: Callable[[Console], None], width: int) -> str:
    out = io.StringIO()
    show(Console(file=out, width=width, color_system=None))
    return out.getvalue()


@pytest.mark.parametrize("width", WIDTHS)
def test_history_on_a_terminal(width: int) -> None:
    shown = printed(lambda console: terminal.show(history.document(releases()), console), width)
    held_against_golden(f"history-{width}.txt", shown)


def test_history_as_markdown() -> None:
    held_against_golden(
        "history.md", markdown.render(history.document(releases()), narrow=history.NARROW)
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_reproduced_on_a_terminal(width: int) -> None:
    shown = printed(
        lambda console: terminal.show(reproduction.document(TABLE, AGREEMENTS), console), width
    )
    held_against_golden(f"reproduced-{width}.txt", shown)


def test_reproduced_as_markdown() -> None:
    held_against_golden(
        "reproduced.md",
        markdown.render(
            reproduction.document(TABLE, AGREEMENTS, "A table"), narrow=reproduction.NARROW
        ),
    )


def test_slices_and_metrics(bench_cli: BenchCli, finished: Path) -> None:
    (run,) = runs.all_runs(finished / "results")
    verbs = {
        "slices": ("leaderboard", "--by", "length"),
        "metrics": ("metrics", "--metric", "ngram,bow,lcs"),
    }
    for name, words in verbs.items():
        for width in WIDTHS:
            done = bench_cli(*words, cwd=finished, env={"COLUMNS": str(width)})
            assert done.returncode == 0, done.stderr
            said = done.stdout.replace(run.id, "RUN").replace(str(finished), "/folder")
            held_against_golden(f"{name}-{width}.txt", said)
