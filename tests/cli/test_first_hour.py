"""What a new user meets: slips of the pen, gold that is empty, one page tried by several extractors."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import BenchCli, FolderGold, html_of


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rn",), "there is no command 'bench rn'; did you mean run?"),
        (("gold", "lst"), "there is no command 'bench gold lst'; did you mean list?"),
        (("zzz",), "there is no command 'bench zzz'; `bench --help` lists them"),
        (("run", "xpath", "--gold", "a", "--gold", "b"), "--gold is given twice (a, b)"),
        (("check", "xpath", "--gold", "a", "--gold", "b"), "--gold is given twice (a, b)"),
        (("try", "xpath", "zzz", "--gold", "starter"), "starter has no page 'zzz'"),
        (("try", "xpath", "article-", "--gold", "starter"), "pages of starter begin with"),
        (("try", "xpath", "none.html"), "there is no file none.html"),
    ],
)
def test_a_slip_is_one_line(bench_cli: BenchCli, words: tuple[str, ...], said: str) -> None:
    done = bench_cli(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_gold_that_is_empty_everywhere_is_refused(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    gold = f"folder:{folder_gold({f'p{at}': (html_of('<p>some text</p>'), '') for at in range(4)})}"
    (tmp_path / "here" / "out.json").write_text('{"p1": {"articleBody": "x"}}', encoding="utf-8")
    for words in (
        ("run", "xpath"),
        ("check", "xpath", "--update", "--no-cost"),
        ("score", "--predictions", "out.json"),
    ):
        done = bench_cli(*words, "--gold", gold)
        assert (done.returncode, done.stdout) == (2, ""), words
        assert "the gold of all 4 pages is empty" in done.stderr
    assert not (tmp_path / "here" / "results").exists()


def test_gold_that_is_empty_in_part_is_counted(
    bench_cli: BenchCli, folder_gold: FolderGold
) -> None:
    pages = {f"p{at}": (html_of("<p>some text</p>"), "" if at else "some text") for at in range(6)}
    done = bench_cli("run", "xpath", "--gold", f"folder:{folder_gold(pages)}")
    assert done.returncode == 0, done.stderr
    assert "5 of 6 pages have empty gold (p1, p2, p3, …): every word" in done.stderr
    assert "empty gold" not in bench_cli("run", "xpath", "--gold", "starter").stderr


def test_several_extractors_are_tried_side_by_side(bench_cli: BenchCli, finished: Path) -> None:
    # The beginning of an id is looked for in the latest run's data set.
    done = bench_cli("try", "xpath", "html_text", "boa", cwd=finished)
    assert done.returncode == 0, done.stderr
    head, first, second, *_ = done.stdout.splitlines()
    assert head.split()[:4] == ["extractor", "prec", "rec", "F1"]
    assert (first.split()[0], second.split()[0]) == ("html_text", "xpath")
    assert done.stderr.count("on boats: ok") == 2
    both = json.loads(bench_cli("try", "xpath", "html_text", "boa", "--json", cwd=finished).stdout)
    assert [each["extractor"] for each in both] == ["html_text", "xpath"]


def test_a_file_is_tried_by_several(bench_cli: BenchCli, tmp_path: Path) -> None:
    (tmp_path / "here" / "page.html").write_text(html_of("<p>Some text.</p>"), encoding="utf-8")
    done = bench_cli("try", "xpath", "nothing", "page.html")
    assert done.returncode == 0, done.stderr
    assert "Some text." in done.stdout


def test_without_a_run_a_page_is_the_starter_sets(bench_cli: BenchCli, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "here" / "results", ignore_errors=True)
    assert bench_cli("try", "xpath", "article-en-fog").returncode == 0
