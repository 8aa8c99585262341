"""The choice that docs/your-own-pages.md leads to: its commands run, and say what follows."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from tests.conftest import BenchCli, html_of, write_pages

ROOT = Path(__file__).parents[2]
TEXTS = [f"The ferry number {at} crossed the river twice a day until spring." for at in range(22)]


def test_the_commands_of_the_manual_run(tmp_path: Path, bench_cli: BenchCli) -> None:
    manual = (ROOT / "docs" / "your-own-pages.md").read_text("utf-8")
    section = manual.split("\n## Choose\n")[1]
    lines = re.findall(r"^\$ bench (.*)$", section, re.MULTILINE)
    assert len(lines) == 4
    pages = {f"page{at}": (html_of(f"<p>{text}</p>"), text) for at, text in enumerate(TEXTS)}
    write_pages(tmp_path / "my-pages", pages)
    said = []
    for line in lines:
        done = bench_cli(*shlex.split(line), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        said.append(" ".join(done.stdout.split()))
    assert "trafilatura>html_text" in said[0]
    assert "pages weighed to a mix" in said[2]
    assert (tmp_path / "choice" / "index.html").exists()
    shown = json.loads(bench_cli("leaderboard", "--json", cwd=tmp_path).stdout)["recommendation"]
    assert shown["reason"] in ("close", "undecided", "best")
    assert shown["tied"]


def test_under_20_labelled_pages_that_is_said_first(finished: Path, bench_cli: BenchCli) -> None:
    done = bench_cli("leaderboard", cwd=finished)
    assert "Too few labelled pages to compare rows: at least" in " ".join(done.stdout.split())
    advice = json.loads(bench_cli("leaderboard", "--json", cwd=finished).stdout)["recommendation"]
    assert (advice["reason"], advice["pages_needed"]) == ("few pages", None)
