"""What scores depend on: the pages' languages, the Unicode form, the figure that ranks, variants."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from bench.metrics.texts.tokens import unit_for
from tests.conftest import BenchCli, FolderGold, html_of

ACCENTED = (
    "Été après été, la forêt gardait déjà ses secrets préférés à l'écart des villages voisins."
)
CHINESE = "茶马古道穿过群山把茶叶带到远方的城市商人们沿着河谷慢慢行走夜里在驿站休息第二天继续赶路"


def rows(done: Any) -> dict[str, dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    return {row["label"]: row for row in json.loads(done.stdout)["extractors"]}


def predictions(path: Path, texts: dict[str, str]) -> Path:
    content = {page: {"articleBody": text} for page, text in texts.items()}
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.parametrize("language", ["zh", "zho", "cmn", "yue-HK", "jpn", "tha", "ja_JP"])
def test_languages_without_spaces_count_characters_by_any_code(language: str) -> None:
    assert (unit_for(language), unit_for("eng"), unit_for(None)) == ("character", "word", "word")


def test_scores_that_are_kept_depend_on_the_pages_languages(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    page = f"<p>{CHINESE}</p>".replace("<p>", "<p>读者")
    gold = folder_gold({"tea": (html_of(page).replace(' lang="en"', ""), CHINESE)})
    words = ("run", "everything", "--gold", f"folder:{gold}", "--quiet", "--json")
    assert rows(bench_cli(*words))["everything"]["f1"]["value"] == 0
    baseline = tmp_path / "baseline.json"
    check = ("check", "everything", "--gold", f"folder:{gold}", "--baseline", baseline, "--no-cost")
    assert bench_cli(*check, "--update").returncode == 0
    (gold / "pages.jsonl").write_text('{"id": "tea", "language": "zho"}\n', encoding="utf-8")
    assert rows(bench_cli("leaderboard", "--json"))["everything"]["f1"]["value"] > 0.5
    stale = bench_cli(*check)
    assert stale.returncode == 3
    assert "languages" in stale.stderr


def test_a_unicode_form_does_not_count_where_it_is_asked(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    gold = folder_gold({"foret": (html_of(f"<p>{ACCENTED}</p>"), ACCENTED)})
    decomposed = unicodedata.normalize("NFD", ACCENTED).replace("vill", "vil\u00adl")
    outputs = predictions(tmp_path / "nfd.json", {"foret": decomposed})
    words = ("score", "--predictions", outputs, "--gold", f"folder:{gold}", "--json")
    assert rows(bench_cli(*words))["nfd"]["f1"]["value"] < 0.5
    both = rows(bench_cli(*words, "--normalise", "nfc"))["nfd"]["metrics"]
    assert both["ngram+nfc"]["f1"]["value"] == 1
    assert both["ngram"]["f1"]["value"] < 0.5


def test_another_figure_ranks(bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path) -> None:
    texts = {f"p{at}": " ".join(f"w{at}x{word}" for word in range(30)) for at in range(4)}
    gold = folder_gold({page: (html_of(f"<p>{text}</p>"), text) for page, text in texts.items()})
    silent = {page: text if page < "p2" else "" for page, text in texts.items()}
    steady = {page: " ".join(text.split()[:18]) for page, text in texts.items()}
    files = [
        predictions(tmp_path / f"{n}.json", t) for n, t in (("silent", silent), ("steady", steady))
    ]
    words = ("score", "--predictions", *files, "--gold", f"folder:{gold}")
    by_f1 = rows(bench_cli(*words, "--json"))
    by_page = rows(bench_cli(*words, "--json", "--rank-by", "page_f1"))
    assert (by_f1["silent"]["f1"]["value"], by_f1["silent"]["page_f1"]["value"]) == (
        pytest.approx(2 / 3),
        0.5,
    )
    assert by_page["steady"]["place"] == 1
    unknown = bench_cli(*words, "--rank-by", "f2")
    assert (unknown.returncode, unknown.stderr.count("\n")) == (2, 1)
    assert "it has precision, recall, f1" in unknown.stderr


def test_variants_stand_under_their_program_unless_they_are_to_be_ranked(
    bench_cli: BenchCli, folder_gold: FolderGold
) -> None:
    texts = {f"p{at}": " ".join(f"w{at}x{word}" for word in range(30)) for at in range(3)}
    gold = folder_gold({page: (html_of(f"<p>{text}</p>"), text) for page, text in texts.items()})
    run = bench_cli("run", "beautifulsoup:*", "--gold", f"folder:{gold}", "--quiet", "--json")
    board = rows(run)
    ranked = [label for label, row in board.items() if row["rank"]]
    assert ranked == ["beautifulsoup:html.parser"]
    assert board["beautifulsoup:lxml"]["variant_of"] == "beautifulsoup:html.parser"
    assert board["beautifulsoup:lxml"]["versus"]["value"] is not None
    every = rows(bench_cli("leaderboard", "--variants", "--json"))
    assert all(row["rank"] for row in every.values())
