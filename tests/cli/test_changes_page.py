"""Old text beside new: the page for a pull request, and one page on a terminal."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests import reported
from tests.cli.test_check import subject  # noqa: F401 (a fixture)
from tests.commands import Done
from tests.conftest import ROOT, BenchCli


@pytest.fixture
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of rows and pages that are a stranger's."""
    return reported.results(tmp_path_factory).parent


class Tags(HTMLParser):
    """Collects the elements of a page, with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def compared(bench_cli: BenchCli, here: Path, out: Path, *words: str) -> str:
    done = bench_cli("compare", *words, "--html", out, cwd=here)
    assert done.returncode == 0, done.stderr
    return out.read_text(encoding="utf-8")


def test_a_page_of_two_rows_is_inert_and_whole(
    bench_cli: BenchCli, here: Path, tmp_path: Path
) -> None:
    page = compared(bench_cli, here, tmp_path / "c.html", "everything", "stranger")
    tags = Tags(page).elements
    assert not {name for name, _ in tags} & {"script", "iframe", "img", "object", "form", "a"}
    assert not [name for _, own in tags for name in own if name.startswith("on")]
    policy = next(own["content"] for name, own in tags if "http-equiv" in own)
    assert str(policy).startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert not re.search("[\x00-\x08\x1b\u202e\u2066]", page)
    for title in ("<h3>Old</h3>", "<h3>New</h3>", "<h3>Gold</h3>", "words lost", "pages won"):
        assert title in page
    assert len(page) < 200_000, "a text of a million letters is shortened"
    assert str(here) not in page


def test_a_failed_row_has_no_text(bench_cli: BenchCli, here: Path, tmp_path: Path) -> None:
    page = compared(bench_cli, here, tmp_path / "c.html", "gold", "fails")
    assert "ok → error" in page
    assert "(nothing)" in page


def test_a_check_writes_the_page_too(subject: object, tmp_path: Path) -> None:  # noqa: F811
    assert callable(subject)
    done: Done = subject("nothing", "--against", "subject", "--html", tmp_path / "c.html")
    assert done.returncode == 1
    assert "<h1>subject → nothing</h1>" in (tmp_path / "c.html").read_text(encoding="utf-8")


def test_one_page_of_one_row_against_another(bench_cli: BenchCli, here: Path) -> None:
    words = ("show", "ferry", "gold", "--against", "everything")
    (run,) = [path.name for path in (here / "results").iterdir() if path.name[0] == "2"]
    shown = bench_cli("show", "ferry-two", *words[2:], cwd=here, env={"COLUMNS": "80"})
    assert shown.returncode == 0, shown.stderr
    assert re.search(r"^lost \d+ words, 0 of them in the gold$", shown.stdout, re.MULTILINE)
    assert "gained 0 words," in shown.stdout
    assert "[-" in shown.stdout
    assert shown.stdout.rstrip().endswith(reported.GOLD), "the gold comes last"
    both = json.loads(bench_cli(*words, "--json", cwd=here).stdout)
    assert (both["before"]["extractor"], both["after"]["extractor"]) == ("everything", "gold")
    same = bench_cli(*words[:4], f"{run}/everything", "--run", run, cwd=here)
    assert same.returncode == 0, same.stderr
    for wrong, said in (
        (("show", "ferry", "--against", "gold"), "name one"),
        (("show", "ferry", "gold", "--against", run), "is no row"),
        (("show", "ferry", "gold", "--against", "glod"), "did you mean gold?"),
    ):
        refused = bench_cli(*wrong, cwd=here)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
        assert said in refused.stderr


def test_the_action_names_options_and_outputs_that_there_are(bench_cli: BenchCli) -> None:
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    command = action[action.index("      run: |") :]
    known = bench_cli("check", "--help").stdout
    for option in re.findall(r"--[a-z-]+", command):
        assert option in known, option
    outputs = set(re.findall(r"steps\.check\.outputs\.(\w+)", action))
    assert outputs == set(re.findall(r'echo "(\w+)=', command))
    inputs = set(re.findall(r"inputs\.(\w+)", action))
    assert inputs == set(
        re.findall(r"^  (\w+):$", action[: action.index("outputs:")], re.MULTILINE)
    )
    # What is typed into an input reaches the shell by way of the environment alone.
    assert "${{" not in command
    workflow = (ROOT / "docs" / "examples" / "bench-check.yml").read_text(encoding="utf-8")
    used = workflow[workflow.index("        with:\n          adapter") :].split("\n\n")[0]
    assert set(re.findall(r"^          (\w+):", used, re.MULTILINE)) <= inputs
    assert set(re.findall(r"steps\.bench\.outputs\.(\w+)", workflow)) <= outputs
