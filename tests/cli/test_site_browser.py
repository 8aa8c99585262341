"""The site in a real browser: it works, asks nobody for anything, and can be used by everyone."""

from __future__ import annotations

import functools
import http.server
import threading
from pathlib import Path
from typing import Any

import pytest

from tests import sites
from tests.browsing import DESKTOP, PHONE, Watched, serious
from tests.conftest import BenchCli


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sites.ordinary(tmp_path_factory)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sites.hostile(tmp_path_factory)


def labels(tab: Any, board: str) -> list[str]:
    """Return the extractors of a board in order, those that are shown, controls left out."""
    rows = f'section[data-set="{board}"] tr[data-row]:not([data-control]):visible th a'
    return list(tab.locator(rows).all_text_contents())


def kinds(site: Path) -> dict[str, Path]:
    """Return one page of each kind."""
    run = sites.folder_of(site, "starter")
    page = sorted((run / "pages").glob("????????????????.html"))[3]
    return {
        "index": site / "index.html",
        **{name: run / f"{name}.html" for name in ("cost", "slices", "agreement", "method")},
        "pages": run / "pages.html",
        "extractor": next((run / "extractors").glob("boilerpy3-*.html")),
        "page": page,
        "source": page.with_name(f"{page.stem}-source.html"),
    }


def test_sorting(browser: Any, ordinary: Path) -> None:
    with Watched(browser) as watched:
        tab = watched.open(ordinary / "index.html")
        before = labels(tab, "starter")
        board = tab.locator('section[data-set="starter"] table.board')
        button = board.get_by_role("button", name="recall", exact=True)
        button.focus()
        tab.keyboard.press("Enter")
        heading = board.locator("th[aria-sort]")
        assert heading.get_attribute("aria-sort") == "descending"
        column = heading.evaluate("each => each.cellIndex")
        cells = board.locator(f"tbody tr:not([data-control]) > :nth-child({column + 1})")
        values = [float(each) for each in cells.all_text_contents()]
        assert values == sorted(values, reverse=True)
        tab.keyboard.press("Enter")
        assert heading.get_attribute("aria-sort") == "ascending"
        assert [float(each) for each in cells.all_text_contents()] == sorted(values)
        board.get_by_role("button", name="rank", exact=True).click()
        assert labels(tab, "starter") == before
        last = board.locator("tbody tr").last
        assert last.get_attribute("data-control") is not None
        assert watched.wrong == []


def test_filters(browser: Any, ordinary: Path) -> None:
    with Watched(browser) as watched:
        tab = watched.open(ordinary / "index.html")
        everyone = labels(tab, "starter")
        tab.get_by_label("Extractor", exact=True).fill("HTML")
        assert labels(tab, "starter") == ["html_text"]
        assert tab.get_by_text("2 of 6 rows").is_visible()
        tab.get_by_label("Extractor", exact=True).fill("")
        tab.get_by_label("Licence").select_option("Apache-2.0")
        fewer = labels(tab, "starter")
        assert 0 < len(fewer) < len(everyone)
        tab.get_by_label("Licence").select_option("")
        tab.get_by_label("Available in").select_option("Python")
        assert labels(tab, "starter") == everyone
        tab.get_by_role("combobox", name="Data set").select_option("folder:own")
        assert labels(tab, "starter") == []
        assert labels(tab, "folder:own") != []
        assert watched.wrong == []


def test_choosing_a_figure_and_pages(browser: Any, ordinary: Path) -> None:
    with Watched(browser) as watched:
        tab = watched.open(ordinary / "index.html")
        board = tab.locator('section[data-set="starter"]')
        first = board.locator("[data-main-value]").all_text_contents()
        board.get_by_role("combobox", name="Figure").select_option("bow/recall")
        second = board.locator("[data-main-value]").all_text_contents()
        assert second != first
        shown = [float(each) for each in second[:4]]
        assert shown == sorted(shown, reverse=True)
        board.get_by_role("combobox", name="Pages").select_option("page_type=forum")
        # In slices, the main figure of each metric is known.
        assert board.get_by_role("combobox", name="Figure").input_value() == "bow/f1"
        of_forums = board.locator("[data-main-value]").all_text_contents()
        slices = ordinary / "site" / sites.folder_of(ordinary, "starter").name / "slices.html"
        board.get_by_role("combobox", name="Figure").select_option("ngram/f1")
        of_forums = dict(
            zip(labels(tab, "starter"), board.locator("[data-main-value]").all_text_contents(),
                strict=False)
        )  # fmt: skip
        board.get_by_role("combobox", name="Pages").select_option("")
        assert board.locator("[data-main-value]").all_text_contents() == first
        tab = watched.open(slices)
        table = tab.locator("table.heatmap").first
        heads = table.locator("thead th").all_text_contents()
        at = next(n for n, text in enumerate(heads) if text.startswith("forum"))
        row = table.locator("tbody tr", has_text="html_text")
        assert row.locator("> *").nth(at).text_content() == of_forums["html_text"]
        assert watched.wrong == []


def test_a_price_of_ones_own(browser: Any, ordinary: Path) -> None:
    with Watched(browser) as watched:
        tab = watched.open(kinds(ordinary)["cost"])
        cell = tab.locator("td[data-hours]").first
        hours = float(cell.get_attribute("data-hours"))
        tab.get_by_label("Price of a core-hour").fill("1000")
        assert float(cell.text_content().replace(",", "")) == pytest.approx(hours * 1000, rel=0.01)
        assert watched.wrong == []


def test_from_the_worst_page_to_its_view(browser: Any, ordinary: Path) -> None:
    with Watched(browser) as watched:
        tab = watched.open(ordinary / "index.html")
        tab.locator("table.board").first.get_by_role("link", name="boilerpy3").click()
        tab.get_by_role("region", name="Worst pages").get_by_role("link").first.click()
        opened = tab.locator("details.cell[open]")
        assert opened.count() == 1
        assert "boilerpy3" in opened.locator(".who").text_content()
        assert opened.get_by_role("heading", name="Gold").is_visible()
        tab.get_by_role("button", name="Open all").click()
        assert tab.locator("details.cell:not([open])").count() == 0
        tab.locator("iframe.preview").scroll_into_view_if_needed()
        preview = tab.frames[-1]
        preview.wait_for_load_state()
        assert preview.locator("body").text_content().strip()
        tab.get_by_role("link", name="its source").click()
        assert "<html" in tab.locator("pre.source").text_content()
        assert watched.wrong == []
        assert watched.outside() == []


def test_it_reads_without_javascript(browser: Any, ordinary: Path) -> None:
    with Watched(browser, java_script_enabled=False) as watched:
        tab = watched.open(ordinary / "index.html")
        assert tab.locator("table.board tbody tr").first.is_visible()
        assert tab.locator("form:visible").count() == 0
        assert tab.locator("th button").count() == 0
        for path in kinds(ordinary).values():
            assert watched.open(path).locator("h1").is_visible()


def test_no_attack_runs_and_no_request_leaves(browser: Any, hostile: Path) -> None:
    with Watched(browser) as watched:
        for path in sites.every_page(hostile):
            tab = watched.open(path)
            for frame in tab.locator("iframe").all():
                frame.scroll_into_view_if_needed()
            for each in tab.locator("details").all():
                each.evaluate("each => { each.open = true }")
            tab.wait_for_timeout(100)
            for frame in tab.frames:
                assert not frame.evaluate("document.documentElement.dataset.ran ?? ''"), path
            assert tab.url == path.as_uri()
        assert watched.wrong == []
        assert watched.outside() == []


def test_from_a_web_server_it_asks_that_alone(browser: Any, ordinary: Path) -> None:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(ordinary))
    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server,
        Watched(browser) as watched,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        start = f"http://127.0.0.1:{server.server_port}/"
        for path in kinds(ordinary).values():
            watched.tab.goto(start + path.relative_to(ordinary).as_posix())
            for frame in watched.tab.locator("iframe").all():
                frame.scroll_into_view_if_needed()
        server.shutdown()
        strangers = [url for url in watched.asked if not url.startswith((start, "data:"))]
        assert strangers == []
        assert watched.wrong == []


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
@pytest.mark.parametrize("kind", ["index", "cost", "slices", "agreement", "pages", "method",
                                  "extractor", "page", "source"])  # fmt: skip
def test_everyone_can_use_it(
    browser: Any, ordinary: Path, kind: str, size: dict[str, int], scheme: str
) -> None:
    with Watched(browser, viewport=size, color_scheme=scheme) as watched:
        assert serious(watched.open(kinds(ordinary)[kind])) == []


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_everyone_can_use_a_comparison(
    browser: Any, ordinary: Path, bench_cli: BenchCli, tmp_path: Path, size: dict[str, int],
    scheme: str,
) -> None:  # fmt: skip
    (run,) = [path.name for path in (ordinary.parent / "results").glob("*-starter")]
    rows = [f"{run}/{label}" for label in ("boilerpy3", "readability")]
    results = ordinary.parent / "results"
    done = bench_cli("compare", *rows, "--results", results, "--html", tmp_path / "page.html")
    assert done.returncode in (0, 1), done.stderr
    with Watched(browser, viewport=size, color_scheme=scheme) as watched:
        assert serious(watched.open(tmp_path / "page.html")) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_print_and_in_both_schemes(
    browser: Any, ordinary: Path, scheme: str
) -> None:
    with Watched(browser, color_scheme=scheme) as watched:
        tab = watched.open(ordinary / "index.html")
        grounds = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}
        ground = "getComputedStyle(document.body).backgroundColor"
        assert tab.evaluate(ground) == grounds[scheme]
        tab.emulate_media(media="print")
        assert tab.evaluate(ground) == grounds["light"]
        assert tab.locator("form.filters:visible").count() == 0
        assert len(tab.pdf()) > 10_000


def test_what_is_chosen_is_in_the_address(browser: Any, ordinary: Path) -> None:
    with Watched(browser) as watched:
        tab = watched.open(ordinary / "index.html")
        tab.get_by_label("Extractor", exact=True).fill("html")
        board = tab.locator('section[data-set="starter"]')
        board.get_by_role("combobox", name="Figure").select_option("bow/recall")
        values = board.locator("[data-main-value]").all_text_contents()
        address = tab.url
        tab.goto("about:blank")
        tab.goto(address)
        assert labels(tab, "starter") == ["html_text"]
        assert board.get_by_role("combobox", name="Figure").input_value() == "bow/recall"
        assert board.locator("[data-main-value]").all_text_contents() == values
        tab.get_by_label("Extractor", exact=True).fill("")
        board.get_by_role("combobox", name="Figure").select_option("ngram/f1")
        assert "?" not in tab.url
        assert watched.wrong == []


def test_names_do_not_break_inside_a_word_on_a_phone(browser: Any, ordinary: Path) -> None:
    lines = """names => names.flatMap(name => [...name.childNodes].filter(each => each.nodeType === 3)
        .map(word => { const range = document.createRange(); range.selectNodeContents(word);
                       return [word.data, range.getClientRects().length]; }))"""
    with Watched(browser, viewport=PHONE) as watched:
        tab = watched.open(ordinary / "index.html")
        words = tab.locator("table.board th.stick a").evaluate_all(lines)
        assert len(words) > 5
        assert [word for word, count in words if count > 1] == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_answer_chart_table_and_caveats_come_in_this_order(
    browser: Any, ordinary: Path, size: dict[str, int]
) -> None:
    with Watched(browser, viewport=size) as watched:
        tab = watched.open(ordinary / "index.html")
        charts = tab.locator('section[data-set="starter"] svg.chart:visible')
        assert charts.count() == 1
        title = charts.locator("a title").first.text_content()
        assert " ms" in title
        parts = ["p.verdict", "svg.chart:visible", "table.board", "ul.notes"]
        tops = [
            tab.locator(f'section[data-set="starter"] {part}').first.bounding_box()["y"]
            for part in parts
        ]
        assert tops == sorted(tops)
