"""What data sets are like, in figures and charts."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench.datasets import catalogue
from bench.report.charts import gold as charts
from bench.scoring import gold_stats
from bench.scoring.gold_stats import GoldStats
from tests.cli.test_gold_lint import held_against_golden
from tests.conftest import BenchCli, FolderGold

PNG = b"\x89PNG\r\n\x1a\n"
SVG = "{http://www.w3.org/2000/svg}"
FILES = {"kinds.png", "kinds.svg", "sizes.png", "sizes.svg", "stats.json"}


@pytest.fixture(scope="module")
def starter() -> GoldStats:
    return gold_stats.of_data_set(catalogue.open_gold("starter"))


def test_figures_of_a_small_set(folder_gold: FolderGold) -> None:
    folder = folder_gold(
        {
            "a": ("<html lang=en><p>one two <a>three four</a>", "one two"),
            "b": ("<html lang=de><p>one two three four", "one two three four"),
            "c": ("", ""),
        }
    )
    stats = gold_stats.of_data_set(catalogue.open_gold(f"folder:{folder}"))
    assert (stats.pages, stats.empty_gold, stats.words, stats.gold_words) == (3, 1, 8, 6)
    assert stats.page_types == {"unknown": 3}
    assert stats.languages == {"de": 1, "en": 1, "unknown": 1}
    assert stats.values["outside"] == [0.5, 0.0, None]
    assert stats.values["link_density"] == [0.5, 0.0, None]
    assert stats.values["depth"] == [3, 2, 0]
    outside = stats.summaries["outside"]
    assert (outside.pages, outside.mean, outside.min, outside.median) == (2, 0.25, 0.0, 0.25)
    assert stats.by_page_type == {}


def test_a_summary_of_nothing() -> None:
    assert gold_stats.summary([None]).pages == 0
    assert gold_stats.summary([]).median is None


def test_figures_of_the_starter_set(starter: GoldStats) -> None:
    assert starter.pages == 62
    assert sum(starter.page_types.values()) == sum(starter.languages.values()) == 62
    assert next(iter(starter.page_types)) == "article"
    assert set(starter.by_page_type) == set(starter.page_types)
    for name, summary in starter.summaries.items():
        found = [summary.min, summary.p5, summary.p25, summary.median, summary.p75, summary.p95]
        numbers = [each for each in [*found, summary.max] if each is not None]
        assert numbers == sorted(numbers), name
        assert len(numbers) == 7


@pytest.mark.parametrize("width", [80, 120])
def test_what_the_command_shows(bench_cli: BenchCli, width: int) -> None:
    done = bench_cli("gold", "stats", "starter", env={"COLUMNS": str(width)})
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= width
    held_against_golden(f"gold-stats-{width}.txt", done.stdout)


def test_json_and_files(bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path) -> None:
    folder = folder_gold()
    names = ("starter", f"folder:{folder}")
    done = bench_cli("gold", "stats", *names, "--json", "--output", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout)["data_sets"]
    assert (first["name"], second["name"]) == ("starter", "folder:pages")
    assert "values" not in first
    for name, shown in (("starter", first), ("folder-pages", second)):
        written = tmp_path / "out" / name
        assert {path.name for path in written.iterdir()} == FILES
        assert json.loads((written / "stats.json").read_text(encoding="utf-8")) == shown
        for path in written.glob("*.png"):
            assert path.read_bytes().startswith(PNG)
    assert bench_cli("gold", "stats", "no-such-set").returncode == 2


def test_what_the_charts_plot(starter: GoldStats) -> None:
    shown = {
        "page types": list(map(list, charts.bars(starter.page_types))),
        "languages": list(map(list, charts.bars(starter.languages))),
        "histograms": [
            {
                "title": each.title,
                "edges": [round(edge, 4) for edge in each.edges],
                "pages": list(each.pages),
                "median": round(each.median, 4),
                "log": each.log,
                "zeros": each.zeros,
            }
            for each in charts.histograms(starter)
        ],
    }
    held_against_golden("gold-charts.json", json.dumps(shown, indent=1, ensure_ascii=False) + "\n")


@pytest.mark.parametrize("name", list(gold_stats.QUANTITIES))
@pytest.mark.parametrize("values", [[1.0], [0.0, 1.0], [0.25, 0.5, 1.0, None], [1.0] * 9])
def test_every_page_is_in_one_bin(name: str, values: list[float | None]) -> None:
    found = charts.histogram(name, values)
    assert found is not None
    assert sum(found.pages) + found.zeros == sum(each is not None for each in values)
    assert len(found.edges) == len(found.pages) + 1
    assert list(found.edges) == sorted(set(found.edges))


def test_nothing_to_draw_is_no_histogram() -> None:
    assert charts.histogram("depth", [None]) is None
    assert charts.histogram("gold_words", [0, 0]) is None


def test_rare_languages_are_drawn_together() -> None:
    shown = charts.bars({f"l{n}": 100 - n for n in range(20)})
    assert len(shown) == charts.MOST_BARS
    assert shown[-1] == ("9 others", sum(100 - n for n in range(11, 20)))


def test_the_same_figures_give_the_same_bytes(starter: GoldStats, tmp_path: Path) -> None:
    first = charts.write_gold_charts(starter, tmp_path / "a")
    second = charts.write_gold_charts(starter, tmp_path / "b")
    assert [a.read_bytes() for a in first] == [b.read_bytes() for b in second]


def test_a_chart_names_everything_and_warns(starter: GoldStats, tmp_path: Path) -> None:
    charts.write_gold_charts(starter, tmp_path)
    root = ElementTree.fromstring((tmp_path / "kinds.svg").read_text(encoding="utf-8"))
    texts = {"".join(each.itertext()) for each in root.iter(f"{SVG}text")}
    assert set(starter.page_types) <= texts
    assert "Smoke set: not evidence about the web." in texts


def test_hostile_labels_and_single_pages_are_drawn(folder_gold: FolderGold, tmp_path: Path) -> None:
    folder = folder_gold({"a": ("", "")})
    facts = {"id": "a", "page_type": "<b>$x^2$\x1b[31m" + "y" * 90, "language": "\u202eabc"}
    (folder / "pages.jsonl").write_text(json.dumps(facts), encoding="utf-8")
    stats = gold_stats.of_data_set(catalogue.open_gold(f"folder:{folder}"))
    for path in charts.write_gold_charts(stats, tmp_path / "out"):
        if path.suffix == ".svg":
            content = path.read_text(encoding="utf-8")
            ElementTree.fromstring(content)
            assert "\x1b" not in content
