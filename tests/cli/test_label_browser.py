"""``bench label`` in a real browser: clicks become exact gold, and pages can do nothing."""

from __future__ import annotations

import contextlib
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.label import labels, prefill
from bench.label.comparison import f1
from bench.label.folder import LabelFolder
from bench.label.labels import ElementMark, Mark
from bench.label.tree import Tree
from tests.browsing import DESKTOP, PHONE, Watched, serious
from tests.conftest import ROOT, BenchCli
from tests.labelling import served, server

STARTER = ROOT / "gold" / "starter"
FEW = ["article-ja-tenbin-sjis", "article-en-lock-keeper-1998", "product-en-bench-loom"]
TEN = [
    *FEW, "article-ar-water-wheel", "article-de-modellbahn-1997", "forum-ru-mail-koi8",
    "collection-zh-street-food", "documentation-de-orgelregister", "listing-es-directorio-1999",
    "service-pl-stomatolog",
]  # fmt: skip
SPOTS = """([node, from, to]) => {
    const doc = document.querySelector("#page").contentDocument;
    const element = doc.querySelector(`[data-node="${node}"]`);
    const walker = doc.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    element.scrollIntoView({ block: "center" });
    const boxes = [];
    while (walker.nextNode()) {
        const text = walker.currentNode, range = doc.createRange();
        const letter = text.data.search(/\\S/);
        if (letter < 0) continue;
        range.setStart(text, from ?? letter);
        range.setEnd(text, to ?? letter + 1);
        const all = range.getClientRects();
        if (all.length) boxes.push(all[0], all[all.length - 1]);
        if (boxes.length) break;
    }
    const [first, last] = boxes, place = doc.defaultView.frameElement.getBoundingClientRect();
    const middle = (box, x) => [place.x + x, place.y + (box.top + box.bottom) / 2];
    return [middle(first, (first.left + first.right) / 2), middle(first, first.left),
            middle(last, last.right)];
}"""
"""Where to click in an element, and where a stretch of its first text begins and ends."""


class Tool(Watched):
    """The tool in a tab, worked as a person does."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        super().__init__(browser, **options)
        self.tab.goto(address)
        self.ready()

    def ready(self) -> None:
        self.tab.locator("#labelled:not(:empty)").wait_for()

    def load(self, page_id: str) -> None:
        self.tab.select_option("#pages", page_id)
        self.tab.locator(f'#page[data-page="{page_id}"]').wait_for()

    @property
    def frame(self) -> Any:
        return self.tab.frames[1]

    @contextlib.contextmanager
    def answered(self, path: str = "/api/text") -> Iterator[None]:
        with self.tab.expect_response(f"**{path}") as response:
            yield
        assert response.value.status == 200, response.value.text()
        self.tab.locator("#text[aria-busy=false]").wait_for()

    def spots(self, node: int, *stretch: int) -> list[list[float]]:
        arguments = [node, *stretch] if stretch else [node, None, None]
        spots: list[list[float]] = self.tab.evaluate(SPOTS, arguments)
        return spots

    def click(self, node: int, **how: Any) -> None:
        """Click on an element; where that takes another, click on the wanted one's name instead."""
        (spot, *_) = self.spots(node)
        with self.answered():
            self.tab.mouse.click(*spot, **how)
        chosen = self.tab.locator("#path [aria-current]")
        if chosen.get_attribute("value") != str(node):
            with self.answered():
                self.tab.get_by_role("button", name="Undo").click()
            with self.answered():
                self.tab.locator(f'#path button[value="{node}"]').click()

    def drag(self, node: int, start: int, end: int) -> None:
        """Mark a stretch of an element's first text."""
        _, first, last = self.spots(node, start, end)
        # Playwright's own mouse waits for scripts in every frame when it drags, and ours runs none.
        devtools = self.context.new_cdp_session(self.tab)
        with self.answered():
            for kind, (x, y), button in (
                ("mouseMoved", first, "none"), ("mousePressed", first, "left"),
                ("mouseMoved", last, "left"), ("mouseReleased", last, "left"),
            ):  # fmt: skip
                event = {"type": kind, "x": x, "y": y, "button": button, "clickCount": 1}
                devtools.send("Input.dispatchMouseEvent", event)

    def save(self) -> None:
        with self.answered("/api/save"):
            self.tab.get_by_role("button", name="Save").click()

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.tab.locator("#text p").all_text_contents())


@pytest.fixture
def starter(tmp_path: Path) -> Path:
    """The starter's pages, their gold left behind."""
    shutil.copytree(STARTER / "pages", tmp_path / "own", ignore=shutil.ignore_patterns("*.txt"))
    shutil.copy(STARTER / "pages.jsonl", tmp_path / "own")
    return tmp_path / "own"


def take(tool: Tool, tree: Tree, mark: Mark, marks: Sequence[Mark]) -> None:
    """Take what a mark covers; of text beside elements what holds it, and those elements left out."""
    if isinstance(mark, ElementMark):
        tool.click(mark.node)
        return
    parent = tree.nodes[mark.start.node].parent
    tool.click(parent)
    wanted = {other.node for other in marks if isinstance(other, ElementMark)}
    tool.tab.locator("#part .out").click()
    for number, node in enumerate(tree.nodes):
        has_text = tree.text[node.start : node.end].strip()
        if node.parent == parent and node.name and number not in wanted and has_text:
            tool.click(number)
    tool.tab.locator("#part .main").click()


@pytest.mark.parametrize(
    "ids", [FEW, pytest.param(TEN, marks=pytest.mark.slow)], ids=["few", "ten"]
)
def test_clicks_alone_give_the_exact_gold(browser: Any, starter: Path, ids: list[str]) -> None:
    folder, gold = LabelFolder(starter), LabelFolder(STARTER).reader
    with served(server(starter)) as address, Tool(browser, address) as tool:
        for page_id in ids:
            wanted = gold.read(page_id).gold.text or ""
            marks = prefill.marks_of(folder.tree(page_id), wanted)
            random.Random(page_id).shuffle(marks)
            tool.load(page_id)
            for mark in marks:
                take(tool, folder.tree(page_id), mark, marks)
            tool.save()
            text = (starter / f"{page_id}.txt").read_text("utf-8")
            assert f1(folder.reader.page(page_id), wanted, text) >= 0.99, page_id
            assert tool.text() == text
        tool.tab.reload()
        tool.ready()
        assert tool.text() == text
        shown = "document.querySelector('#page').contentWindow.CSS.highlights.get('main').size"
        assert tool.tab.evaluate(shown) > 0
        # Nothing is asked for but the tool itself, and nothing went wrong.
        assert {url.split("/")[2] for url in tool.asked} == {address.split("/")[2]}
        assert tool.wrong == []


BROKEN = """<title>x</title><div class=nav>Menu<table><tr><td>Side<div id=main><h2>A title</h3>
<p>One <b>bold
<p>still bold</b> text<ul><li>first<li>second</ul><tr><td>left<table>
<td>inner</div>stray<p id=end>The end</i>
</table></font>after"""


def test_marks_of_every_kind_on_broken_markup(browser: Any, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "broken.html").write_text(BROKEN, "utf-8")
    tree = LabelFolder(own).tree("broken")
    by_label = {row[3]: row[0] for row in tree.drawing() if len(row) > 3}
    with served(server(own)) as address, Tool(browser, address) as tool:
        tool.click(by_label["div#main"])
        whole = tool.text()
        assert whole.startswith("A title\nOne bold\nstill bold text\nfirst\nsecond\n")
        (spot, *_) = tool.spots(by_label["h2"])
        with tool.answered():
            tool.tab.mouse.click(*spot, button="right")
        assert tool.text() == whole.replace("A title\n", "")
        tool.tab.keyboard.down("Alt")
        bold = next(row[0] for row in tree.drawing() if row[2:4] == ["b", "b"])
        (spot, *_) = tool.spots(bold)
        with tool.answered():
            tool.tab.mouse.click(*spot)
        tool.tab.keyboard.up("Alt")
        assert "One\nstill" in tool.text()
        tool.drag(by_label["h2"], 2, 7)
        assert tool.text().startswith("title\nOne\nstill")
        for _ in range(3):
            with tool.answered():
                tool.tab.get_by_role("button", name="Undo").click()
        assert tool.text() == whole
        with tool.answered():
            tool.tab.get_by_role("button", name="Redo").click()
        assert tool.text() == whole.replace("A title\n", "")
        tool.save()
        assert (own / "broken.txt").read_text("utf-8") == tool.text()
        assert tool.wrong == []


HOSTILE = """<!DOCTYPE html><html onclick="parent.ran=1"><head>
<base href="http://evil.example/" target=_top>
<meta http-equiv=refresh content="0;url=http://evil.example/refresh"><script>parent.ran = 1</script>
<script src=//evil.example/a.js></script><link rel=stylesheet href=//evil.example/a.css>
<link rel=prefetch href=//evil.example/p><style>@import url(//evil.example/i.css);
body{background:url(//evil.example/b.png)} .over{position:fixed;inset:0;z-index:99}</style>
</head><body onload="parent.ran=1" background="//evil.example/c.png">
<div class=over style="position:fixed;inset:0"></div>
<iframe src="//evil.example/f" srcdoc="<script>parent.parent.ran=1</script>"></iframe>
<object data="//evil.example/o"></object><embed src="//evil.example/e"><img src=x onerror="parent.ran=1">
<svg onload="parent.ran=1"><image href="//evil.example/s"/><foreignObject>
<iframe src="//evil.example/g"></iframe></foreignObject></svg>
<video src="//evil.example/v" autoplay></video>
<input autofocus onfocus="parent.ran=1">
<form action="//evil.example/form" id=f><button id=send>Send</button></form>
<x-y onclick="parent.ran=1">own</x-y>
<p id=text onclick="parent.ran=1" onmouseover="parent.ran=1">Words <a id=link
href="javascript:parent.ran=1" target=_top ping="//evil.example/ping">that are a link</a> stay.</p>
<p hidden id=veiled>Veiled words</p>
<template><script>parent.ran=1</script></template><noscript>
<img src=//evil.example/n></noscript></body></html>"""


FORBIDDEN = (
    "script, iframe, base, meta[http-equiv], link:not([href='/static/page.css']), img, svg, object, "
    "form, input, [onclick], [style], [href*=evil]"
)


def test_a_page_cannot_break_out(browser: Any, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "hostile.html").write_text(HOSTILE, "utf-8")
    tree = LabelFolder(own).tree("hostile")
    by_label = {row[3]: row[0] for row in tree.drawing() if len(row) > 3}
    with served(server(own)) as address, Tool(browser, address) as tool:
        tool.click(by_label["p#text"])
        for label in ("a#link", "button#send", "x-y"):
            (spot, *_) = tool.spots(by_label[label])
            tool.tab.mouse.click(*spot, button="middle")
            tool.click(by_label[label])
        assert "Words that are a link stay.\n" in tool.text()
        assert "Veiled" not in tool.text()
        tool.tab.locator("#hidden").check()
        tool.click(by_label["p#veiled"])
        assert "Veiled words\n" in tool.text()
        assert tool.tab.evaluate("typeof window.ran") == "undefined"
        assert len(tool.tab.frames) == 2
        assert tool.frame.url.endswith("/page")
        assert tool.frame.locator(FORBIDDEN).count() == 0
        assert {url.split("/")[2] for url in tool.asked} == {address.split("/")[2]}
        assert tool.wrong == []


def test_all_of_it_by_keyboard(browser: Any, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    for name in ("a", "b"):
        page = "<nav>Menu</nav><main><h1>Title</h1><p>One two three four</p><p>Advert</p></main>"
        (own / f"{name}.html").write_text(page, "utf-8")
    with served(server(own)) as address, Tool(browser, address) as tool:

        def press(*keys: str) -> str:
            for key in keys:
                if key in ("Enter", "x", "c", "u", "r", "n"):
                    with tool.answered():
                        tool.tab.keyboard.press(key)
                else:
                    tool.tab.keyboard.press(key)
            return tool.text()

        assert press("ArrowRight", "ArrowRight", "Enter") == "Title\nOne two three four\nAdvert\n"
        assert press("ArrowDown", "ArrowRight", "ArrowRight", "x") == "Title\nOne two three four\n"
        assert press("ArrowLeft", "c") == "Title\n"
        assert tool.tab.locator("#comments").text_content() == "One two three four\n"
        assert press("u") == "Title\nOne two three four\n"
        # From the beginning of the second word on, two words.
        stretch = ("Shift+ArrowLeft", "Alt+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
        assert press(*stretch[1:], "x").startswith("Title\nOne ")
        assert press("u", "u", "u") == ""
        assert press("r") == "Title\nOne two three four\nAdvert\n"
        assert press("n") == ""
        with tool.answered("/api/save"):
            tool.tab.keyboard.press("s")
        first = tool.tab.locator("#pages").input_value()
        assert (own / f"{first}.txt").read_bytes() == b""
        assert labels.read((own / f"{first}.labels.json").read_bytes(), "x").no_main_content
        tool.tab.keyboard.press("?")
        assert tool.tab.get_by_role("dialog").is_visible()
        tool.tab.keyboard.press("Escape")
        tool.tab.locator("#keys").wait_for(state="hidden")
        tool.tab.keyboard.press("g")
        tool.tab.locator(f'#page:not([data-page="{first}"])').wait_for()
        assert tool.wrong == []


def test_two_annotators_and_what_a_run_returned(
    browser: Any, tmp_path: Path, bench_cli: BenchCli
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    page = "<nav>Menu</nav><article><h1>Title of it</h1><p>One two three four five</p></article>"
    (own / "page.html").write_text(page, "utf-8")
    done = bench_cli("run", "html_text", "nothing", "--gold", f"folder:{own}", "--quiet", "--results",
                     tmp_path / "results", "--reports", tmp_path / "reports")  # fmt: skip
    assert done.returncode == 0, done.stderr
    tree = LabelFolder(own).tree("page")
    number = {node.name: at for at, node in enumerate(tree.nodes)}
    for name, wanted in (("anna", "article"), ("ben", "p")):
        with served(server(own, name)) as address, Tool(browser, address) as tool:
            assert tool.text() == "", "blind"
            tool.click(number[wanted])
            tool.save()
            shown = tool.tab.locator("#compared summary").all_text_contents()
            assert [each.split()[1] for each in shown] == ["html_text", "nothing"]
            assert tool.wrong == []
    told = bench_cli("label", own, "--agreement")
    assert told.returncode == 0, told.stderr
    assert "anna and ben, 1 pages" in told.stdout
    assert bench_cli("label", own, "--adopt", "anna").returncode == 0
    assert (own / "page.txt").read_text("utf-8") == "Title of it\nOne two three four five\n"


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_everyone_can_use_it(
    browser: Any, starter: Path, size: dict[str, int], scheme: str
) -> None:
    with (
        served(server(starter)) as address,
        Tool(browser, address, viewport=size, color_scheme=scheme) as tool,
    ):
        tool.load("article-de-torfbuch")
        with tool.answered():
            tool.frame.locator("h1").click()
        tool.save()
        assert serious(tool.tab) == []
        tool.tab.locator("#help").click()
        assert serious(tool.tab) == []
