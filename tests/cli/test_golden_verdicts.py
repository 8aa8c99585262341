"""What ``bench compare`` and ``bench check`` print, compared with golden files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.test_check import adapter
from tests.cli.test_compare import write
from tests.cli.test_gold_lint import held_against_golden
from tests.conftest import BenchCli, FolderGold, html_of, text_of

SENTENCE = "Sentence {at} of page {page} tells of the harbour, the ferry and the old bridge."
BODIES = {
    f"page-{page:02}": "".join(f"<p>{SENTENCE.format(at=at, page=page)}</p>" for at in range(6))
    for page in range(12)
}


@pytest.fixture
def gold(folder_gold: FolderGold) -> str:
    pages = {key: (html_of(body, key), text_of(body)) for key, body in BODIES.items()}
    return f"folder:{folder_gold(pages)}"


def told(text: str, tmp_path: Path) -> str:
    """The same on every machine: no folder of this test, no run's id."""
    text = re.sub(r"/\S+/(before|after)\b", r"/folder/\1", text.replace(str(tmp_path), "/folder"))
    return re.sub(r"\d{8}T\d{6}-[\w-]+", "RUN", text)


@pytest.mark.parametrize("width", [80, 100, 120])
def test_compare(bench_cli: BenchCli, gold: str, tmp_path: Path, width: int) -> None:
    whole = {key: text_of(body) for key, body in BODIES.items()}
    less = {
        key: text if at % 3 else text[: len(text) // 2]
        for at, (key, text) in enumerate(whole.items())
    }
    # Named from where the command runs: how long the folder's name is must not fold a line.
    here = tmp_path / "here"
    here.mkdir(exist_ok=True)
    names = [
        write(here / f"{name}.json", t).name for name, t in (("before", whole), ("after", less))
    ]
    words = ("compare", *names, "--gold", gold)
    done = bench_cli(*words, env={"COLUMNS": str(width)})
    assert done.returncode == 0, done.stderr
    held_against_golden(f"compare-{width}.txt", told(done.stdout, tmp_path))
    if width == 80:
        markdown = bench_cli(*words, "--markdown")
        held_against_golden("compare.md", told(markdown.stdout, tmp_path))


def test_check(bench_cli: BenchCli, gold: str, tmp_path: Path) -> None:
    baseline, summary, junit = (tmp_path / f"baseline.{end}" for end in ("json", "md", "xml"))
    words = ("check", "subject", "--gold", gold, "--baseline", baseline, "--no-cost", "--quiet")
    here = ("--adapter", adapter(tmp_path))
    made = bench_cli(*words, *here, "--update")
    assert made.returncode == 0, made.stderr
    adapter(tmp_path, 'html = html.partition("Sentence 4")[0]')
    files = ("--summary", summary, "--junit", junit)
    for width in (80, 100, 120):
        done = bench_cli(*words, *here, *files, env={"COLUMNS": str(width)})
        assert done.returncode == 1, done.stderr
        held_against_golden(f"check-{width}.txt", told(done.stdout, tmp_path))
    held_against_golden("check.md", told(summary.read_text("utf-8"), tmp_path))
    held_against_golden("check.xml", told(junit.read_text("utf-8"), tmp_path))
