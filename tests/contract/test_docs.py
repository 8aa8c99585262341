"""The documents show what is: the README's leaderboard, the example adapter, the commands."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import spearmanr

from bench.adapters import registry
from bench.cli.main import VERBS, bench
from bench.report.forms import PRICE
from bench.util.numbers import number, percent
from tests.conftest import once, run_once

TOP = Path(__file__).resolve().parents[2]
README = TOP / "README.md"
UPDATE = bool(os.environ.get("BENCH_UPDATE_GOLDEN"))
SHOWN = 10


@pytest.fixture(scope="module")
def starter_board(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Run everything over the starter set through the real command line; return its JSON."""
    folder = once(tmp_path_factory, "starter", _make)
    board: dict[str, Any] = json.loads((folder / "board.json").read_text("utf-8"))
    return board


def _make(here: Path) -> None:
    words = ["run", "--all", "--no-build", "--json", "--quiet"]
    words += ["--results", "results", "--reports", "reports"]
    (here / "board.json").write_text(run_once(here, *words).stdout, "utf-8")


def block(path: Path, start: str, end: str, wanted: str) -> str:
    """Return what stands between two markers, after updating it when asked to."""
    text = path.read_text(encoding="utf-8")
    found = re.search(f"{re.escape(start)}\n(.*?){re.escape(end)}", text, re.DOTALL)
    assert found, f"{path.name} has no {start} … {end}"
    if UPDATE:
        path.write_text(text.replace(found.group(0), f"{start}\n{wanted}{end}"), encoding="utf-8")
        return wanted
    return found.group(1)


def quality_table(rows: list[dict[str, Any]]) -> str:
    """Return the first rows and the controls, quality only: what is the same on every machine."""
    # R may be here or not: the table is of what is the same everywhere.
    competitors = [row for row in rows if row["rank"] and row["language"] == "Python"]
    controls = [row for row in rows if row["kind"] == "control"]
    lines = ["| # | extractor | version | F1 | 95 % | precision | recall | accuracy |"]
    lines.append("|--:|:--|:--|--:|--:|--:|--:|--:|")
    for rank, row in enumerate([*competitors[:SHOWN], *controls], 1):
        interval = f"{percent(row['f1']['lo'])}–{percent(row['f1']['hi'])}"
        values = [percent(row[name]["value"]) for name in ("precision", "recall", "accuracy")]
        name = row["label"] if row["kind"] != "control" else f"*{row['label']}*"
        cells = [
            rank if row["rank"] else "",
            name,
            row["version"],
            percent(row["f1"]["value"]),
            interval,
        ]
        lines.append(f"| {' | '.join(map(str, [*cells, *values]))} |")
    return "\n" + "\n".join(lines) + "\n\n"


def test_readme_leaderboard_is_what_a_run_gives(starter_board: dict[str, Any]) -> None:
    wanted = quality_table(starter_board["extractors"])
    assert block(README, "<!-- leaderboard -->", "<!-- /leaderboard -->", wanted) == wanted


def evidence_table(boards: dict[str, dict[str, Any]]) -> str:
    """Return one line for each extractor that every board ranks, best by the first board first."""
    rows = {
        gold: {r["label"]: r for r in b["extractors"] if r["rank"]} for gold, b in boards.items()
    }
    adapters = registry.adapters()
    head = " | ".join(f"F1 on {gold.upper()} (95 %)" for gold in boards)
    lines = [
        f"| extractor | version | {head} | CPU ms/page | cost of 10⁶ pages | licence | language |"
    ]
    lines.append(f"|:--|:--|{'--:|' * (len(boards) + 2)}:--|:--|")
    first, *others = rows.values()
    for label, row in first.items():
        if not all(label in other for other in others):
            continue
        cells = []
        for gold, own in rows.items():
            figure, mark = own[label]["f1"], "*" if own[label]["best"] else ""
            tuned = "†" if f" {gold}=" in f" {own[label]['tuned_on']}" else ""
            interval = f"{percent(figure['lo'])}–{percent(figure['hi'])}"
            cells.append(f"{percent(figure['value'])}{mark}{tuned} ({interval})")
        spent = [own[label] for own in rows.values()]
        cpu_s = sum(own["cpu_s"] for own in spent) / sum(own["answered"] for own in spent)
        price = cpu_s * 1e6 / 3600 * PRICE
        facts = adapters[row["name"]].facts
        costs = [number(cpu_s * 1000), f"{price:.2f}"]
        cells = [label, row["version"], *cells, *costs, facts.licence, facts.language]
        lines.append(f"| {' | '.join(cells)} |")
    machine = next(iter(boards.values()))["machine"]
    dates = sorted({board["run"][:8] for board in boards.values()})
    days = ", ".join(f"{day[:4]}-{day[4:6]}-{day[6:]}" for day in dates)
    return (
        "\n"
        + "\n".join(lines)
        + f"\n\nMeasured {days} on {machine['cpu']}, one worker at a time.\n\n"
    )


@pytest.fixture
def boards() -> dict[str, dict[str, Any]]:
    return {
        gold: json.loads((TOP / "reports" / gold / "leaderboard.json").read_text("utf-8"))
        for gold in ("aeb", "wcxb")
    }


def test_findings_are_what_the_reports_say(boards: dict[str, dict[str, Any]]) -> None:
    page = TOP / "docs" / "findings.md"
    aeb, wcxb = (
        {row["label"]: row for row in board["extractors"] if row["rank"]}
        for board in boards.values()
    )
    lines = ["| extractor | F1 on AEB | rank | F1 on WCXB | rank |", "|:--|--:|--:|--:|--:|"]
    for label, row in aeb.items():
        cells = [
            text
            for own in (row, wcxb[label])
            for text in (percent(own["f1"]["value"]), str(own["rank"]))
        ]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    wanted = "\n" + "\n".join(lines) + "\n\n"
    assert block(page, "<!-- places -->", "<!-- /places -->", wanted) == wanted
    text = " ".join(page.read_text(encoding="utf-8").split())
    both = [[own[label]["f1"]["value"] for label in aeb] for own in (aeb, wcxb)]
    assert f"correlate by {spearmanr(*both).statistic:.2f} [" in text
    shown = [percent(board["comparisons"]["detectable"]) for board in boards.values()]
    assert f"of {shown[0]} points between two good rows" in text
    assert f"WCXB shows {shown[1]} points" in text
    best = [row["f1"]["value"] for row in aeb.values() if row["best"]]
    assert len(best) == 5
    assert f"within {percent(max(best) - min(best))}." in text
    for label, own in (("justext", aeb), ("magic_html", wcxb)):
        row = own[label]
        figures = f"{percent(row['page_f1']['value'])} in place of {percent(row['f1']['value'])}"
        assert figures in text
        assert f"{row['outcomes']['empty']} " in text
    at = [own["resiliparse"]["cpu_s"] / own["trafilatura"]["cpu_s"] for own in (aeb, wcxb)]
    assert max(at) < 0.1


def test_readme_evidence_is_what_the_reports_say(boards: dict[str, dict[str, Any]]) -> None:
    wanted = evidence_table(boards)
    assert block(README, "<!-- evidence -->", "<!-- /evidence -->", wanted) == wanted


@pytest.mark.parametrize("gold", ["aeb", "wcxb"])
def test_published_sites_are_small_and_without_texts(gold: str) -> None:
    folder = TOP / "reports" / gold
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert folder / "index.html" in files
    assert sum(path.stat().st_size for path in files) < 3 * 2**20
    assert not [path for path in files if path.parent.name == "pages"]
    for path in files:
        assert not re.search(rb"(?<![\w.-])/(?:work|tmp|root|home)/", path.read_bytes()), path


def crawl_table(board: dict[str, Any], pages: float = 2.5e9, cores: int = 1000) -> str:
    """Return what a crawl takes, by each row's measured CPU time of a page; cheapest first."""
    lines = [
        "| extractor | core-hours per million | core-hours | cost | days on 1,000 cores | page F1 |"
    ]
    lines.append("|:--|--:|--:|--:|--:|--:|")
    rows = [row for row in board["extractors"] if row["rank"]]
    for row in sorted(rows, key=lambda row: float(row["cpu_s"] / row["answered"])):
        million = row["cpu_s"] / row["answered"] / 3600 * 1e6
        hours = million * pages / 1e6
        figures = [f"{million:.1f}", f"{hours:,.0f}", f"{hours * PRICE:,.0f}"]
        figures += [f"{hours / cores / 24:.1f}", percent(row["page_f1"]["value"])]
        lines.append(f"| {' | '.join([row['label'], *figures])} |")
    return "\n" + "\n".join(lines) + "\n\n"


def test_a_crawl_on_paper_is_what_the_report_says() -> None:
    board = json.loads((TOP / "reports" / "wcxb" / "leaderboard.json").read_text("utf-8"))
    wanted, page = crawl_table(board), TOP / "docs" / "scale.md"
    assert block(page, "<!-- crawl -->", "<!-- /crawl -->", wanted) == wanted


def test_readme_chart_is_committed() -> None:
    for path in re.findall(r"!\[[^]]*\]\(([^)]+)\)", README.read_text(encoding="utf-8")):
        assert (TOP / path).is_file(), path


def test_committed_report_is_the_same_leaderboard(starter_board: dict[str, Any]) -> None:
    table = (TOP / "reports" / "starter" / "leaderboard.md").read_text(encoding="utf-8")
    # What R has to offer differs from machine to machine.
    for row in (row for row in starter_board["extractors"] if row["language"] == "Python"):
        assert re.search(
            rf"\| {re.escape(row['label'].replace('_', chr(92) + '_'))} \|.*"
            rf"\| {percent(row['f1']['value'])} \|",
            table,
        ), row["label"]


def test_example_adapter_is_the_real_one() -> None:
    page = TOP / "docs" / "adding-an-extractor.md"
    source = (TOP / "extractors" / "justext.py").read_text(encoding="utf-8")
    assert block(page, "```python", "```\n", source) == source


@pytest.mark.parametrize("name", ["run", "test"])
def test_readme_has_each_command_on_one_line(name: str) -> None:
    text = README.read_text(encoding="utf-8")
    found = re.search(rf"<!-- command: {name} -->\n```console\n(.*?)```", text, re.DOTALL)
    assert found
    assert found.group(1).count("\n") == 1


def documented_commands() -> list[str]:
    pages = [README, TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").glob("*.md"))]
    found: list[str] = []
    for page in pages:
        found += re.findall(r"^\$ (bench .*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return sorted(set(found))


@pytest.mark.parametrize("line", documented_commands())
def test_documented_commands_parse(line: str) -> None:
    """Every word after ``bench`` is a verb or an option that exists."""
    words = shlex.split(line, comments=True)[1:]
    assert words[0] in VERBS
    context = bench.make_context("bench", words, resilient_parsing=True)
    command: Any = bench
    while hasattr(command, "get_command") and words:
        command, words = command.get_command(context, words[0]), words[1:]
        assert command is not None, line
    options = [(each.opts, each.secondary_opts) for each in command.params]
    known = {option for both in options for some in both for option in some}
    assert {word.split("=")[0] for word in words if word.startswith("-")} <= known, line


def test_links_between_documents_exist() -> None:
    for page in [README, TOP / "CONTRIBUTING.md", *(TOP / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_leaderboard_document_names_every_field(starter_board: dict[str, Any]) -> None:
    text = (TOP / "docs" / "leaderboard.md").read_text(encoding="utf-8")
    fields = {*starter_board, *starter_board["extractors"][0]} - {"schema"}
    assert [name for name in sorted(fields) if f"`{name}`" not in text] == []
    assert json.dumps(starter_board["schema"]) in text
