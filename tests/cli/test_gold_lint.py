"""What lint finds, what it rejects, and that a run without the rejected pages says so."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.datasets import catalogue
from bench.datasets.card import Card
from bench.datasets.catalogue import DataSet
from bench.datasets.lint import grams, run
from bench.datasets.lint.findings import CHECKS, Finding, Severity
from bench.datasets.readers.base import Reader
from bench.model import Gold, GoldPage, Page
from bench.util import paths
from tests.conftest import BenchCli, FolderGold, html_of

GOLDEN = Path(__file__).parents[1] / "golden"
WORDS = [f"w{n}" for n in range(400)]


class Pages(Reader):
    """Pages that a test made up, snippets included."""

    def __init__(self, pages: Sequence[GoldPage]) -> None:
        super().__init__(Path("/nowhere"))
        self._pages = {each.page.id: each for each in pages}
        self.ids = sorted(self._pages)

    def read(self, page_id: str) -> GoldPage:
        return self._pages[page_id]

    def paths(self) -> Iterator[Path]:
        return iter([])


def data_set(*pages: GoldPage, name: str = "made-up") -> DataSet:
    return DataSet(Card(name, name, "", "folder"), Pages(pages))


def page(
    html: str | bytes,
    gold: str | None = "",
    *,
    page_id: str = "p",
    yes: Sequence[str] = (),
    no: Sequence[str] = (),
    encoding: str | None = None,
) -> GoldPage:
    data = html.encode() if isinstance(html, str) else html
    return GoldPage(Page(page_id, data, encoding=encoding), Gold(gold, tuple(yes), tuple(no)))


def found(*pages: GoldPage) -> dict[str, list[Finding]]:
    """Return findings by check, but for the notes that every set gets."""
    by_check: dict[str, list[Finding]] = {}
    for each in run.lint([data_set(*pages)])[0].findings:
        if each.check not in ("languages", "sizes"):
            by_check.setdefault(each.check, []).append(each)
    return by_check


def severities(*pages: GoldPage) -> dict[str, list[str]]:
    return {name: [each.severity.value for each in own] for name, own in found(*pages).items()}


def text(start: int, count: int) -> str:
    return " ".join(WORDS[start : start + count])


KOREAN = (
    "오래된 나룻배는 다리가 놓일 때까지 하루에 두 번 강을 건넜고 그 뒤로는 다시 건너지 않았다 "
    "마을 사람들은 아직도 그 배와 사공을 기억하며 봄이 되면 강가에 모여 노래를 부른다 "
) * 3


# -- one page --------------------------------------------------------------------------------

GOOD = "The old ferry crossed the river twice a day until the bridge was built, and then no more."


def test_a_sound_page_has_no_findings() -> None:
    assert found(page(html_of(f"<p>{GOOD}</p>"), GOOD, yes=["ferry"], no=["Home"])) == {}


@pytest.mark.parametrize(
    ("stated", "declared", "expected"),
    [
        ("ko", "ko", None),
        (None, None, None),
        ("en", "ko", ("warning", "stated en, but the text is in ko")),
        ("en-GB", "", ("warning", "stated en, but the text is in ko")),
        (None, "en", ("warning", "declared en, but the text is in ko")),
        ("ko", "en", ("note", "declared en, but the text is in ko")),
        ("en", "de", ("warning", "stated en and declared de, but the text is in ko")),
    ],
)
def test_a_language_that_is_not_the_texts(
    stated: str | None, declared: str | None, expected: tuple[str, str] | None
) -> None:
    html = f"<html{f' lang={declared}' if declared else ''}><body><p>{KOREAN}</p>"
    sound = GoldPage(Page("p", html.encode(), language=stated, encoding="utf-8"), Gold(KOREAN))
    findings = [(each.severity.value, each.detail) for each in found(sound).get("language", [])]
    assert findings == ([expected] if expected else [])


def test_the_language_of_a_short_text_is_not_guessed() -> None:
    assert found(GoldPage(Page("p", b"<p>Haus und Hof", language="en"), Gold("Haus und Hof"))) == {}


@pytest.mark.parametrize(
    ("html", "gold", "expected"),
    [
        (f"<p>{GOOD}", "Nothing of this gold is to be found on the page anywhere", "error"),
        (f"<p>{GOOD}", f"{GOOD} And this was added by someone else later on", "warning"),
        (f"<p>{GOOD}", GOOD.upper(), None),
        (f"<p>{GOOD}", GOOD.replace(" ", "\n"), None),
        ("<p>The old <i>ferr</i>y <b>cross</b>ed the river", "The old ferry crossed the river", None),
        # Lines of gold are looked for one by one: on the page, prices stand between them.
        ("<li>Red tea</li><b>5</b><li>Green tea</li><b>6</b><li>Mint", "Red tea\nGreen tea\nMint", None),
        ("<li>Red tea</li><b>5</b><li>Green tea</li>", "Red tea\nBlack coffee\nWhite coffee", "error"),
        ("<p>東京は日本の首都である", "東京は日本の首都である", None),
        ("<p>東京は日本の首都である", "京都は千年の都として知られる", "error"),
    ],
)  # fmt: skip
def test_gold_that_is_not_in_the_page(html: str, gold: str, expected: str | None) -> None:
    assert severities(page(html, gold)) == ({"gold-not-in-page": [expected]} if expected else {})


@pytest.mark.parametrize(
    "html",
    [
        f"<p>Please wait<script>show({json.dumps('<p>' + GOOD)})</script>",
        f"<p>Please wait<script>show({json.dumps(GOOD.replace('ferry', 'férry'))})</script>",
        f"<p>Please wait<meta name=description content='{GOOD}'>",
    ],
)
def test_gold_that_stands_in_the_source_alone(html: str) -> None:
    gold = GOOD.replace("ferry", "férry") if "\\u00e9" in html else GOOD
    assert severities(page(html, gold)) == {"gold-in-source-only": ["warning"]}


def test_empty_gold_is_an_error_only_where_the_data_set_wants_something() -> None:
    assert severities(page(GOOD, " \n")) == {"empty-gold": ["warning"]}
    assert severities(page(GOOD, "", yes=["ferry"])) == {"empty-gold": ["error"]}
    assert severities(page(GOOD, None, yes=["ferry"])) == {}


def test_snippets_that_contradict() -> None:
    both = {"yes": ["the  river\ntwice a day"], "no": ["twice a"]}
    assert severities(page(GOOD, None, **both)) == {"contradicting-snippets": ["error"]}
    of_gold = found(page(GOOD, GOOD, **both))
    assert {name: each[0].severity for name, each in of_gold.items()} == {
        "contradicting-snippets": Severity.WARNING,
        "snippets-against-gold": Severity.WARNING,
    }
    assert severities(page(GOOD, GOOD, yes=["train"])) == {"snippets-against-gold": ["warning"]}
    assert severities(page(GOOD, GOOD, yes=["", "river"], no=[" ", "train"])) == {}


@pytest.mark.parametrize(
    ("html", "encoding", "expected"),
    [
        ("<meta charset=iso-8859-1><p>é".encode(), "utf-8", "warning"),
        ("<meta charset=iso-8859-1><p>é".encode(), None, "warning"),
        (b"x" * 5000 + "<meta http-equiv=x content='text/html; charset=koi8-r'>é".encode(), "utf-8",
         "warning"),
        (b"<meta charset=iso-8859-1><p>e", "utf-8", "note"),
        ("<meta charset=nonsense><p>é".encode(), None, "note"),
        ("<meta charset=iso-8859-1><p>é".encode("cp1252"), None, None),
        ("<meta charset=utf8><meta charset=koi8-r><p>é".encode(), "utf-8", None),
        ("<p>charset=iso-8859-1 é".encode(), "utf-8", None),
    ],
)  # fmt: skip
def test_stale_charsets(html: bytes, encoding: str | None, expected: str | None) -> None:
    item = page(html, None, encoding=encoding)
    assert severities(item) == ({"stale-charset": [expected]} if expected else {})


def test_bytes_that_are_no_text() -> None:
    few = b"<meta charset=utf-8>" + b"letters " * 50 + b"\xff"
    many = b"<meta charset=utf-8>" + b"letters \xff" * 50
    assert severities(page(few, None)) == {"undecodable-bytes": ["warning"]}
    assert severities(page(many, None)) == {"undecodable-bytes": ["error"]}
    written = "<meta charset=utf-8>a \ufffd that was there"
    assert severities(page(written, None)) == {}


def test_characters_that_nobody_wrote() -> None:
    damaged = GOOD.replace("river", "ri\x92ver")
    assert severities(page(GOOD, GOOD + "\ufffd")) == {"control-characters": ["warning"]}
    assert severities(page(damaged, None)) == {"control-characters": ["note"]}
    assert severities(page(damaged, damaged)) == {"control-characters": ["warning", "note"]}
    assert severities(page(GOOD + "\t\r\n\f\v", None)) == {}


@pytest.mark.parametrize(
    "html",
    [
        '<p cc-select="true">x',
        "<p data-anno-uid=anno-1>x",
        "<p class='a mark-selected'>x",
        "<marked-text>x</marked-text>",
        '<SPAN __boilernet_label="1">x',
        '<span class="x-nc-sel2">x',
        '<text id="http://a" title="b" encoding="utf-8">x',
    ],
)
def test_annotation_that_was_left_in_pages(html: str) -> None:
    assert severities(page(html, "x")) == {"annotation-residue": ["error"]}


@pytest.mark.parametrize(
    "html",
    ["<p>cc-select=true", "<p>x-nc-sel1", "<svg><text id=a>x</svg>", "<p class=x-nc-select>x"],
)
def test_words_that_look_like_annotation(html: str) -> None:
    assert severities(page(html, None)) == {}


def test_a_hostile_page_does_not_hold_up_the_check_for_residue() -> None:
    view = found(page("cc-select" + "<a " * 300_000 + "<text " * 100_000, None))
    assert "annotation-residue" not in view


# -- several pages ---------------------------------------------------------------------------


def test_the_later_of_identical_pages_is_rejected() -> None:
    pages = [
        page("<p>same", "same", page_id="b"),
        page("<p>same", "same", page_id="a"),
        page("<p>same", "other same", page_id="c"),
        page("<p>unlike", "unlike", page_id="d"),
    ]
    report = run.lint([data_set(*pages)])[0]
    duplicate = next(each for each in report.findings if each.check == "duplicate")
    assert duplicate.pages == ("a", "b", "c")
    assert duplicate.rejects == ("b", "c")
    assert "other gold" in duplicate.detail
    assert set(report.rejected) == {"b", "c"}


def test_pages_that_are_nearly_the_same() -> None:
    one, two = text(0, 200), text(0, 190) + " " + text(300, 10)
    pages = [
        page(f"<p>{one}", text(0, 50), page_id="a"),
        page(f"<div>{two}", text(60, 50), page_id="b"),
        page(f"<p>{text(200, 200)}", text(200, 50), page_id="c"),
        page("<p>too short", "too short", page_id="d"),
        page("<div>too short", "too short", page_id="e"),
    ]
    assert {name: [each.pages for each in own] for name, own in found(*pages).items()} == {
        "near-duplicate": [("a", "b")]
    }


def test_the_same_gold_on_other_pages() -> None:
    gold = text(0, 30)
    pages = [page(f"<p>{gold} {text(100 * n, 90)}", gold, page_id=str(n)) for n in (1, 2)]
    assert severities(*pages) == {"same-gold": ["warning"]}


def test_a_crowd_of_like_pages_is_one_finding() -> None:
    pages = [page(f"<p>{text(0, 300)} {n}", f"{n}", page_id=f"{n:03}") for n in range(120)]
    near = found(*pages)["near-duplicate"]
    assert [len(each.pages) for each in near] == [120]


def test_overlap_between_sets_is_by_content() -> None:
    like = text(0, 200)
    ours = data_set(
        page("<p>same bytes", "x", page_id="a"), page(f"<p>{like}", page_id="b"), page("<p>c"),
        name="ours",
    )  # fmt: skip
    theirs = data_set(
        page("<p>same bytes", "y", page_id="z"), page(f"<b>{like} end", page_id="y"), name="theirs"
    )
    for mine, other in zip(run.lint([ours, theirs]), (["z", "y"], ["a", "b"]), strict=True):
        overlap = [each for each in mine.findings if each.check == "overlap"]
        name = "theirs" if mine.name == "ours" else "ours"
        assert sorted(i for each in overlap for i in each.others) == sorted(
            f"{name}/{i}" for i in other
        )
        # What is rejected does not depend on what else is on this machine.
        assert not {i for each in overlap for i in each.rejects}


def test_the_other_split_is_looked_at_where_it_is_installed(bench_home: Path) -> None:
    gold_home = bench_home / "gold"
    for name, split, ids in (("wcxb", "dev", "12"), ("wcxb-test", "test", "23")):
        for page_id in ids:
            folder = gold_home / name / split
            (folder / "html").mkdir(parents=True, exist_ok=True)
            (folder / "ground-truth").mkdir(exist_ok=True)
            (folder / "html" / f"{page_id}.html").write_text(html_of(f"<p>{page_id} {GOOD}"))
            truth = {"ground_truth": {"main_content": f"{page_id} {GOOD}"}}
            (folder / "ground-truth" / f"{page_id}.json").write_text(json.dumps(truth))
    dev = catalogue.open_gold("wcxb")
    siblings = run.siblings([dev])
    assert [each.name for each in siblings] == ["wcxb:test"]
    assert run.siblings([dev, *siblings]) == []
    (report,) = run.lint([dev], siblings)
    overlap = [each for each in report.findings if each.check == "overlap"]
    assert ("2",) in [each.pages for each in overlap]
    assert "wcxb:test/2" in {i for each in overlap for i in each.others}
    assert list(report.compared_with) == ["wcxb:test"]


def test_every_finding_says_what_it_means() -> None:
    sources = [path for path in Path(run.__file__).parent.glob("*.py") if path.stem != "findings"]
    code = "".join(path.read_text(encoding="utf-8") for path in sources)
    names = re.findall(r'(?:yield|Finding\()\s*"([a-z-]+)",', code)
    assert set(names) == set(CHECKS)
    assert all(meaning.endswith(".") for meaning in CHECKS.values())


# -- likeness --------------------------------------------------------------------------------


@pytest.mark.parametrize("shared", [0.0, 0.3, 0.6, 0.8, 0.9, 1.0])
def test_a_sketch_tells_how_alike_sets_are(shared: float) -> None:
    generator = np.random.default_rng(5)
    numbers = generator.integers(0, 2**63, 4000, np.uint64)
    both = int(2000 * shared)
    a, b = numbers[:2000], np.concatenate([numbers[:both], numbers[2000 : 4000 - both]])
    exact = len(np.intersect1d(a, b)) / len(np.union1d(a, b))
    assert abs(grams.alike(grams.sketch(a), grams.sketch(b)) - exact) < 4 / (2 * grams.SKETCH**0.5)


def test_sketches_are_the_same_on_every_machine() -> None:
    sketch = grams.sketch(grams.distinct(WORDS))
    assert sketch[:3].tolist() == [11612484, 18309865, 7997051]


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=9), max_size=6), st.data())
def test_absent_counts_what_plain_counting_counts(
    lines: list[list[str]], data: st.DataObject
) -> None:
    source = data.draw(st.lists(st.sampled_from("abcd"), max_size=30))
    wanted = [
        tuple(line[at : at + min(4, len(line))])
        for line in lines
        for at in range(max(1, len(line) - 3) if line else 0)
    ]
    there = {tuple(source[at : at + n]) for n in range(1, 5) for at in range(len(source) - n + 1)}
    expected = sum(each not in there for each in wanted) / len(wanted) if wanted else 0.0
    assert grams.absent(lines, source) == pytest.approx(expected)


# -- the command -----------------------------------------------------------------------------

DOUBTFUL: Mapping[str, tuple[str | bytes, str]] = {
    "boats": (html_of(f"<p>{GOOD}</p>"), GOOD),
    "boats-again": (html_of(f"<p>{GOOD}</p>"), GOOD),
    "elsewhere": (html_of("<p>A page about cheese.</p>"), "This text is from quite another page."),
    "latin": (html_of("<p>Café</p>").replace("utf-8", "iso-8859-1"), "Café"),
    "none": (html_of("<p>Log in.</p>"), ""),
    "sound": (html_of("<p>Salt is rubbed into the rind on the third day.</p>", "Cheese"),
              "Salt is rubbed into the rind on the third day."),
}  # fmt: skip


@pytest.mark.parametrize("width", [80, 120])
def test_what_the_command_shows(bench_cli: BenchCli, folder_gold: FolderGold, width: int) -> None:
    folder = folder_gold(DOUBTFUL, "doubtful")
    done = bench_cli("gold", "lint", f"folder:{folder}", env={"COLUMNS": str(width)})
    assert done.returncode == 1, done.stderr
    held_against_golden(f"gold-lint-{width}.txt", done.stdout)


def held_against_golden(name: str, content: str) -> None:
    path = GOLDEN / name
    if os.environ.get("BENCH_UPDATE_GOLDEN"):
        path.write_text(content, encoding="utf-8")
    assert path.is_file(), "BENCH_UPDATE_GOLDEN=1 writes it"
    assert content == path.read_text(encoding="utf-8")


def test_json_and_exit_status(bench_cli: BenchCli, folder_gold: FolderGold) -> None:
    folder = folder_gold(DOUBTFUL, "doubtful")
    sound = folder_gold(name="sound")
    done = bench_cli("gold", "lint", f"folder:{folder}", f"folder:{sound}", "--json")
    assert done.returncode == 1
    first, second = json.loads(done.stdout)["data_sets"]
    assert (first["errors"], second["errors"]) == (2, 0)
    assert first["rejected"] == {"boats-again": "duplicate", "elsewhere": "gold-not-in-page"}
    assert first["compared_with"] == ["folder:sound"]
    assert first["languages"] == {"en": 6}
    duplicate = first["findings"][0]
    assert duplicate == {
        "check": "duplicate",
        "severity": "error",
        "pages": ["boats", "boats-again"],
        "rejects": ["boats-again"],
        "others": [],
        "detail": "boats = boats-again, with the same gold; the first is kept",
        "meaning": CHECKS["duplicate"],
    }
    assert bench_cli("gold", "lint", f"folder:{sound}").returncode == 0
    for words in (["no-such-set"], [], [f"folder:{sound}", f"folder:{sound}"]):
        done = bench_cli("gold", "lint", *words)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def test_hostile_ids_and_texts_are_shown_plain(
    bench_cli: BenchCli, folder_gold: FolderGold
) -> None:
    folder = folder_gold({"a\x1b[31m": ("<p>x", "quite another text \x1b]0;x\x07 than this")})
    done = bench_cli("gold", "lint", f"folder:{folder}")
    assert "\x1b" not in done.stdout
    assert "a[31m: 100%" in done.stdout


def test_a_run_without_what_lint_rejects(bench_cli: BenchCli, folder_gold: FolderGold) -> None:
    folder = folder_gold(DOUBTFUL, "doubtful")
    words = ("run", "everything", "gold", "--gold", f"folder:{folder}", "--skip-lint-errors")
    done = bench_cli(*words, "--json")
    assert done.returncode == 0, done.stderr
    assert "left out because lint rejects them: boats-again (duplicate), elsewhere" in done.stderr
    board = json.loads(done.stdout)
    left_out = {"boats-again": "duplicate", "elsewhere": "gold-not-in-page"}
    assert board["gold"]["pages"] == 4
    assert board["gold"]["left_out"] == left_out
    assert any("boats-again (duplicate)" in each for each in board["warnings"])
    here = folder.parent / "here"
    (manifest,) = (here / "results").glob("*/manifest.json")
    assert json.loads(manifest.read_text(encoding="utf-8"))["gold"]["left_out"] == left_out
    (folder,) = (here / "reports").iterdir()
    assert folder.name == "folder-doubtful-without-lint-errors"
    report = (folder / "leaderboard.md").read_text(encoding="utf-8")
    assert "boats-again (duplicate)" in report
    again = bench_cli(*words)
    assert "found " in again.stderr
    assert "boats-again (duplicate)" in " ".join(again.stderr.split())


def test_a_set_of_rejected_pages_alone_is_refused(
    bench_cli: BenchCli, folder_gold: FolderGold
) -> None:
    folder = folder_gold({"x": DOUBTFUL["elsewhere"]})
    done = bench_cli("run", "nothing", "--gold", f"folder:{folder}", "--skip-lint-errors")
    assert done.returncode == 1
    assert "no page is left" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_rejected_is_remembered_until_a_page_changes(folder_gold: FolderGold) -> None:
    folder = folder_gold(DOUBTFUL, "doubtful")
    opened = catalogue.open_gold(f"folder:{folder}")
    progress = Mock()
    before = run.rejected(opened, progress)
    assert run.rejected(opened, progress) == before
    assert progress.advance.call_count == 6
    (memory,) = (paths.home() / "cache" / "lint").iterdir()
    memory.write_text("{", encoding="utf-8")
    assert run.rejected(opened) == before
    (folder / "elsewhere.txt").write_text("A page about cheese.", encoding="utf-8")
    changed = run.rejected(catalogue.open_gold(f"folder:{folder}"))
    assert changed == {"boats-again": "duplicate"}
