"""What a new user meets: slips of the pen, gold that is empty, one page tried by several extractors."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench.adapters import registry
from bench.cli import printing, progress
from bench.runs.estimate import Estimate, estimate
from bench.runs.store import runs
from tests import commands
from tests.cli.test_gold_lint import held_against_golden
from tests.conftest import ROOT, BenchCli, FolderGold, html_of


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


# -- the first screens, at two widths ------------------------------------------------------------

UNAVAILABLE = '''"""Needs what is not there."""
from bench.extractor import Extractor


class {title}(Extractor):
    """Would do wonders with headings, lists, tables and everything else that a page can have."""

    name = "{name}"
    requires = ("no-such-package-{name}>=1",)

    def extract(self, html, url):
        return html
'''


@pytest.fixture
def few(checkout: Path) -> Path:
    """A checkout with two controls and two extractors that cannot run."""
    folder = checkout / "extractors"
    for path in [*folder.glob("*.py"), *(checkout / "r_extractors").glob("*.R")]:
        path.unlink()
    for name in ("everything", "nothing"):
        shutil.copy(ROOT / "extractors" / f"{name}.py", folder)
    for name in ("wonders", "a_name_that_is_too_long_for_its_column"):
        text = UNAVAILABLE.format(name=name, title=name.title().replace("_", ""))
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return checkout


@pytest.mark.parametrize("width", [80, 100])
def test_first_screens(bench_cli: BenchCli, few: Path, width: int) -> None:
    columns = {"COLUMNS": str(width)}
    for name, words in (("start", ()), ("list", ("list",))):
        done = bench_cli(*words, checkout=few, env=columns)
        assert done.returncode == 0, done.stderr
        assert max(map(len, done.stdout.splitlines())) <= width
        held_against_golden(f"{name}-{width}.txt", re.sub(r"\b0\.1\.0\b", "x.y.z", done.stdout))


def test_the_list_has_one_line_for_each_and_hints_at_its_end(
    bench_cli: BenchCli, few: Path
) -> None:
    every = bench_cli("list", checkout=few).stdout
    table, _, hints = every.partition("\n\n")
    assert [line.split()[0].rstrip("…") for line in table.splitlines()] == [
        "extractor", "a_name_that_is_too_", "wonders", "everything", "nothing",
    ]  # fmt: skip
    assert "Would do wonders" in table, "its environment is not made, and it is described"
    assert hints.count("bench env build NAME") == 1
    here = bench_cli("list", "--available", checkout=few).stdout
    assert "wonders" not in here
    assert "cannot run" not in here
    named = bench_cli("list", "wonders", checkout=few).stdout
    assert "fix: bench env build wonders" in named


# -- what a long run will take ---------------------------------------------------------------------


def test_running_all_says_what_it_takes_and_asks_above_a_gigabyte(
    bench_cli: BenchCli, few: Path, folder_gold: FolderGold
) -> None:
    (few / "extractors" / "environments.json").write_text(
        '{"wonders": {"mb": 900, "seconds": 30}, '
        '"a_name_that_is_too_long_for_its_column": {"mb": 300, "seconds": 90}}'
    )
    gold = f"folder:{folder_gold()}"
    words = ("run", "--all", "--gold", gold)
    asked = bench_cli(*words, "--build", checkout=few)
    assert asked.returncode == 2
    assert "4 rows on folder:pages" in asked.stderr
    assert "2 environments to make first: about 1.2 GB, 30 s" in asked.stderr
    assert asked.stderr.splitlines()[-1].endswith("--no-build leaves their rows out")
    without = bench_cli(*words, checkout=few)
    assert without.returncode == 0, without.stderr
    assert "2 rows on" in without.stderr
    assert "environments" not in without.stderr.partition("cells:")[0]
    # Once for each reason, however many rows there are.
    assert without.stderr.count("not available") <= 2


@pytest.mark.parametrize(("answer", "status"), [("n", 2), ("y", 0), ("", 0)])
def test_running_all_asks_on_a_terminal(
    few: Path, own_bench: Path, bench_home: Path, folder_gold: FolderGold, tmp_path: Path,
    answer: str, status: int,
) -> None:  # fmt: skip
    ours, terminal = pty.openpty()
    words = ("run", "--all", "--no-build", "--gold", f"folder:{folder_gold()}")
    env = {**commands.environment(bench_home), "PYTHONPATH": str(own_bench), "TERM": "dumb"}
    with subprocess.Popen(
        [sys.executable, "-m", "bench.cli.main", *words],
        env=env, cwd=tmp_path, stdin=terminal, stdout=subprocess.PIPE, stderr=terminal,
    ) as process:  # fmt: skip
        os.close(terminal)
        said = b""
        while b"Go on? [Y/n]: " not in said:
            said += os.read(ours, 1000)
        assert not (tmp_path / "results").exists()
        os.write(ours, f"{answer}\n".encode())
        with contextlib.suppress(OSError):  # Linux says so where the other end is closed.
            while more := os.read(ours, 1000):
                said += more
        process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == status, said
    assert b"2 rows on folder:pages, 6 cells" in said
    assert (b"nothing was run" in said) == (status == 2)
    assert (tmp_path / "results").exists() == (status == 0)


def test_environments_and_pages_are_one_display_with_the_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_LINE_EVERY_S", -1.0)
    will = Estimate(rows=1, cells=20, run_s=600, environments=2, build_bytes=0, build_s=120)
    shown = progress.RunProgress(quiet=False, will=will)
    shown.start("environments", 2)
    shown.advance()
    shown.advance()
    (row,) = registry.rows(["nothing"])
    with shown.running(20):
        shown.skip(18)
        shown.cell_done(row, "p")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "environments: 0 of 2, 12 min left"
    assert lines[2] == "environments: 2 of 2, 10 min left"
    assert re.fullmatch(r"1/2 nothing \d+/s, 1 s left", lines[3])


def test_times_are_those_of_earlier_runs(finished: Path) -> None:
    rows = registry.rows(["xpath", "html_text", "nothing"])
    run = runs.find(finished / "results", None)
    busy = {row.label: row.busy_s / run.manifest.gold.pages for row in run.manifest.rows}
    first = estimate(rows, 1000, [], finished / "results")
    assert first.run_s == pytest.approx(1000 * sum(busy[row.label] for row in rows))
    assert estimate(rows, 1000, [], finished / "results", jobs=3).run_s == first.run_s / 3
    assert (first.rows, first.cells, first.environments, first.build_bytes) == (3, 3000, 0, 0)
    unknown = estimate(rows, 1000, ["nobody"], finished / "nowhere")
    assert unknown.run_s == pytest.approx(300)
    assert unknown.build_bytes > 0


def test_sizes_are_of_extractors_that_there_are() -> None:
    sizes = json.loads((ROOT / "extractors" / "environments.json").read_text(encoding="utf-8"))
    assert sizes.keys() <= registry.adapters().keys()
    assert all(each["mb"] > 0 and each["seconds"] > 0 for each in sizes.values())


# -- lines that say the same ----------------------------------------------------------------------


def test_lines_that_say_the_same_are_one() -> None:
    lines = [f"page without gold: p{at} (no p{at}.txt)" for at in range(20)]
    lines += [
        "gold without a page: q (no q.html)",
        "a in x, line 1: no id",
        "b in x, line 2: no id",
    ]
    assert printing.folded(lines) == [
        "page without gold: p0 (no p0.txt), and 19 more like it",
        "gold without a page: q (no q.html)",
        "a in x, line 1: no id, and 1 more like it",
    ]
    assert printing.folded([]) == []


def test_rows_that_lack_the_same_are_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = registry.rows(["beautifulsoup:*", "xpath", "nothing"])
    with progress.RunProgress(quiet=False).running(10) as shown:
        for row in rows:
            shown.row_unavailable(row, "its environment is not built")
    said = " ".join(capsys.readouterr().err.split())
    assert said.count("not available") == 1
    assert re.search(r" and 2 more are not available: its environment is not built", said)


def test_rows_that_fail_the_same_way_are_one_line(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    text = """from bench.extractor import Extractor


class Fails(Extractor):
    \"\"\"Fails.\"\"\"

    name = "fails"
    licence = "MIT"
    variants = {"a": {}, "b": {}, "c": {}, "d": {}}

    def load(self):
        pass

    def extract(self, html, url):
        raise ValueError("no")
"""
    (tmp_path / "fails.py").write_text(text, encoding="utf-8")
    words = ("run", "fails:*", "--adapter", tmp_path / "fails.py", "--gold")
    done = bench_cli(*words, f"folder:{folder_gold()}")
    lines = [line for line in done.stderr.splitlines() if "most often" in line]
    assert len(lines) == 1, done.stderr
    assert re.search(r"fails:a, fails:b, fails:c and 1 more: 3 pages failed, first .*no", lines[0])


def test_an_id_that_a_table_cut_is_taken(bench_cli: BenchCli, finished: Path) -> None:
    done = bench_cli("show", "boa…", cwd=finished)
    assert done.returncode == 0, done.stderr
    assert "boats" in done.stdout
