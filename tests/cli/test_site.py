"""The site as files: what it holds, and that nothing of a stranger's is more than text in it."""

from __future__ import annotations

import functools
import html.parser
import json
import math
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nh3
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.model import Gold, GoldPage, Page
from bench.report import pareto
from bench.report.charts import extractor as row_charts
from bench.report.site import (
    diff_html,
    evidence,
    page_memory,
    page_preview,
    page_source,
    page_views,
    rendering,
)
from bench.report.site.page_memory import Memory
from bench.report.text_diff import Diff
from bench.scoring.stored_run import Answer
from bench.util import display
from bench.util.numbers import percent
from tests import commands, sites
from tests.conftest import SMALL, BenchCli, write_pages

GOLDEN = Path(__file__).parents[1] / "golden" / "site"
UPDATE = bool(os.environ.get("BENCH_UPDATE_GOLDEN"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sites.hostile(tmp_path_factory)


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sites.ordinary(tmp_path_factory)


class Markup(html.parser.HTMLParser):
    """What a file is made of: its elements, their attributes, its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(path: Path) -> Markup:
    return Markup(path.read_text(encoding="utf-8").replace("<wbr>", ""))


# -- strangers' strings ---------------------------------------------------------------------------


def test_no_element_of_a_stranger_is_in_any_page(hostile: Path) -> None:
    ours = {"site.js"}
    for path in sites.every_page(hostile):
        page = parsed(path)
        for tag, attributes in page.tags:
            assert not [name for name in attributes if name.startswith("on")], path
            assert "style" not in attributes
            assert tag not in ("object", "embed", "base", "img", "video", "form") or tag == "form"
            if tag == "script" and attributes.get("type") != "application/json":
                assert Path(attributes["src"] or "").name in ours
            for name in ("href", "src", "action", "data", "srcdoc", "ping", "background"):
                address = attributes.get(name)
                if address is None or (tag, name) == ("a", "href"):
                    continue
                assert not urlsplit(address).scheme or address == "data:,", (path, tag, address)
            if tag == "a":
                scheme = urlsplit(attributes["href"] or "").scheme
                assert scheme in ("", "http", "https"), path


def test_every_page_has_the_strict_policy_before_anything_is_loaded(hostile: Path) -> None:
    for path in sites.every_page(hostile):
        tags = parsed(path).tags
        at = [n for n, (_, own) in enumerate(tags) if own.get("http-equiv")]
        assert len(at) == 1, path
        assert not [tag for tag, _ in tags[: at[0]] if tag in ("script", "link", "style")]
        policy = tags[at[0]][1]["content"] or ""
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy


def test_nothing_acts_without_being_seen(hostile: Path) -> None:
    acts = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f]")
    for path in sites.every_page(hostile):
        assert not acts.search(path.read_text(encoding="utf-8")), path


def test_attacks_are_there_to_be_read(hostile: Path) -> None:
    run = sites.folder_of(hostile, "folder")
    (page,) = [
        path for path in (run / "pages").glob("????????????????.html")
        if "onerror" in "".join(parsed(path).text[:12])
    ]  # fmt: skip
    text = "".join(parsed(page).text)
    assert f"<script>{sites.RAN}</script>" in text
    assert "‹U+202E›esrever" in text
    assert "‹U+001B›[31m" in text
    assert "{{ 7 * 7 }}" in text
    row = next((run / "extractors").glob("hostile-*.html"))
    own = parsed(row)
    assert f"javascript:{sites.RAN}" in "".join(own.text)
    assert not [a for tag, a in own.tags if tag == "a" and "javascript" in (a["href"] or "")]
    assert "ValueError" in "".join(own.text)


def test_a_megabyte_without_a_space_is_cut_down_and_said_to_be(hostile: Path) -> None:
    pages = (sites.folder_of(hostile, "folder") / "pages").glob("????????????????.html")
    assert max(path.stat().st_size for path in pages) < 200_000
    assert any("characters" in "".join(parsed(path).text) for path in sites.every_page(hostile))


def test_file_names_have_nothing_of_a_stranger(hostile: Path) -> None:
    for path in hostile.rglob("*"):
        assert re.fullmatch(r"[A-Za-z0-9._-]+", path.name)


@given(st.text())
def test_any_text_is_shown_without_what_acts(text: str) -> None:
    shown = rendering.visible(text)
    shown.encode("utf-8")
    assert rendering.visible(shown) == shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)


@given(st.lists(st.sampled_from(["<p>", "</p>", "<", ">", "<script", "</script>", "a", '"', "'", "=",
                                 "<!--", "-->", "<b onclick=x>", "</div>", "&#x3c;", "&lt;", "\x00",
                                 "<img alt='<i>'", "<style>", "<plaintext>", "<iframe src=x>", "/"]),
                max_size=30).map("".join))  # fmt: skip
def test_a_preview_has_only_harmless_elements_without_attributes(text: str) -> None:
    whole = page_preview.harmless(text)
    body = Markup(whole[whole.index("<body>") + 6 :])
    for tag, attributes in body.tags:
        assert tag in page_preview._KEPT
        assert set(attributes) <= {"hidden", "class"}


def test_a_preview_keeps_the_words_and_drops_the_rest() -> None:
    found = page_preview.harmless(
        '<title>t</title><h1 onclick="x()">Head</h1><script>1</script><p>One &amp; two<br>three'
        '<img src=x alt="A boat"><p style="display: none">gone</p><ul><li>item</ul>'
    )
    body = found[found.index("<body>") + 7 :]
    assert body.startswith("<h1>Head</h1><p>One &amp; two<br>three<i")
    assert "[picture: A boat]" in body
    assert "<p hidden>gone</p>" in body
    assert "script" not in body


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://example.org/a?b=c", True),
        ("http://example.org", True),
        ("javascript:alert(1)", False),
        ("JaVaScRiPt:alert(1)", False),
        ("java\nscript:alert(1)", False),
        ("data:text/html,x", False),
        ("//example.org", False),
        ("https://exa mple.org", False),
        ("http://[::1", False),
        ("https://example.org/\u202egpj", False),
        ("", False),
        (None, False),
    ],
)
def test_only_web_addresses_are_links(url: str | None, link: bool) -> None:
    assert bool(rendering.web_address(url)) == link


# -- marks ----------------------------------------------------------------------------------------

TEXTS = st.lists(
    st.sampled_from(["a", "b ", "c\n", " ", "der ", "Hund, ", "läuft. ", "–", "\u202e", "<i>"]),
    max_size=200,
).map("".join)


def sides_of(gold: str, text: str) -> diff_html.Sides:
    return diff_html.sides(Diff.of(gold, text))


@given(TEXTS, TEXTS)
def test_any_difference_is_shown_escaped(gold: str, text: str) -> None:
    found = sides_of(gold, text)
    for side, tag in ((found.gold, "del"), (found.text, "ins")):
        assert set(re.findall(r"</?(\w+)", side)) <= {tag, "em"}
        assert "\u202e" not in side


def test_sides_show_their_own_and_count_words() -> None:
    found = sides_of("one two three four", "zero one two <b> four")
    assert found.gold == "one two &lt;<del>three </del>four"
    assert found.text == "<ins>zero </ins>one two &lt;<ins>b&gt; </ins>four"
    assert (found.missing, found.surplus) == (1, 2)


def test_a_long_side_keeps_its_ends_and_says_what_it_leaves_out() -> None:
    gold = " ".join(f"g{at} same{at}" for at in range(4000))
    text = " ".join(f"e{at} same{at}" for at in range(4000))
    found = sides_of(gold, text)
    for side, first, last in ((found.gold, "g0", "same3999"), (found.text, "e0", "same3999")):
        assert len(side) < 40_000
        assert first in side[:20]
        assert side.endswith(last)
        assert side.count("characters …]") == 1
    assert (found.missing, found.surplus) == (4000, 4000)


def test_rows_share_an_entry_if_words_and_score_are_the_same() -> None:
    texts = ("one, two", "one two", "one\ntwo", "one", "one two")
    page = page_views._parts(GoldPage(Page("p", b""), Gold("one two")), "")
    answers = [Answer("ok", text, "", text) for text in texts]
    rows = [page_views.RowName(str(at), str(at), competes=True) for at in range(len(texts))]
    scores = np.array([0.9, 1.0, 1.0, 0.5, math.nan])
    entries = page_views._entries(page_views._Texts(page, answers, Memory(), str), rows, scores)
    labels = {entry.score: [row.label for row in entry.rows] for entry in entries}
    assert labels == {0.9: ["0"], 1.0: ["1", "2"], 0.5: ["3"], None: ["4"]}


def test_a_text_that_was_known_and_not_shown_is_read_once_it_is() -> None:
    page = page_views._parts(GoldPage(Page("p", b""), Gold("one two three")), "")
    shown, hidden = (Answer("ok", text, "", text) for text in ("one, two", "one two"))
    before = page_views._Texts(page, [shown, hidden], Memory(), str)
    memory = before.memory([before.columns(shown.text_hash)], {})
    assert memory
    now = page_views._Texts(page, [hidden._replace(text="")], memory, str)
    afresh = page_views._Texts(page, [hidden], Memory(), str)
    assert now.columns(hidden.text_hash) == afresh.columns(hidden.text_hash)


def test_overlaps_are_the_same_where_new_words_are_more_than_fit_with_the_known() -> None:
    gold = " ".join(f"w{at}" for at in range(32_000))
    page = page_views._parts(GoldPage(Page("p", b""), Gold(gold)), "")
    texts = (gold[:90_000], f"{gold} " + " ".join(f"v{at}" for at in range(1_000)))
    known, new = (Answer("ok", text, "", text) for text in texts)
    memory = page_views._Texts(page, [known], Memory(), str).memory([], {})
    assert memory
    now = page_views._Texts(page, [known._replace(text=""), new], memory, str)
    afresh = page_views._Texts(page, [known, new], Memory(), str)
    for own, expected in zip(now.overlap([0, 1]), afresh.overlap([0, 1]), strict=True):
        assert np.array_equal(own, expected)


def test_long_sources_are_cut_where_nobody_reads() -> None:
    text = f"<p>short</p><script>{'x' * 5000}</script><p>kept</p><style>a</style><script>open"
    found = page_source.readable(text)
    assert "4,600 characters left out" in found
    assert found.endswith("<p>kept</p><style>a</style><script>open")
    assert "300 characters" in page_source.readable(
        f'<img src="data:image/png;base64,{"A" * 360}">'
    )


# -- drawing --------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.floats(0.1, 1000), st.floats(0, 1)), min_size=1, max_size=30))
def test_the_front_is_what_no_other_beats(points: list[tuple[float, float]]) -> None:
    found = pareto.front(points)
    for at, (x, y) in enumerate(points):
        beaten = any(
            a <= x and b >= y and (a < x or b > y) for other, (a, b) in enumerate(points)
            if other != at
        )  # fmt: skip
        assert (at not in found) == beaten
    assert [points[at][0] for at in found] == sorted(points[at][0] for at in found)


def test_names_of_files_differ_where_names_do() -> None:
    names = [evidence.file_name(each) for each in ("a:b", "a-b", "A:B", "ü", "ö", "")]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)


# -- a whole site ---------------------------------------------------------------------------------


def test_every_link_inside_leads_somewhere(ordinary: Path) -> None:
    assert_links_lead_somewhere(ordinary)


def assert_links_lead_somewhere(site: Path) -> None:
    for path in sites.every_page(site):
        for tag, attributes in parsed(path).tags:
            address = attributes.get("href") or attributes.get("src") or ""
            if tag not in ("a", "link", "script", "iframe") or urlsplit(address).scheme:
                continue
            parts = urlsplit(address)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), (path, address)
            if parts.fragment and target.suffix == ".html":
                ids = {own.get("id") for _, own in parsed(target).tags}
                assert parts.fragment in ids, (path, address)


def test_a_site_to_be_published_has_no_texts(
    bench_cli: BenchCli, finished: Path, tmp_path: Path
) -> None:
    words = ("report", "--without-texts", "--output", tmp_path / "public")
    done = bench_cli(*words, cwd=finished)
    assert done.returncode == 0, done.stderr
    written = [path for path in (tmp_path / "public").rglob("*") if path.is_file()]
    assert not [path for path in written if path.parent.name == "pages"]
    shown = "".join(path.read_text(encoding="utf-8") for path in written if path.suffix != ".png")
    assert "boats" in shown, "pages are listed by title"
    for page in (finished / "pages").glob("*.txt"):
        text = page.read_text(encoding="utf-8").strip()
        assert not text or text not in shown, page.name
    assert_links_lead_somewhere(tmp_path / "public")


def test_ids_are_unique(ordinary: Path) -> None:
    for path in sites.every_page(ordinary):
        ids = [own["id"] for _, own in parsed(path).tags if own.get("id")]
        assert len(ids) == len(set(ids)), path


def test_there_is_a_page_for_everything(ordinary: Path) -> None:
    run = sites.folder_of(ordinary, "starter")
    assert len(list((run / "extractors").glob("*.html"))) == 6
    assert len(list((run / "pages").glob("????????????????.html"))) == 62
    assert {path.stem for path in run.glob("*.html")} == {
        "cost", "slices", "agreement", "pages", "method",
    }  # fmt: skip
    start = "".join(parsed(ordinary / "index.html").text)
    for word in ("html_text", "readability", "Starter set", "folder:own", "no evidence"):
        assert word in start


def words_of(path: Path) -> str:
    """Return a page's text, line by line, without what differs from machine to machine."""
    page = parsed(path)
    lines = [" ".join(each.split()) for each in page.text]
    text = "\n".join(line for line in lines if line)
    text = re.sub(r"\d{8}T\d{6}-\S+", "RUN", text)
    return re.sub(r"[0-9a-f]{12,}", "HASH", text) + "\n"


@pytest.mark.parametrize("name", ["slices", "agreement", "pages"])
def test_text_of_pages_is_as_committed(ordinary: Path, name: str) -> None:
    """Those without times and machine: quality is the same everywhere."""
    found = words_of(sites.folder_of(ordinary, "starter") / f"{name}.html")
    path = GOLDEN / f"{name}.txt"
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")


def test_an_earlier_site_is_replaced_and_nothing_else(bench_cli: BenchCli, tmp_path: Path) -> None:
    assert bench_cli("run", "xpath", "gold", "--gold", "starter", "--quiet").returncode == 0
    here = tmp_path / "here"
    public = here / "public"
    public.mkdir()
    (public / "mine.txt").write_text("mine")
    for _ in range(2):
        done = bench_cli("report", "--output", "public")
        assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("public/index.html: ")
    assert {path.name for path in public.iterdir()} == {"index.html", "mine.txt", "site"}
    (public / "site" / ".made-by-bench").unlink()
    done = bench_cli("report", "--output", "public")
    assert done.returncode == 1
    assert "was not made by bench" in done.stderr
    assert "Traceback" not in done.stderr


def test_mistakes_are_one_line(bench_cli: BenchCli) -> None:
    done = bench_cli("report")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no finished run" in done.stderr


def test_what_a_killed_report_left_goes_with_the_next(
    bench_cli: BenchCli, bench_home: Path, finished: Path, tmp_path: Path
) -> None:
    output = tmp_path / "report"
    words = ("report", "--results", finished / "results", "--output", output)
    earlier: dict[str, bytes] = {}
    for _ in range(2):
        process = commands.start(words, env=commands.environment(bench_home), cwd=tmp_path)
        while not [*output.glob(".site.*/*/*/*.html")]:
            assert process.poll() is None, process.communicate()
            time.sleep(0.001)
        process.kill()
        process.communicate()
        assert [*output.glob(".*")]
        assert files_of(output / "site") == earlier
        done = bench_cli(*words)
        assert done.returncode == 0, done.stderr
        assert sorted(path.name for path in output.iterdir()) == ["index.html", "site"]
        earlier = files_of(output / "site")


# -- what an earlier site knows -------------------------------------------------------------------


def files_of(site: Path) -> dict[str, bytes]:
    """Return what a reader sees of a site: all of its files but what it remembers."""
    files = (path for path in site.rglob("*") if path.is_file())
    return {
        str(path.relative_to(site)): path.read_bytes()
        for path in files
        if path.parent.name != page_memory.FOLDER
    }


@pytest.fixture
def grown(bench_cli: BenchCli, tmp_path: Path) -> tuple[Path, dict[str, bytes]]:
    """Return the site of a run, and what that of a run with one row more is when written afresh."""
    gold = write_pages(tmp_path / "pages", SMALL)
    for rows in (("xpath", "gold"), ("xpath", "gold", "html_text")):
        assert bench_cli("run", *rows, "--gold", f"folder:{gold}", "--quiet").returncode == 0
        assert bench_cli("report", "--output", f"of-{len(rows)}").returncode == 0
    here = tmp_path / "here"
    return here / "of-2", files_of(here / "of-3")


def compared(bench_cli: BenchCli, site: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Write the site of the latest run over another one; return how many texts were compared."""
    calls = []
    sides = diff_html.sides
    monkeypatch.setattr(diff_html, "sides", lambda diff: calls.append(diff) or sides(diff))
    done = bench_cli("report", "--output", site)
    assert done.returncode == 0, done.stderr
    return len(calls)


def test_only_new_texts_are_compared_and_the_site_is_the_same(
    bench_cli: BenchCli, grown: tuple[Path, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    site, afresh = grown
    assert 0 < compared(bench_cli, site, monkeypatch) <= len(SMALL)
    assert files_of(site) == afresh
    assert not compared(bench_cli, site, monkeypatch)
    assert files_of(site) == afresh


def test_charts_of_rows_are_drawn_again_only_where_rows_changed(
    bench_cli: BenchCli, grown: tuple[Path, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    site, afresh = grown
    drawn = []
    page_scores = row_charts.page_scores
    monkeypatch.setattr(
        row_charts, "page_scores", lambda *given: drawn.append(given) or page_scores(*given)
    )
    for new_rows in (1, 0):
        drawn.clear()
        assert bench_cli("report", "--output", site).returncode == 0
        assert len(drawn) == new_rows
        assert files_of(site) == afresh


def test_what_another_bench_wrote_is_not_taken_over(
    bench_cli: BenchCli, grown: tuple[Path, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    site, afresh = grown
    monkeypatch.setattr(page_memory, "_code", lambda: "another")
    assert compared(bench_cli, site, monkeypatch) > len(SMALL)
    assert files_of(site) == afresh


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def _altered(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content.replace(b"the", b"<script>the</script>") + b" ")


def test_a_damaged_site_is_written_afresh(
    bench_cli: BenchCli, grown: tuple[Path, dict[str, bytes]]
) -> None:
    site, afresh = grown
    for files in ("memory/*", "pages/*", "pages/*-preview.html"):
        for damage in (_cut, _altered, Path.unlink):
            damaged = [*site.glob(f"site/*/{files}")]
            assert damaged
            for path in damaged:
                damage(path)
            assert bench_cli("report", "--output", site).returncode == 0
            assert files_of(site) == afresh, (files, damage)


# -- what a reader sees first ---------------------------------------------------------------------


def test_the_answer_comes_first_then_the_chart_then_the_table(ordinary: Path) -> None:
    text = (ordinary / "index.html").read_text(encoding="utf-8")
    board = text[text.index('data-set="starter"') :]
    parts = ['class="verdict"', 'class="chart"', '<table class="sortable board"', 'class="notes"']
    places = [board.index(part) for part in parts]
    assert places == sorted(places)


def test_no_folder_of_this_machine_is_anywhere(
    hostile: Path, ordinary: Path, tmp_path: Path
) -> None:
    folders = [hostile.parent, ordinary.parent, tmp_path.parent, Path.cwd(), Path.home()]
    folders += [Path(sys.prefix), Path(tempfile.gettempdir())]
    for path in [*sites.every_page(hostile), *sites.every_page(ordinary)]:
        text = path.read_text(encoding="utf-8")
        assert not [str(folder) for folder in folders if f"{folder}/" in text], path


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ValueError: x\n  /home/me/a.py:3 in f", "ValueError: x\n  …/a.py:3 in f"),
        ("/venv/lib/python3.11/site-packages/lxml/html.py:1 in f", "lxml/html.py:1 in f"),
        ('"root": "/data/gold/x"', '"root": "…/x"'),
        ("at f (file:///home/me/a.mjs:1:2)", "at f (…/a.mjs:1:2)"),
        (
            "see https://example.org/a/b and and/or 1/2",
            "see https://example.org/a/b and and/or 1/2",
        ),
    ],
)
def test_messages_lose_where_files_lie(text: str, shown: str) -> None:
    assert display.without_paths(text) == shown


def test_failures_begin_with_what_went_wrong(hostile: Path) -> None:
    row = next((sites.folder_of(hostile, "folder") / "extractors").glob("hostile-*.html"))
    text = row.read_text(encoding="utf-8")
    said = text[text.index('aria-label="Failures"') :]
    (error,) = re.findall(r'<td class=" ?said">([^<]*)<', said.replace("&lt;", "‹"))
    assert error.startswith("ValueError: ")


@given(st.lists(st.text("ab0", min_size=1, max_size=60), unique=True, min_size=1, max_size=9))
def test_short_ids_mean_one_page(ids: list[str]) -> None:
    for page_id, short in display.short_ids(ids).items():
        assert short == page_id or [each for each in ids if each.startswith(short)] == [page_id]


def test_hashes_are_short_and_names_whole() -> None:
    one, two = "a" * 9 + "b" * 55, "a" * 64
    short = display.short_ids([one, two, "article-en-kelp"])
    assert short == {one: "a" * 9 + "b", two: "a" * 10, "article-en-kelp": "article-en-kelp"}


def test_every_figure_is_the_leaderboards_rounded_once(ordinary: Path) -> None:
    """What the script may show, and what stands in the pages, is one function of full precision."""
    run = next(ordinary.parent.glob("results/*-starter"))
    board = json.loads((run / "leaderboard.json").read_text(encoding="utf-8"))
    known = {row["label"]: row for row in board["extractors"]}
    start = (ordinary / "index.html").read_text(encoding="utf-8")
    data = [json.loads(text) for text in re.findall(r"data-figures>(.*?)</script>", start)]
    for label, row in known.items():
        file = evidence.file_name(label)
        (own,) = [each["rows"][file] for each in data if len(each["order"]) == len(known)]
        page = (sites.folder_of(ordinary, "starter") / "extractors" / f"{file}.html").read_text()
        for name in ("f1", "precision", "recall", "accuracy"):
            text = percent(row[name]["value"])
            assert own[f"ngram/{name}"][3] == text
            assert f"<dd>{text}" in page


def test_several_data_sets_stand_side_by_side(ordinary: Path) -> None:
    text = " ".join("".join(parsed(ordinary / "index.html").text).split())
    across = text[text.index("Across data sets") :]
    assert "mean rank" in across
    assert "62 pages" in across
    assert "pairs of extractors have the same order on all sets" in across


def test_a_tree_builder_takes_memory_that_grows_with_the_square_of_a_page() -> None:
    """Why previews are not made by nh3: it opens formatting elements again in every block."""

    def sizes(clean: Callable[[str], str]) -> list[int]:
        pages = ["".join(f"<b id={at}><p>" for at in range(count)) for count in (200, 400)]
        return [len(clean(page)) for page in pages]

    theirs = sizes(functools.partial(nh3.clean, tags={"b", "p"}))
    ours = sizes(page_preview.harmless)
    assert theirs[1] > 3 * theirs[0]
    assert ours[1] < 2.1 * ours[0]
