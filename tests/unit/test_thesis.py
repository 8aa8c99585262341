"""``bench report --style thesis``: the chapter's data, its text in two forms, and its charts' data.

``BENCH_UPDATE_GOLDEN=1`` writes the golden files again.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import spearmanr

from bench.adapters import registry
from bench.metrics.bow import Bow
from bench.model import UsageError
from bench.report import latex, markdown
from bench.report.thesis import charts, document, write
from bench.report.thesis.chapter import Chapter, chapter
from bench.report.thesis.plan import FIGURES, Numbers, plan, printed
from bench.scoring.leaderboard import Leaderboard, Line
from bench.stats.estimate import Estimate
from tests.conftest import BenchCli
from tests.unit.test_reports import BOARD, HOSTILE, held_against_golden, unsafe
from tests.unit.test_reports import line as sample

PRINTED = {
    "trafilatura:precision": (0.91, 0.92, 0.97, 0.945),
    "readability": (0.89, 0.91, 0.94, 0.923),
    "goose3": (0.87, 0.93, 0.89, 0.909),
    "justext": (0.77, 0.86, 0.86, 0.861),
    "rvest": (0.13, 0.14, 0.90, 0.238),
    "Rcrawler": (0.45, 0.46, 0.93, 0.618),
    "somebody else's": (0.5, 0.5, 0.5, 0.5),
}
OURS = {
    "trafilatura:precision": (0.92, 0.947, 0.971, 0.959),
    "readability": (0.92, 0.935, 0.975, 0.964),
    "goose3": (0.80, 0.931, 0.825, 0.875),
    "rvest:text": (0.245, 0.246, 0.984, 0.394),
    "justext": (0.64, 0.866, 0.729, 0.792),
    "beautifulsoup:lxml": (0.498, 0.499, 0.994, 0.665),
}


def row(place: int, label: str) -> Line:
    name, _, variant = label.partition(":")
    values = dict(zip(FIGURES, OURS[label], strict=True))
    made = sample(place, name, variant or "default", ms=10.0 * place)
    figures = {
        key: Estimate(value, 0.01, value - 0.02, min(1.0, value + 0.015), 20)
        for key, value in values.items()
    }
    parser = registry.rows([label])[0].adapter.facts.parser_of(variant)
    return replace(made, figures={**made.figures, **figures}, place=place, parser=parser)


def board() -> Leaderboard:
    best = sorted(OURS, key=lambda label: -OURS[label][3])
    lines = [row(at, label) for at, label in enumerate(best, 1)]
    return replace(BOARD, lines=[*lines, sample(None, "nothing", f1=0.0)], timings_ranked=True)


def beside() -> dict[str, Numbers]:
    return {
        name: Numbers(dict(zip(FIGURES, values, strict=True)), 101, 45.0, 1.5, 4.0)
        for name, values in PRINTED.items()
    }


@pytest.fixture
def made() -> Chapter:
    return chapter(board(), plan(), beside())


# -- the data that ships --------------------------------------------------------------------


def test_every_label_of_the_plan_is_an_extractor() -> None:
    found = plan()
    labels = {row.label for row in registry.all_rows()}
    named = {*found.known, *found.generic}
    named |= {label for each in found.comparisons for own in each.groups.values() for label in own}
    assert named - labels == set()
    assert len({each.printed for each in found.known.values()}) == len(found.known)
    keys = [each.key for each in found.comparisons]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch("[a-z-]+", key) for key in keys)


def test_no_row_stands_in_two_groups() -> None:
    for each in plan().comparisons:
        rows = [label for own in each.groups.values() for label in own]
        assert len(rows) == len(set(rows)), each.key


# -- the chapter's data ---------------------------------------------------------------------


def test_efficacy_and_efficiency(made: Chapter) -> None:
    for each in made.generic.rows:
        recall, precision = each.ours.figures["recall"], each.ours.figures["precision"]
        assert recall is not None
        assert precision is not None
        assert each.ours.efficacy == pytest.approx(recall * precision)
        assert each.line.cost is not None
        assert each.ours.efficiency == pytest.approx(
            each.ours.efficacy * 181 / each.line.cost.wall_s
        )
    (goose,) = (each for each in made.generic.rows if each.label == "goose3")
    assert goose.printed is not None
    assert goose.printed.efficiency == pytest.approx(0.93 * 0.89 * 101 / 4.0)


def test_the_correlation_is_scipys(made: Chapter) -> None:
    agreement = made.beside_printed
    assert agreement is not None
    assert {each.label for each in agreement.differences} == OURS.keys() - {"beautifulsoup:lxml"}
    ours = [each.ours for each in agreement.differences]
    theirs = [each.printed for each in agreement.differences]
    assert agreement.spearman == pytest.approx(spearmanr(ours, theirs).statistic)
    assert agreement.spearman is not None
    assert agreement.spearman < 1, "readability and trafilatura have changed places"
    assert agreement.without == ["rcrawler:body"]


def test_each_difference_says_what_moved(made: Chapter) -> None:
    assert made.beside_printed is not None
    texts = {each.label: each.text for each in made.beside_printed.differences}
    assert "Recall moved most, from 89.0 to 82.5." in texts["goose3"]
    assert "Precision moved most, from 14.0 to 24.6." in texts["rvest:text"]
    assert "outside our 95 % interval" in texts["rvest:text"]
    assert "within our 95 % interval" in texts["trafilatura:precision"]
    assert all(plan().known[label].why in text for label, text in texts.items())


def test_too_few_rows_are_not_correlated() -> None:
    found = chapter(replace(board(), lines=board().lines[:2]), plan(), beside())
    assert found.beside_printed is not None
    assert found.beside_printed.spearman is None
    assert "too few to correlate" in markdown.render(document.document(found))


def test_a_board_without_the_thesiss_figures_is_refused() -> None:
    with pytest.raises(UsageError, match="needs n-gram figures"):
        chapter(replace(board(), metric=Bow()), plan(), None)


# -- printed figures ------------------------------------------------------------------------

HEAD = "extractor,accuracy,precision,recall,f1,ram_percent,cpu_percent,time_s\n"


def test_printed_figures_are_read(tmp_path: Path) -> None:
    path = tmp_path / "printed.csv"
    path.write_text(HEAD + "one,0.9,0.8,0.7,0.75,45.0,,3.5\n", encoding="utf-8")
    (found,) = printed(path, 101).values()
    assert found.figures == {"accuracy": 0.9, "precision": 0.8, "recall": 0.7, "f1": 0.75}
    assert (found.ram_percent, found.cpu_percent, found.time_s) == (45.0, None, 3.5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "lacks the columns extractor, accuracy"),
        (HEAD + "one,1.2,0.8,0.7,0.75,45,1,3\n", "line 2: accuracy must be a number from 0 to 1"),
        (HEAD + "one,0.9,nan,0.7,0.75,45,1,3\n", "line 2: precision must be"),
        (HEAD + "one,0.9,0.8\n", "line 2: recall must be"),
        (HEAD + "one,0.9,0.8,0.7,0.75,45,1,soon\n", "line 2: time_s must be"),
        ("\udcff", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "printed.csv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=re.escape(said)):
        printed(path, 101)


# -- text -----------------------------------------------------------------------------------


def files(made: Chapter) -> dict[str, str]:
    sections = [*made.packages, *made.comparisons, made.generic]
    return {stem: f"{stem}.png" for section in sections if section.rows for stem in section.files}


def test_markdown_golden(made: Chapter) -> None:
    held_against_golden("thesis.md", markdown.render(document.document(made), files(made)))


def test_latex_golden(made: Chapter) -> None:
    held_against_golden("thesis.tex", latex.render(document.document(made), files(made)))


def test_a_comparison_by_parser_takes_its_groups_from_the_adapters(made: Chapter) -> None:
    (parser,) = (section for section in made.comparisons if section.key == "parser")
    assert {name: [row.label for row in rows] for name, rows in parser.groups.items()} == {
        "lxml": ["readability", "trafilatura:precision", "goose3", "justext", "beautifulsoup:lxml"],
        "libxml2": ["rvest:text"],
    }


def test_figure_4_14_counts_tokens_between_white_space() -> None:
    """The remark in thesis.toml: the printed counts are not those of listing 4.1."""
    text = (
        "MADRID {} Top-ranked Rafael Nadal has arrived in Madrid to lead Spain in the new-look "
        'Davis Cup Finals. {}It{}s a new competition and we must be focused," Nadal said Sunday.'
    )
    gold, extracted = text.format("--", "", "'"), text.format("\u2014", "\u201c", "\u2019")

    def counts(tokens: Callable[[str], list[str]]) -> tuple[int, int, int]:
        ours, theirs = (
            Counter(zip(*(tokens(text)[at:] for at in range(4)), strict=False))
            for text in (extracted, gold)
        )
        return (ours & theirs).total(), (ours - theirs).total(), (theirs - ours).total()

    assert counts(str.split) == (21, 6, 6)
    assert counts(re.compile(r"\w+").findall) == (29, 0, 0)


def test_without_printed_figures() -> None:
    found = chapter(board(), plan(), None)
    text = markdown.render(document.document(found))
    assert "--printed FILE" in text.replace("\\", "")
    assert "| printed |" not in text


@pytest.mark.parametrize("text", [*HOSTILE.values(), "x" * 1_000_000], ids=[*HOSTILE, "1 MB"])
def test_strangers_names_are_inert(text: str) -> None:
    lines = [replace(board().lines[0], name=text, version=text), *board().lines[1:]]
    hostile = replace(board(), lines=lines, gold={**BOARD.gold, "title": text}, warnings=[text])
    found = list(document.document(chapter(hostile, plan(), beside())))
    shown = markdown.render(found, {})
    assert unsafe(shown) == set()
    bare = re.sub(r"\\.", "", shown)
    assert not set(bare) & set("<>`*_[]!~&")
    assert len(shown) < 100_000
    tex = latex.render(found, {})
    assert unsafe(tex) == set()
    assert len(tex) < 100_000
    for command in (r"\input{", r"\write", r"\def"):
        assert command not in tex.replace(r"For \input;", "")
    assert tex.count(r"\begin{") == tex.count(r"\end{")


# -- charts ---------------------------------------------------------------------------------


def test_what_the_charts_plot(made: Chapter) -> None:
    sections = [*made.packages, *made.comparisons, made.generic]
    files = {stem for section in sections for stem in section.files}
    assert {"generic-time", "xpath-efficacy", "beautifulsoup-variants-usage"} <= files
    parser = next(section for section in made.comparisons if section.key == "parser")
    for panel, name in zip(charts.panels(parser, ""), FIGURES, strict=True):
        assert [bar.value for bar in panel.bars] == [row.ours.figures[name] for row in parser.rows]
        for bar, row in zip(panel.bars, parser.rows, strict=True):
            there = row.printed.figures[name] if row.printed else None
            assert math.isnan(bar.printed) if there is None else bar.printed == there
            assert bar.lo <= bar.value <= bar.hi
    assert [len(rows) for rows in parser.groups.values()][1:] == [1], (
        "the R row is the second group"
    )
    (time,) = charts.panels(made.generic, "time")
    assert [bar.printed for bar in time.bars if not math.isnan(bar.printed)] == [4.0] * 5


def test_an_axis_is_logarithmic_only_where_numbers_range_widely(made: Chapter) -> None:
    def panel(*values: float) -> charts.Panel:
        bars = [charts.Bar(each, math.nan, math.nan, math.nan, "") for each in values]
        return charts.Panel("x", bars, share=False)

    assert not panel(1.0, 10.0).log
    assert panel(1.0, 100.0).log
    assert not panel(0.0, 5.0).log
    assert not panel().log


def test_all_files_are_written(tmp_path: Path) -> None:
    few = replace(board(), lines=[board().lines[0], board().lines[-1]])
    paths = write.write(few, tmp_path)
    assert all(path.stat().st_size for path in paths)
    charts = {path.stem for path in paths if path.suffix in (".png", ".svg", ".pdf")}
    assert {"generic", "generic-time", "generic-efficacy", "package-readability"} <= charts
    text = (tmp_path / "chapter.md").read_text(encoding="utf-8")
    images = re.findall(r"!\[[^]]*\]\(([^)]+)\)", text)
    assert {Path(name).stem for name in images} == charts
    tex = (tmp_path / "chapter.tex").read_text(encoding="utf-8")
    assert set(re.findall(r"\\includegraphics\[[^]]*\]\{([^}]+)\}", tex)) == charts


def test_options_that_do_not_go_together(bench_cli: BenchCli) -> None:
    done = bench_cli("report", "--style", "thesis", "--export", "csv")
    assert done.returncode == 2
    assert "ask for one at a time" in done.stderr
