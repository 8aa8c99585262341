"""Charts in a page: nothing that a strict policy forbids, and a title on every mark."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from bench.report.charts import rows, scatter, style, svg
from bench.report.charts.plotted import CPU, MEMORY
from tests.unit.test_charts import SVG, board, line, many


def parts(text: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(text).iter())


@pytest.mark.parametrize("layout", [style.PAGE, style.PHONE])
def test_a_chart_in_a_page_has_no_inline_style_and_ids_of_its_own(layout: style.Layout) -> None:
    with style.house_style([""]):
        sheet = scatter.quality_cost(many(6), CPU, layout)
        assert sheet is not None
        drawn = parts(svg.inline(sheet, "one", {}))
    assert not [part for part in drawn if "style" in part.attrib or part.tag == f"{SVG}style"]
    ids = [part.attrib["id"] for part in drawn if "id" in part.attrib]
    assert ids
    assert len(set(ids)) == len(ids)
    assert all(each.startswith("one-") for each in ids)
    used = [part.attrib["href"] for part in drawn if part.tag == f"{SVG}use"]
    assert used
    assert {each.removeprefix("#") for each in used} <= set(ids)


def test_marks_say_their_figures_and_lead_to_their_rows() -> None:
    with style.house_style([""]):
        sheet = scatter.quality_cost(board(line("a", 0.94949, 2), line("b", 0.8, 1)))
        assert sheet is not None
        drawn = parts(svg.inline(sheet, "one", {"a": "a.html"}))
    titles = [part.text for part in drawn if part.tag == f"{SVG}title"]
    assert titles == ["a: 94.9 (92.9–96.9) at 2.00 ms", "b: 80.0 (78.0–82.0) at 1.00 ms"]
    (link,) = [part for part in drawn if part.tag == f"{SVG}a"]
    assert link.attrib == {"href": "a.html", "aria-label": titles[0]}


def test_files_have_the_titles_too() -> None:
    with style.house_style([""]):
        drawn = parts(svg.file(rows.quality(board(line("<b>", 0.5, 1)))))
    titles = [part.text for part in drawn if part.tag == f"{SVG}title"]
    assert titles[0] == "Extraction quality: Article benchmark · 181 pages"
    assert "<b>: F1 50.0 (48.0–52.0)" in titles


def test_without_memory_there_is_no_chart_of_it() -> None:
    assert scatter.quality_cost(board(line("a", 0.9, 1)), MEMORY) is None
