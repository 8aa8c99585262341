"""``bench survey``, and ``bench run`` on pages without gold: figures, pages to look at, their form."""

from __future__ import annotations

import io
import json
import re
import shutil
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from bench import api
from bench.report import markdown, terminal
from bench.report.survey import document
from bench.scoring import survey
from tests import reported
from tests.cli.test_gold_lint import held_against_golden
from tests.conftest import PAGES, ROOT, SMALL, BenchCli, html_of, once, run_once, write_pages

ROWS = ("html_text", "boilerpy3", "boilerpy3:keep-everything", "justext", "everything")
LONG = " ".join(f"Sentence number {at} of a long article about ferries." for at in range(20))
OTHERS = {
    "cafe": html_of(f"<p>{LONG}</p>", "Coffee"),
    "cafe-print": html_of(f"<p>{LONG}</p><p>Printed.</p>", "Coffee"),
    "gone": html_of("<p>The page that you look for is not here.</p>", "404 Not Found"),
    "app": "<title>App</title><div id=root></div><script>start()</script>",
    "wall": html_of("<p>" + "We use cookies. Give your consent to cookies. " * 5 + "</p>", "Hello"),
    "blank": "<html></html>",
    "report": b"%PDF-1.7 \x00\x01\x02",
}


def write_own(folder: Path) -> Path:
    """Write pages without gold, whose addresses are on two hosts."""
    folder.mkdir()
    pages = {**{name: html_of(body, name) for name, body in PAGES.items()}, **OTHERS}
    lines = []
    for name, html in pages.items():
        (folder / f"{name}.html").write_bytes(html if isinstance(html, bytes) else html.encode())
        host = "www.sea.example" if name in PAGES else "land.example"
        lines.append(json.dumps({"id": name, "url": f"https://{host}/{name}"}))
    (folder / "pages.jsonl").write_text("\n".join(lines), "utf-8")
    return folder


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with ``results`` of a run without gold, and what it printed: do not change it."""

    def make(here: Path) -> None:
        words = ("run", *ROWS, "--gold", f"folder:{write_own(here / 'own')}", "--quiet")
        (here / "printed.txt").write_text(run_once(here, *words).stdout, "utf-8")

    return once(tmp_path_factory, "surveyed", make)


@pytest.fixture(scope="module")
def surveyed(ran: Path) -> survey.Survey:
    found = api.open_run(results=ran / "results").surveyed
    # Times are the machine's.
    rows = [replace(row, cpu_ms=1.5 * at, core_hours=0.4 * at) for at, row in enumerate(found.rows)]
    return replace(found, rows=rows, run="2026")


@pytest.mark.parametrize("width", [80, 100])
def test_golden(surveyed: survey.Survey, width: int) -> None:
    out = io.StringIO()
    terminal.show(document(surveyed), Console(file=out, width=width))
    held_against_golden(f"survey-{width}.txt", out.getvalue())


def test_golden_markdown(surveyed: survey.Survey) -> None:
    held_against_golden("survey.md", markdown.render(document(surveyed)))


def test_a_run_without_gold_ends_with_its_survey(ran: Path, bench_cli: BenchCli) -> None:
    shown = bench_cli("survey", "--results", ran / "results")
    assert shown.returncode == 0, shown.stderr
    assert (ran / "printed.txt").read_text("utf-8").startswith(shown.stdout)


def test_json(ran: Path, bench_cli: BenchCli) -> None:
    done = bench_cli("survey", "--json", "--results", ran / "results")
    found = json.loads(done.stdout)
    rows = {row["label"]: row for row in found["rows"]}
    assert set(rows) == set(ROWS)
    assert {row["family"] for row in rows.values()} == {"html_text", "boilerpipe", "justext", None}
    assert found["families"] == 3
    pages = len(PAGES) + len(OTHERS)
    for row in rows.values():
        assert sum(row["outcomes"].values()) == pages
        for name in ("consensus", "invented", "boilerplate", "repeated", "empty"):
            assert 0 <= row[name] <= 1, name
        assert row["words_q1"] <= row["words"] <= row["words_q3"]
    # Navigation and footer are on every page of a host; copies of one page are not its boilerplate.
    assert 0.2 < rows["html_text"]["boilerplate"] < 0.9
    assert found["no_content"] == {
        "JavaScript only": ["app"], "consent page": ["wall"], "error page": ["gone"],
        "no HTML": ["report"], "no text": ["blank"],
    }  # fmt: skip
    assert [group["pages"] for group in found["near_duplicates"]] == [["cafe", "cafe-print"]]
    assert {page["page"] for page in found["disputed"]} <= {*PAGES, "cafe", "cafe-print"}


def test_a_page_without_gold_is_shown(ran: Path, bench_cli: BenchCli) -> None:
    done = bench_cli("show", "boat", "--results", ran / "results")
    assert done.returncode == 0, done.stderr
    assert "words" in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines()[-5:]] == sorted(ROWS)
    done = bench_cli("show", "boats", "html_text", "--results", ran / "results")
    assert "Nobody missed it at first" in done.stdout
    facts = json.loads(bench_cli("show", "boats", "--json", "--results", ran / "results").stdout)
    assert facts["metric"] is None
    assert all(row["figures"] == {} for row in facts["rows"])


def test_from_python(ran: Path) -> None:
    table = api.open_run(results=ran / "results").survey().set_index("label")
    assert set(table.index) == set(ROWS)
    assert table.loc["everything", "cells_ok"] > 5
    assert table["consensus"].between(0, 1).all()


def test_labelled_pages_can_be_surveyed_too(tmp_path: Path, bench_cli: BenchCli) -> None:
    gold = write_pages(tmp_path / "gold", SMALL)
    done = bench_cli("run", "html_text", "nothing", "gold", "--gold", f"folder:{gold}", "-q")
    assert done.returncode == 0, done.stderr
    found = json.loads(bench_cli("survey", "--json").stdout)["rows"]
    rows = {row["label"]: row for row in found}
    families = {label: row["family"] for label, row in rows.items()}
    assert families == {"html_text": "html_text", "nothing": None, "gold": None}
    assert rows["nothing"]["words"] == rows["nothing"]["consensus"] == 0
    assert rows["html_text"]["consensus"] is None
    assert "two families" in bench_cli("survey").stdout


def test_several_processes_say_the_same(ran: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = api.open_run(results=ran / "results").surveyed.to_json()
    monkeypatch.setattr(survey, "_WORTH_IT", 0)
    monkeypatch.setattr(survey, "_PAGES_AT_ONCE", 2)
    assert api.open_run(results=ran / "results").surveyed.to_json() == one


def test_without_a_run_it_says_so(bench_cli: BenchCli) -> None:
    done = bench_cli("survey")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_the_commands_of_the_manual_run(tmp_path: Path, ran: Path, bench_cli: BenchCli) -> None:
    manual = (ROOT / "docs" / "your-own-pages.md").read_text("utf-8")
    section = manual.split("\n## Pages\n")[1].split("\n## Label\n")[0]
    lines = re.findall(r"^\$ bench (.*)$", section, re.MULTILINE)
    assert len(lines) == 5
    pages = shutil.copytree(ran / "own", tmp_path / "my-pages")
    (tmp_path / "pages.lst").write_text("my-pages/boats.html\nmy-pages/cheese.html\n", "utf-8")
    archive = archive_of([path.read_bytes() for path in sorted(pages.glob("*.html"))])
    (tmp_path / "crawl.warc.gz").write_bytes(archive)
    for line in lines:
        done = bench_cli(*line.split(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert '"consensus"' in done.stdout or "a survey, without gold" in done.stdout


def archive_of(pages: list[bytes]) -> bytes:
    """Return pages as a WARC that is packed record by record."""
    file = io.BytesIO()
    writer = WARCWriter(file, gzip=True)
    for number, page in enumerate(pages):
        came = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        url = f"http://a.example/{number}"
        writer.write_record(
            writer.create_warc_record(url, "response", io.BytesIO(page), http_headers=came)
        )
    return file.getvalue()


def test_strangers_strings_are_inert(
    tmp_path_factory: pytest.TempPathFactory, bench_cli: BenchCli
) -> None:
    results = reported.results(tmp_path_factory)
    for form in ((), ("--markdown",)):
        shown = bench_cli("survey", "--results", results, *form)
        assert shown.returncode == 0, shown.stderr
        assert not [
            c for c in shown.stdout if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"
        ]
    assert "<script>" not in shown.stdout
    rows = json.loads(bench_cli("survey", "--json", "--results", results).stdout)["rows"]
    by_label = {row["label"]: row for row in rows}
    assert by_label["fails"]["consensus"] == 0
    assert by_label["fails"]["words"] is None


def test_other_verbs_say_that_there_is_no_gold(ran: Path, bench_cli: BenchCli) -> None:
    for verb in ("leaderboard", "report"):
        done = bench_cli(verb, "--results", ran / "results")
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        assert "has no gold; `bench survey` shows" in done.stderr


def test_validity_on_labelled_pages(tmp_path: Path, bench_cli: BenchCli) -> None:
    rows = ("html_text", "boilerpy3", "justext", "inscriptis", "nothing")
    done = bench_cli("run", *rows, "--quiet", timeout=300)
    assert done.returncode == 0, done.stderr
    lines = json.loads(bench_cli("survey", "--validate", "starter", "--json").stdout)["validity"]
    by_figure = {line["figure"]: line for line in lines}
    assert set(by_figure) == {"words", "empty", *survey.MEANS}
    for line in lines:
        assert line["count"] in (0, 4), "no control is counted"
        for over in ("rows", "pages"):
            if line[over]["value"] is not None:
                assert -1 <= line[over]["lo"] <= line[over]["value"] <= line[over]["hi"] <= 1
    assert by_figure["empty"]["pages"]["value"] < 0
    assert "consensus" in bench_cli("survey", "--validate", "starter").stdout


def test_validity_needs_data_sets_with_runs(bench_cli: BenchCli) -> None:
    for words, said in {
        ("--validate",): "takes data sets with gold",
        ("--validate", "aeb"): "no finished run on aeb",
        ("one", "two"): "give one run",
    }.items():
        done = bench_cli("survey", *words)
        assert done.returncode == 2
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
