"""The data of each chart, and that its files are whole, stable and safe with hostile labels."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest

from bench.report.charts import placing, plotted, style
from bench.report.charts.plotted import Point
from bench.report.charts.write import write_charts
from bench.scoring.leaderboard import Cost, Leaderboard, Line
from bench.stats.estimate import Estimate, Standing

PNG = b"\x89PNG\r\n\x1a\n"
FILES = [
    f"{name}.{form}" for name in ("quality", "time", "quality-cost") for form in ("png", "svg")
]
SVG = "{http://www.w3.org/2000/svg}"


def figure(value: float) -> Estimate:
    return Estimate(value, 0.01, max(0.0, value - 0.02), min(1.0, value + 0.02), 20)


def cost(ms: float, pages: int = 181) -> Cost:
    return Cost(
        answered=pages, wall_s=1.0, cpu_s=ms * pages / 1000, ms_per_page=ms, ms_per_page_mean=ms,
        ms_per_page_p95=3 * ms, rss_peak_bytes=None, ram_percent=None, cpu_percent=100.0,
        start_s=0.1,
    )  # fmt: skip


def line(label: str, f1: float, ms: float | None, rank: int | None = 1) -> Line:
    name, _, variant = label.partition(":")
    return Line(
        standing=rank and Standing(rank == 1, rank - 1, ("a",)),
        name=name,
        variant=variant or "default",
        version="1.0",
        kind="control" if rank is None else "extractor",
        language="Python",
        pages=181,
        outcomes={"ok": 181},
        figures={each: figure(f1) for each in ("f1", "precision", "recall", "accuracy")},
        cost=None if ms is None else cost(ms),
    )


def board(*lines: Line, smoke: bool = False, timings_ranked: bool = True) -> Leaderboard:
    gold = {"name": "aeb", "title": "Article benchmark", "pages": 181, "smoke": smoke}
    return Leaderboard(gold=gold, lines=lines, timings_ranked=timings_ranked)


def many(count: int) -> Leaderboard:
    """Rows as they come: near each other in quality, far apart in time; and the controls."""
    rows = [
        line(
            f"family{at % 7}:variant-number-{at}",
            0.96 - 0.008 * at,
            2.0 * 1.15 ** (at * 11 % 35),
            at + 1,
        )
        for at in range(count)
    ]
    controls = [line("everything", 0.68, 2.2, None), line("nothing", 0.0, 0.01, None)]
    return board(*rows, *controls)


def point(label: str, ms: float, f1: float, rank: int | None = 1) -> Point:
    return Point(label, rank, rank is None, True, ms, f1, f1 - 0.01, f1 + 0.01)


def texts(path: Path) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.parse(path).iter(f"{SVG}text")]


# What is plotted


def test_the_front_is_what_no_other_beats() -> None:
    a, b, c = point("a", 1, 0.5), point("b", 2, 0.8), point("c", 9, 0.9)
    slower, worse = point("slower", 3, 0.8), point("worse", 2, 0.7)
    assert plotted.pareto_front([c, slower, b, worse, a]) == [a, b, c]


def test_equal_points_share_the_front_and_controls_are_never_on_it() -> None:
    a, twin = point("a", 1, 0.5), point("twin", 1, 0.5)
    control = point("gold", 0.1, 1.0, rank=None)
    assert plotted.pareto_front([control, twin, a]) == [a, twin]
    assert plotted.pareto_front([control]) == []


def test_a_row_that_failed_on_many_pages_is_not_on_the_front() -> None:
    quick = replace(line("quick", 0.99, 0.1), outcomes={"ok": 69, "error": 112})
    sound, slow = line("sound", 0.9, 6.0), line("slow", 0.8, 9.0)
    few = replace(line("few", 0.95, 8.0), outcomes={"ok": 172, "error": 9})
    points = plotted.points(board(quick, few, sound, slow), plotted.CPU)
    assert [each.label for each in plotted.pareto_front(points)] == ["sound", "few"]


def test_the_front_is_drawn_as_steps() -> None:
    x, y = plotted.stairs([point("a", 1, 0.5), point("b", 2, 0.8)], until=10)
    assert x == [1, 2, 2, 10]
    assert y == [0.5, 0.5, 0.8, 0.8]


def test_leaders_are_the_best_variant_of_each_extractor() -> None:
    points = [point("a", 1, 0.5), point("a:x", 1, 0.6), point("b", 1, 0.9), point("c", 1, 1, None)]
    assert [each.label for each in plotted.leaders(points)] == ["b", "a:x"]


def test_quality_rows_keep_the_leaderboards_order_and_figures() -> None:
    some = board(line("a", 0.9, 1), line("b", 0.8, 1), line("nothing", 0, 1, None))
    rows = plotted.quality_rows(some)
    assert [row.label for row in rows] == ["a", "b", "nothing"]
    assert [row.control for row in rows] == [False, False, True]
    assert set(rows[0].figures) == {"f1", "precision", "recall", "accuracy"}
    assert rows[1].figures["f1"] == plotted.drawn(figure(0.8))


def test_time_rows_are_fastest_first_then_controls() -> None:
    some = board(
        line("a", 0.9, 5), line("b", 0.8, 1), line("c", 0.7, None), line("n", 0, 0.1, None)
    )
    rows = plotted.time_rows(some)
    assert [(row.label, row.median_ms, row.p95_ms) for row in rows] == [
        ("b", 1, 3),
        ("a", 5, 15),
        ("n", 0.1, pytest.approx(0.3)),
    ]


def test_contended_times_are_not_ordered() -> None:
    some = board(line("a", 0.9, 5), line("b", 0.8, 1), timings_ranked=False)
    assert [row.label for row in plotted.time_rows(some)] == ["a", "b"]


@pytest.mark.parametrize("ms", [0.0, math.nan, math.inf])
def test_times_that_no_axis_can_show_are_left_out(ms: float) -> None:
    some = board(line("a", 0.9, ms), line("b", 0.8, 1))
    assert [row.label for row in plotted.time_rows(some)] == ["b"]
    assert [each.label for each in plotted.points(some, plotted.CPU)] == ["b"]


def test_a_time_axis_is_logarithmic_only_over_a_wide_range() -> None:
    assert not plotted.needs_log(1, 20)
    assert plotted.needs_log(1, 20.1)


def test_the_quality_axis_ignores_controls_and_outliers() -> None:
    good = [line(f"e{at}", 0.95 - at / 100, 1) for at in range(8)]
    rows = plotted.quality_rows(board(*good, line("nothing", 0, 1, None)))
    assert plotted.quality_floor(rows) == pytest.approx(0.8)
    rows = plotted.quality_rows(board(*good, line("broken", 0.1, 1)))
    assert plotted.quality_floor(rows) == pytest.approx(0.8)


def test_without_outliers_every_row_is_inside() -> None:
    assert plotted.outlier_floor([0.6, 0.8, 0.9, 0.95]) == 0.0
    assert plotted.outlier_floor([0.1, *[0.9] * 7]) == pytest.approx(0.9)
    assert plotted.outlier_floor([]) == 0.0


def test_only_far_controls_are_left_out_of_quality_against_time() -> None:
    near, far = point("everything", 2, 0.7, None), point("nothing", 0.01, 0.0, None)
    others = [point("a", 1, 0.7), point("b", 9, 0.9), point("bad", 5, 0.1)]
    shown, left_out = plotted.within_view([*others, near, far])
    assert shown == [*others, near]
    assert left_out == [far]
    assert plotted.within_view([near, far]) == ([near, far], [])


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("a$b$c<script>", "a$b$c<script>"),
        ("a\nb\x00\x1b[31mc\u202e\u200b", "a b[31mc"),
        ("\ud800\uffff", "?"),
        ("", "?"),
        ("x" * 30 + "y" * 30, "x" * 20 + "…" + "y" * 19),
    ],
)
def test_labels_are_made_printable(hostile: str, shown: str) -> None:
    assert plotted.clean(hostile) == shown


def test_two_versions_of_an_extractor_are_told_apart() -> None:
    lines = [line("a", 0.9, 1), replace(line("a", 0.8, 1), version="2.0"), line("b", 0.7, 1)]
    assert plotted.labels(lines) == ["a@1.0", "a@2.0", "b"]


def test_names_cover_neither_each_other_nor_points() -> None:
    generator = np.random.default_rng(1)
    anchors = generator.uniform([60, 60], [460, 340], size=(35, 2))
    sizes = np.tile([70.0, 8.0], (35, 1))
    bounds = (0, 0, 520, 400)
    centres = placing.place(anchors, sizes, anchors, np.empty((0, 2)), bounds)
    assert centres == placing.place(anchors, sizes, anchors, np.empty((0, 2)), bounds)
    found = np.array([each for each in centres if each is not None])
    assert len(found) == 35
    for at, centre in enumerate(found):
        assert (np.abs(found - centre) < sizes).all(axis=1).sum() == 1, "covers another name"
        assert not (np.abs(anchors - centre) < sizes / 2).all(axis=1).any(), "covers a point"
        assert (centre - sizes[at] / 2 >= 0).all()
        assert (centre + sizes[at] / 2 <= bounds[2:]).all()


def test_a_name_without_room_is_dropped_and_the_important_stays() -> None:
    anchors = np.array([[10.0, 10.0], [10.0, 10.0]])
    centres = placing.place(
        anchors, np.full((2, 2), 18.0), anchors, np.empty((0, 2)), (0, 0, 20, 20)
    )
    assert centres[0] is not None
    assert centres[1] is None


# What is written


@pytest.mark.parametrize("count", [1, 3, 35])
def test_every_chart_names_every_row(tmp_path: Path, count: int) -> None:
    some = many(count)
    written = write_charts(some, tmp_path)
    assert [path.name for path in written] == FILES
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)
    for path in written:
        if path.suffix == ".png":
            assert path.read_bytes().startswith(PNG)
            continue
        everything = "\n".join(texts(path))
        assert "Article benchmark · 181 pages" in everything
        for each in some.lines:
            assert each.label in everything, path.name
    if count == 35:
        _fit_a_readme(tmp_path)


def _fit_a_readme(folder: Path) -> None:
    for name in ("quality", "time", "quality-cost"):
        head = (folder / f"{name}.png").read_bytes()[16:24]
        width, height = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big")
        assert width == round(style.WIDTH * style.DPI) <= 1200
        assert 800 < height < 1600


def test_the_same_leaderboard_gives_the_same_bytes(tmp_path: Path) -> None:
    one = write_charts(many(12), tmp_path / "one")
    two = write_charts(many(12), tmp_path / "two")
    for a, b in zip(one, two, strict=True):
        assert a.read_bytes() == b.read_bytes(), a.name


def test_the_users_own_settings_neither_matter_nor_change(tmp_path: Path) -> None:
    plain = write_charts(many(2), tmp_path / "plain")
    with matplotlib.rc_context({"font.size": 30, "text.parse_math": True, "svg.fonttype": "path"}):
        before = dict(matplotlib.rcParams)
        loud = write_charts(many(2), tmp_path / "loud")
        assert dict(matplotlib.rcParams) == before
    for a, b in zip(plain, loud, strict=True):
        assert a.read_bytes() == b.read_bytes(), a.name


@pytest.mark.filterwarnings("error")
def test_hostile_labels_are_text(tmp_path: Path) -> None:
    labels = ["a$b$c<script>", "$\\frac{", "]]>&amp;", "日本語", "العربية", "a\x07b\x00"]
    lines = [line(label, 0.9 - at / 50, 3.0 + at, at + 1) for at, label in enumerate(labels)]
    some = board(*lines)
    title = {**some.gold, "title": "$x^2$ <b>\x1b"}
    written = write_charts(replace(some, gold=title), tmp_path)
    for path in written:
        if path.suffix == ".svg":
            assert b"<script" not in path.read_bytes()
            drawn = texts(path)
            for label in [*labels[:-1], "ab"]:
                assert label in drawn, (path.name, label)
            assert "$x^2$ <b> · 181 pages" in drawn


def test_without_costs_there_is_quality_alone(tmp_path: Path) -> None:
    written = write_charts(board(line("a", 0.9, None), line("b", 0.8, None, 2)), tmp_path)
    assert [path.name for path in written] == ["quality.png", "quality.svg"]


def test_without_lines_there_is_no_chart(tmp_path: Path) -> None:
    assert write_charts(board(), tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("values", [(0.0,), (1.0, 1.0), (math.nan, 0.5)])
def test_extreme_figures_are_drawn(tmp_path: Path, values: tuple[float, ...]) -> None:
    lines = [line(f"e{at}", value, 1.0, at + 1) for at, value in enumerate(values)]
    assert [path.name for path in write_charts(board(*lines), tmp_path)] == FILES


def test_controls_alone_are_drawn(tmp_path: Path) -> None:
    some = board(line("nothing", 0.0, 0.1, None), line("gold", 1.0, 0.1, None))
    assert [path.name for path in write_charts(some, tmp_path)] == FILES


def test_points_that_find_no_room_are_named_below(tmp_path: Path) -> None:
    lines = [line("w" * 40 + f":{at}", 0.9, 5.0, at + 1) for at in range(24)]
    lines = [replace(each, name=f"{at:02}" + "w" * 30) for at, each in enumerate(lines)]
    write_charts(board(*lines), tmp_path)
    everything = " ".join(texts(tmp_path / "quality-cost.svg"))
    for each in lines:
        assert each.label in everything


def test_a_smoke_set_and_contended_times_say_so(tmp_path: Path) -> None:
    some = replace(many(3), timings_ranked=False)
    write_charts(replace(some, gold={**some.gold, "smoke": True}), tmp_path)
    for name in ("quality", "time", "quality-cost"):
        drawn = " ".join(texts(tmp_path / f"{name}.svg"))
        assert "not evidence about the web" in drawn
        assert ("contended" in drawn) == (name != "quality")
    write_charts(replace(some, machines=2), tmp_path)
    assert "of 2 different machines" in " ".join(texts(tmp_path / "time.svg"))
    write_charts(many(3), tmp_path)
    assert "evidence" not in (tmp_path / "quality.svg").read_text(encoding="utf-8")
    assert "ontended" not in (tmp_path / "time.svg").read_text(encoding="utf-8")
