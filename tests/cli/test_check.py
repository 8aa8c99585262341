"""``bench check`` through the real command line: a broken adapter is found, a no-op change is not."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from bench.datasets import catalogue
from tests.conftest import ROOT, BenchCli, FolderGold, html_of, text_of

Done = subprocess.CompletedProcess[str]

ADAPTER = '''"""A test's adapter."""

import re
import time

from bench.extractor import Extractor


class Subject(Extractor):
    """Strips tags."""

    name = "subject"

    def extract(self, html, url):
        {before}
        return re.sub(r"<[^>]*>", " ", html.partition("<body>")[2])
'''
WITHOUT_LAST = """
    def extract(self, html, url):
        lines = self.whole(html, url).rstrip().split("\\n")
        return "\\n".join(lines[:-1] if url in {urls!r} and len(lines) > 1 else lines)
"""
PAGES = {
    f"p{at}": (html_of(f"<p>{' '.join(f'word{at}{word}' for word in range(30))}</p>", f"p{at}"),
               text_of(f"<p>{' '.join(f'word{at}{word}' for word in range(30))}</p>"))
    for at in range(8)
}  # fmt: skip


def adapter(folder: Path, before: str = "pass") -> Path:
    path = folder / "subject.py"
    path.write_text(ADAPTER.format(before=before), encoding="utf-8")
    return path


def said(done: Done) -> str:
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def starter_copy(checkout: Path) -> Path:
    """The project in a folder of its own, with the starter set."""
    shutil.copytree(ROOT / "gold" / "starter", checkout / "gold" / "starter")
    return checkout


def test_a_broken_adapter_fails_and_is_named_reverted_it_passes(
    bench_cli: BenchCli, starter_copy: Path, tmp_path: Path
) -> None:
    baseline, here = tmp_path / "baseline.json", tmp_path / "here"

    def check(*more: str | Path) -> Done:
        words = ("check", "--baseline", baseline, "--no-cost", "--quiet", *more)
        return bench_cli(*words, checkout=starter_copy)

    made = check("readability", "nothing", "--update")
    assert made.returncode == 0, made.stderr
    accepted = baseline.read_bytes()

    # The last paragraph is dropped on one type of pages.
    adapter_file = starter_copy / "extractors" / "readability.py"
    source = adapter_file.read_text(encoding="utf-8")
    pages = {each.page.id: each.page for each in catalogue.open_gold("starter")}
    urls = {page.url for page in pages.values() if page.page_type == "article"}
    broken = source.replace("def extract(", "def whole(") + WITHOUT_LAST.format(urls=urls)
    assert broken != source
    adapter_file.write_text(broken, encoding="utf-8")

    failed = check("--junit", here / "check.xml", "--summary", here / "check.md", "--json")
    assert failed.returncode == 1, said(failed)
    outcome = json.loads(failed.stdout)
    assert outcome["status"] == 1
    assert {each["row"] for each in outcome["regressions"]} == {"readability"}
    slices = {each["where"]: each for each in outcome["regressions"]}
    article = slices["page_type article"]
    assert not [
        name for name in slices if name.startswith("page_type ") and name != article["where"]
    ]
    blamed = {each["page"] for each in article["pages"]}
    assert len(blamed) > 5
    assert {pages[page].page_type for page in blamed} == {"article"}
    suite = ET.parse(here / "check.xml").getroot()[0]
    names = [c.get("name") for c in suite if c.find("failure") is not None]
    assert names == ["quality"]
    (cause,) = outcome["causes"]
    assert cause["slices"][0] == "page_type article", "what explains the lost pages best"
    # The slices that lost the same pages are folded into one cause.
    assert suite.get("failures") == str(len(outcome["causes"]))
    folded = sum(len(cause["slices"]) for cause in outcome["causes"])
    assert suite.get("skipped") == str(folded)
    # Pages that lost much are no cause of their own where a loss on all pages blames them.
    of_figures = [each for each in outcome["regressions"] if each["kind"] != "pages"]
    assert folded + len(outcome["causes"]) == len(of_figures) > len(outcome["causes"])
    summary = (here / "check.md").read_text(encoding="utf-8")
    assert "FAILED" in summary
    assert article["pages"][0]["page"] in summary

    # It cannot be written into the baseline without a reason; the file stays as it was.
    refused = check("--update")
    assert refused.returncode == 1
    assert "page_type article" in refused.stderr
    assert "--allow-regression" in refused.stderr
    assert baseline.read_bytes() == accepted
    allowed = check("--update", "--allow-regression", "endings are footers")
    assert allowed.returncode == 0, said(allowed)
    (entry,) = json.loads(baseline.read_text(encoding="utf-8"))["history"]
    assert entry["reason"] == "endings are footers"
    assert any("page_type article" in line for line in entry["lowered"])
    assert check().returncode == 0

    # Reverted it passes, and so does a change that changes no text.
    baseline.write_bytes(accepted)
    adapter_file.write_text(source + "\n# a comment\n", encoding="utf-8")
    passed = check("--json")
    assert passed.returncode == 0, said(passed)
    for row in json.loads(passed.stdout)["rows"]:
        assert row["mark"] == "same"
        assert row["changed_pages"] == []
        assert row["quality"]["difference"] == 0.0


@pytest.fixture
def subject(bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path) -> Any:
    """Return a function that checks a small adapter on a folder of pages."""
    gold = folder_gold(PAGES)
    path = adapter(tmp_path)

    def check(*more: str | Path, before: str = "pass", cost: bool = False) -> Done:
        adapter(tmp_path, before)
        words: list[str | Path] = [
            "check",
            "--gold",
            f"folder:{gold}",
            "--adapter",
            path,
            "--quiet",
        ]
        words += ["--baseline", tmp_path / "baseline.json", *([] if cost else ["--no-cost"])]
        return bench_cli(*words, *more)

    return check


def test_pages_that_newly_fail_or_come_back_empty_always_count(subject: Any) -> None:
    assert subject("subject", "--update").returncode == 0
    failing = subject("--json", before='if "word3" in html: raise ValueError("no")')
    assert failing.returncode == 1
    (found,) = [
        each
        for each in json.loads(failing.stdout)["regressions"]
        if each["kind"] == "newly failing"
    ]
    assert [each["page"] for each in found["pages"]] == ["p3"]
    assert found["pages"][0]["outcome_after"] == "error"

    empty = subject(before='if "word5" in html: return ""')
    assert empty.returncode == 1
    assert "newly empty: 1 page" in empty.stdout
    assert re.search(r"p5  \d+\.\d → 0\.0 \(empty\)", empty.stdout)


def test_a_timeout_is_measured_again_before_it_counts(subject: Any) -> None:
    assert subject("subject", "--update").returncode == 0
    slow = 'if "word3" in html: time.sleep(30)'
    done = subject("--deadline", "0.5", before=slow)
    assert done.returncode == 1, said(done)
    assert "measuring again: subject" in done.stderr
    assert "p3" in done.stdout
    assert "timeout" in done.stdout


def test_cost_beyond_the_tolerance_fails_once_it_is_confirmed(subject: Any) -> None:
    def burn(milliseconds: int) -> str:
        return (
            f"end = time.process_time() + {milliseconds / 1000}\n"
            "        while time.process_time() < end: pass"
        )

    made = subject("subject", "--update", before=burn(2), cost=True)
    assert made.returncode == 0, said(made)
    # Generous, because the machine that tests run on is busy.
    same = subject("--cost-tolerance", "400", before=burn(2), cost=True)
    assert same.returncode == 0, said(same)
    dearer = subject("--cost-tolerance", "400", "--json", before=burn(60), cost=True)
    assert dearer.returncode == 1, said(dearer)
    assert "measuring again: subject" in dearer.stderr
    (found,) = json.loads(dearer.stdout)["regressions"]
    assert found["kind"] == "cost"
    cost = json.loads(dearer.stdout)["rows"][0]["cost"]
    assert cost["growth"] > 4
    assert cost["again"] > 4
    assert subject("--no-cost", before=burn(60)).returncode == 0


def test_what_cannot_be_compared_is_told_apart_from_a_regression(
    subject: Any, tmp_path: Path, bench_cli: BenchCli, folder_gold: FolderGold
) -> None:
    baseline = tmp_path / "baseline.json"
    missing = subject()
    assert missing.returncode == 2
    assert "--update" in missing.stderr
    assert subject("--update", "subject").returncode == 0
    whole = baseline.read_text(encoding="utf-8")

    assert subject("--allow-regression", "why").returncode == 2
    other = subject("--metric", "bow")
    assert other.returncode == 3
    assert "metric" in other.stderr
    stranger = subject("everything", "--junit", tmp_path / "j.xml")
    assert stranger.returncode == 3
    assert "not compared: everything: it is not in the baseline" in stranger.stdout
    assert ET.parse(tmp_path / "j.xml").getroot().get("errors") == "1"

    baseline.write_text(whole.replace('"schema": 2', '"schema": 99'), encoding="utf-8")
    newer = subject()
    assert (newer.returncode, "newer bench" in newer.stderr) == (3, True)
    baseline.write_text(whole[: len(whole) // 2], encoding="utf-8")
    assert subject().returncode == 3
    baseline.write_text(whole, encoding="utf-8")

    changed = dict(PAGES) | {"p0": PAGES["p1"]}
    elsewhere = folder_gold(changed, name="other/pages")
    words = (
        "check",
        "--gold",
        f"folder:{elsewhere}",
        "--adapter",
        tmp_path / "subject.py",
        "--quiet",
    )
    refused = bench_cli(*words, "--baseline", baseline, "--summary", tmp_path / "s.md")
    assert refused.returncode == 3
    assert "other pages or gold" in refused.stderr
    assert "CANNOT COMPARE" in (tmp_path / "s.md").read_text(encoding="utf-8")
    updated = bench_cli(*words, "--baseline", baseline, "--update", "--no-cost")
    assert updated.returncode == 0, updated.stderr
    assert "floors begin again" in updated.stderr
    (entry,) = json.loads(baseline.read_text(encoding="utf-8"))["history"]
    assert entry["what"] == "another data set or metric"


def test_a_stored_run_is_checked_and_two_of_one_extractor_never_differ(
    subject: Any, bench_cli: BenchCli, tmp_path: Path
) -> None:
    assert subject("subject", "--update").returncode == 0
    assert subject().returncode == 0
    first, second = sorted(p.name for p in (tmp_path / "here" / "results").iterdir())
    words = ("check", "--run", second, "--baseline", tmp_path / "baseline.json", "--json")
    done = bench_cli(*words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["run"] == second
    compared = bench_cli("compare", first, second, "--json")
    (row,) = json.loads(compared.stdout)["rows"]
    assert (row["mark"], row["changed"], row["difference"]) == ("same", 0, 0.0)


def test_the_file_for_github_is_added_to(subject: Any, bench_cli: BenchCli, tmp_path: Path) -> None:
    assert subject("subject", "--update").returncode == 0
    shown = tmp_path / "step.md"
    shown.write_text("before\n", encoding="utf-8")
    run = next((tmp_path / "here" / "results").iterdir()).name
    words = ("check", "--run", run, "--baseline", tmp_path / "baseline.json", "--summary", shown)
    assert bench_cli(*words, env={"GITHUB_STEP_SUMMARY": str(shown)}).returncode == 0
    assert shown.read_text(encoding="utf-8").startswith("before\n## bench check: PASSED")
    assert bench_cli(*words).returncode == 0
    assert shown.read_text(encoding="utf-8").startswith("## bench check: PASSED")


def test_words_agree_with_the_exit_status(subject: Any, tmp_path: Path) -> None:
    """0 ok, 1 finding, 2 usage, 3 cannot compare; what a first baseline accepts is shown."""
    half = "html = html[: len(html) // 2]"
    empty = 'if "word129" in html: return ""'
    first = subject("subject", "--update", before=empty)
    assert first.returncode == 0
    # Row, version, F1, no failed page, one that is empty.
    assert re.search(r"^subject +\S+ +\d\d\.\d\d +1 *$", first.stderr, re.MULTILINE), first.stderr
    assert first.stderr.index("accepted as they are") < first.stderr.index("bench: wrote")

    def outcome(*more: str, before: str) -> tuple[int, str]:
        done = subject(*more, before=before)
        said = done.stdout or done.stderr
        return done.returncode, said.partition(":")[0]

    assert outcome(before=empty) == (0, "PASSED")
    assert outcome("--update", before=empty) == (0, "UPDATED")
    assert outcome(before=half) == (1, "FAILED")
    assert outcome("--update", before=half) == (1, "NOT UPDATED")
    assert outcome("--update", "--allow-regression", "why", before=half) == (0, "UPDATED")
    assert outcome("everything", before=half) == (3, "CANNOT COMPARE")
    assert outcome("--with-texts", before=half)[0] == 2


def test_a_baseline_that_keeps_texts_shows_lost_words(subject: Any, tmp_path: Path) -> None:
    dropped = r'html = re.sub("word[0-9]29", "", html)'
    assert subject("subject", "--update", "--with-texts").returncode == 0
    kept = tmp_path / "baseline.texts.gz"
    before = kept.read_bytes()
    failed = subject("--epsilon", "0", "--small-epsilon", "0", before=dropped)
    assert "-1 +0 words\n      lost: word" in failed.stdout
    assert "The baseline keeps no texts" not in failed.stdout
    # Once kept they are kept up to date.
    again = subject("--update", "--allow-regression", "why", before=dropped)
    assert again.returncode == 0
    assert kept.read_bytes() != before
    kept.write_bytes(before[:40])
    damaged = subject()
    assert (damaged.returncode, damaged.stderr.count("\n")) == (1, 1)
    assert "baseline.texts.gz cannot be read" in damaged.stderr


def test_two_rows_are_checked_against_each_other_in_one_run(
    subject: Any, bench_cli: BenchCli, tmp_path: Path
) -> None:
    done = subject("subject", "--against", "nothing", "--json", cost=True)
    assert done.returncode == 0, said(done)
    outcome = json.loads(done.stdout)
    assert outcome["against"] == {"subject": "nothing"}
    assert outcome["rows"][0]["mark"] == "better"
    assert not (tmp_path / "baseline.json").exists()
    worse = subject("nothing", "--against", "subject", cost=True)
    assert worse.returncode == 1
    assert worse.stdout.startswith("FAILED: nothing: ")
    assert "compared with subject" in worse.stdout
    assert re.search(r"-\d+ \+0 words\n      lost: ", worse.stdout)
    command = next(line for line in worse.stdout.splitlines() if "bench show" in line)
    assert "nothing --against subject --run" in command
    for words, reason in (
        (("subject", "--against", "subject"), "another row for each"),
        (("subject", "--against", "nothing", "--against", "gold"), "another row for each"),
        (("subject", "--against", "nothing", "--update"), "leave out --update"),
        (("--against", "nothing"), "bench check NAME --against OTHER"),
    ):
        refused = subject(*words)
        assert (refused.returncode, reason in refused.stderr) == (2, True), said(refused)
