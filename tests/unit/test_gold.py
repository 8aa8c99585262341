"""Data sets: readers, what is wrong with them, fingerprints, and taking copies."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from bench.datasets import card, catalogue, fingerprint, readers
from bench.datasets.catalogue import DataSet
from bench.datasets.fetch import archive, install
from bench.datasets.readers.base import GoldError
from bench.datasets.verify import verify
from bench.model import BenchError, UsageError
from bench.util import paths
from tests.conftest import FolderGold, html_of
from tests.layouts import write_layout

HTML = html_of("<p>one two three</p>")
AebCopy = Callable[..., Path]


def opened(folder: Path) -> DataSet:
    return catalogue.open_gold(f"folder:{folder}")


def content(folder: Path) -> str:
    return opened(folder).hashes.fingerprint


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    } if folder.exists() else {}  # fmt: skip


@pytest.fixture
def aeb_copy(tmp_path: Path) -> AebCopy:
    """A small data set in AEB's layout, written for this test."""

    def build(pages: int = 3, name: str = "aeb-copy") -> Path:
        folder = tmp_path / name
        (folder / "html").mkdir(parents=True)
        truth = {}
        for at in range(pages):
            key = hashlib.sha256(str(at).encode()).hexdigest()
            truth[key] = {"articleBody": f"Text {at} née", "url": f"https://example.org/{at}"}
            page = html_of(f"<p>Text {at} née</p>").encode()
            (folder / "html" / f"{key}.html.gz").write_bytes(gzip.compress(page))
        (folder / "ground-truth.json").write_text(json.dumps(truth), encoding="utf-8")
        return folder

    return build


# -- folders --------------------------------------------------------------------------------


def test_a_folder_is_read_page_by_page_in_order(folder_gold: FolderGold) -> None:
    data_set = opened(folder_gold({"b": (HTML, "two"), "a": (HTML, "één"), "c": (HTML, "")}))
    assert list(data_set.ids) == ["a", "b", "c"]
    assert len(data_set) == 3
    assert [item.gold.text for item in data_set] == ["één", "two", ""]
    assert data_set.read("a").page.html == HTML.encode()
    assert data_set.as_published is None
    assert data_set.name == "folder:pages"


def test_gzipped_pages_and_a_pages_folder(folder_gold: FolderGold, tmp_path: Path) -> None:
    plain = folder_gold({"a": (HTML, "x")})
    packed = tmp_path / "packed"
    (packed / "pages").mkdir(parents=True)
    (packed / "pages" / "a.html.gz").write_bytes(gzip.compress(HTML.encode()))
    (packed / "pages" / "a.txt").write_text("x", encoding="utf-8")
    assert opened(packed).read("a").page.html == HTML.encode()
    assert content(packed) == content(plain), "the content is the same, whatever its files"


def test_ids_may_hold_dots_spaces_and_any_script(folder_gold: FolderGold) -> None:
    names = ["v1.2 final", "提灯", "a.html"]
    data_set = opened(folder_gold(dict.fromkeys(names, (HTML, "x"))))
    assert set(data_set.ids) == set(names)
    assert {item.page.id for item in data_set} == set(names)


def test_facts_of_pages(folder_gold: FolderGold) -> None:
    folder = folder_gold({"a": (HTML, "x"), "b": (HTML, "y")})
    facts = {"id": "a", "url": "https://example.org/", "language": "pl", "page_type": "forum"}
    lines = json.dumps({**facts, "encoding": "cp1250", "mood": "grim"}) + "\n\n"
    (folder / "pages.jsonl").write_text(lines, encoding="utf-8")
    page = opened(folder).read("a").page
    assert (page.url, page.language, page.page_type) == ("https://example.org/", "pl", "forum")
    assert page.encoding == "cp1250"
    assert dict(page.meta) == {"mood": "grim"}
    assert opened(folder).read("b").page.url is None


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '"a"', "7", "null", '{"url": "x"}', '{"id": "a"} {"id": "b"}'],
)
def test_a_broken_line_of_facts_is_named(folder_gold: FolderGold, line: str) -> None:
    folder = folder_gold({"a": (HTML, "x")})
    (folder / "pages.jsonl").write_text('{"id": "a"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(GoldError, match=r"pages\.jsonl, line 2"):
        opened(folder)


@pytest.mark.parametrize("fact", ["url", "encoding"])
def test_a_fact_of_the_wrong_kind_is_named(folder_gold: FolderGold, fact: str) -> None:
    """It would reach the worker, and there be an accident of every extractor."""
    folder = folder_gold({"a": (HTML, "x")})
    (folder / "pages.jsonl").write_text(json.dumps({"id": "a", fact: 5}), encoding="utf-8")
    with pytest.raises(GoldError, match=f"pages.jsonl, line 1.*{fact}"):
        opened(folder)


def test_a_page_may_have_no_gold_and_gold_needs_a_page(folder_gold: FolderGold) -> None:
    folder = folder_gold({"a": (HTML, "x"), "page": (HTML, ""), "gold": ("", "y")})
    (folder / "page.txt").unlink()
    (folder / "gold.html").unlink()
    data_set = opened(folder)
    assert [(item.page.id, item.gold.text) for item in data_set] == [("a", "x"), ("page", None)]
    (gold,) = data_set.reader.problems
    assert gold.startswith("gold without a page: gold")
    assert "1 of 2 pages have no gold text" in data_set.gold_warning()


@pytest.mark.parametrize("kind", ["missing", "a file", "empty"])
def test_what_is_no_folder_of_pages(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "a file":
        place.write_text("x", encoding="utf-8")
    if kind == "empty":
        place.mkdir()
    with pytest.raises(GoldError, match="place"):
        opened(place)


@pytest.mark.parametrize("damage", ["cut", "garbage", "crc", "empty"])
def test_a_corrupt_gzip_is_named(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "gz"
    folder.mkdir()
    (folder / "a.txt").write_text("x", encoding="utf-8")
    whole = gzip.compress(HTML.encode())
    middle = len(whole) // 2
    (folder / "a.html.gz").write_bytes(
        {
            "cut": whole[:middle],
            "garbage": b"this was never gzipped",
            "crc": whole[:middle] + bytes(b ^ 0xFF for b in whole[middle:]),
            "empty": b"\x1f\x8b",
        }[damage]
    )
    with pytest.raises(GoldError, match=r"a\.html\.gz cannot be read .*; put a whole copy"):
        opened(folder).read("a")
    report = verify(opened(folder))
    assert report.faulty
    assert report.fingerprint is None
    assert len(report.findings["unreadable"]) == 1


def test_gold_that_is_not_utf_8_is_named(folder_gold: FolderGold) -> None:
    folder = folder_gold({"a": (HTML, "né".encode("latin-1"))})
    with pytest.raises(GoldError, match=r"a\.txt is not UTF-8 .*; save it as UTF-8"):
        opened(folder).read("a")


def test_a_byte_order_mark_is_no_part_of_the_gold(folder_gold: FolderGold) -> None:
    folder = folder_gold({"a": (HTML, b"\xef\xbb\xbfx")})
    assert opened(folder).read("a").gold.text == "x"


@pytest.mark.skipif(os.name != "posix", reason="file names are bytes on POSIX alone")
def test_a_file_name_that_is_no_text(folder_gold: FolderGold) -> None:
    folder = folder_gold({"a": (HTML, "x")})
    for suffix in (".html", ".txt"):
        shutil.copy(folder / f"a{suffix}", os.fsencode(folder) + b"/caf\xe9" + suffix.encode())
    reader = opened(folder).reader
    assert list(reader.ids) == ["a"]
    assert ["name is not UTF-8" in line for line in reader.problems] == [True]


def test_opening_reads_no_page(folder_gold: FolderGold) -> None:
    folder = folder_gold({"a": (HTML, "x"), "b": (HTML, "y")})
    (folder / "b.html").unlink()
    (folder / "b.html.gz").symlink_to(folder / "nowhere")  # there, and not to be read
    (folder / "c.html.gz").write_bytes(b"junk")
    (folder / "c.txt").write_text("z", encoding="utf-8")
    data_set = opened(folder)
    assert data_set.read("a").gold.text == "x"
    with pytest.raises(GoldError):
        data_set.read("c")


# -- AEB ------------------------------------------------------------------------------------


def test_aebs_layout(aeb_copy: AebCopy) -> None:
    reader = readers.open_folder("aeb", aeb_copy(3))
    assert len(reader.ids) == 3
    assert list(reader.ids) == sorted(reader.ids)
    item = reader.read(reader.ids[0])
    assert item.gold.text is not None
    assert item.gold.text.startswith("Text")
    assert item.gold.text.encode() in item.page.html
    assert item.page.url is not None
    assert item.page.encoding == "utf-8"
    assert reader.problems == []


def test_aebs_pairs_that_do_not_match(aeb_copy: AebCopy) -> None:
    folder = aeb_copy(3)
    first, *_ = sorted((folder / "html").iterdir())
    first.rename(folder / "html" / "stranger.html.gz")
    reader = readers.open_folder("aeb", folder)
    assert len(reader.ids) == 2
    gold, page = reader.problems
    assert gold.startswith(f"gold without a page: {first.name.split('.')[0]}")
    assert page.startswith("page without gold: stranger")


@pytest.mark.parametrize("truth", [None, "", "[]", '"x"', '{"a": 1}', "{", "\xff"])
def test_a_ground_truth_that_is_none(tmp_path: Path, truth: str | None) -> None:
    (tmp_path / "html").mkdir()
    if truth is not None:
        (tmp_path / "ground-truth.json").write_bytes(truth.encode("latin-1"))
    with pytest.raises(GoldError, match=r"ground-truth\.json"):
        readers.open_folder("aeb", tmp_path)


def test_a_ground_truth_without_any_page_is_refused(aeb_copy: AebCopy) -> None:
    """As a folder without a pair is: nothing could be scored on it."""
    folder = aeb_copy(2)
    shutil.rmtree(folder / "html")
    with pytest.raises(GoldError):
        readers.open_folder("aeb", folder)


def test_a_body_that_is_no_text_is_refused(aeb_copy: AebCopy) -> None:
    folder = aeb_copy(1)
    truth = json.loads((folder / "ground-truth.json").read_text(encoding="utf-8"))
    for each in truth.values():
        each["articleBody"] = ["a", "list"]
    (folder / "ground-truth.json").write_text(json.dumps(truth), encoding="utf-8")
    with pytest.raises(GoldError, match="articleBody"):
        list(DataSet(catalogue.find_card("aeb")[0], readers.open_folder("aeb", folder)))


# -- fingerprints ---------------------------------------------------------------------------


def test_a_fingerprint_is_of_content(folder_gold: FolderGold) -> None:
    pages = {"a": (HTML, "x"), "b": (HTML + " ", "y")}
    one, other = folder_gold(pages, "one"), folder_gold(dict(reversed(pages.items())), "other")
    assert content(one) == content(one) == content(other)
    assert len(content(one)) == 64


def test_the_format_of_fingerprints_stays(folder_gold: FolderGold) -> None:
    """Written down: cards pin fingerprints, so computing them otherwise breaks every card."""
    folder = folder_gold({"a": ("<p>x</p>", "x"), "b": ("<p>é</p>", "é")})
    page = [hashlib.sha256(hashlib.sha256(h).digest() + b"[null, null]").hexdigest()[:32]
            for h in (b"<p>x</p>", "<p>é</p>".encode())]  # fmt: skip
    gold = [hashlib.sha256(json.dumps([t, [], []]).encode()).hexdigest()[:32] for t in ("x", "é")]
    lines = f"a\t{page[0]}\t{gold[0]}\nb\t{page[1]}\t{gold[1]}\n"
    assert content(folder) == hashlib.sha256(lines.encode()).hexdigest()


@pytest.mark.parametrize(
    "change", ["html", "gold", "id", "url", "encoding", "one more", "one less"]
)
def test_a_fingerprint_changes_with(folder_gold: FolderGold, change: str) -> None:
    folder = folder_gold({"a": (HTML, "x"), "b": (HTML, "y")})
    before = content(folder)
    if change == "html":
        (folder / "a.html").write_text(HTML + "<br>", encoding="utf-8")
    elif change == "gold":
        (folder / "a.txt").write_text("X", encoding="utf-8")
    elif change == "id":
        (folder / "a.html").rename(folder / "z.html")
        (folder / "a.txt").rename(folder / "z.txt")
    elif change in ("url", "encoding"):
        facts = json.dumps({"id": "a", change: "x"})
        (folder / "pages.jsonl").write_text(facts, encoding="utf-8")
    elif change == "one more":
        for suffix in (".html", ".txt"):
            shutil.copy(folder / f"a{suffix}", folder / f"c{suffix}")
    else:
        (folder / "b.txt").unlink()
    assert content(folder) != before


def test_the_hash_of_a_page_is_apart_from_that_of_its_gold(folder_gold: FolderGold) -> None:
    folder = folder_gold({"a": (HTML, "x")})
    before = opened(folder).hashes.pages["a"]
    (folder / "a.txt").write_text("other", encoding="utf-8")
    after = opened(folder).hashes.pages["a"]
    assert after.page == before.page
    assert after.gold != before.gold


def test_hashes_are_remembered_and_the_memory_may_be_damaged(
    folder_gold: FolderGold, bench_home: Path
) -> None:
    folder = folder_gold({"a": (HTML, "x")})
    first = content(folder)
    (memory,) = (bench_home / "cache" / "fingerprints").iterdir()
    assert content(folder) == first
    for damage in ("", "{", "{}", '{"fingerprint": "x"}', '{"fingerprint": "x", "pages": []}'):
        memory.write_text(damage, encoding="utf-8")
        assert content(folder) == first, damage


def test_verify_reads_the_content_and_not_the_memory(folder_gold: FolderGold) -> None:
    """A flipped bit changes neither size nor time; finding it is what verify is for."""
    folder = folder_gold({"a": (HTML, "one two")})
    before = verify(opened(folder)).fingerprint
    path = folder / "a.txt"
    stat = path.stat()
    path.write_text("one TWO", encoding="utf-8")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert verify(opened(folder)).fingerprint != before


def test_a_data_directory_that_cannot_be_written_does_not_matter_for_reading(
    folder_gold: FolderGold, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = folder_gold({"a": (HTML, "x")})
    before = content(folder)
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("BENCH_HOME", str(tmp_path / "file" / "below"))
    assert content(folder) == before


# -- verify ---------------------------------------------------------------------------------


def test_a_sound_data_set_has_no_findings(folder_gold: FolderGold) -> None:
    report = verify(opened(folder_gold()))
    assert not report.faulty
    assert {kind for kind, lines in report.findings.items() if lines} == set()
    assert report.pages == 3


def test_findings(folder_gold: FolderGold) -> None:
    bad = b"<meta charset=utf-8><p>caf\xe9</p>"
    folder = folder_gold(
        {
            "a": (HTML, "x"),
            "again": (HTML, "x"),
            "bad": (bad, "café"),
            "hollow": (HTML + "<hr>", " \n"),
            "latin": (HTML + "<b>", b"caf\xe9"),
            "lone": (HTML, "x"),
        }
    )
    (folder / "lone.html").unlink()
    report = verify(opened(folder))
    found = {kind: lines for kind, lines in report.findings.items() if lines}
    assert set(found) == {
        "pairs", "unreadable", "duplicates", "empty gold", "undecodable bytes",
    }  # fmt: skip
    assert found["duplicates"] == ["a = again"]
    assert found["empty gold"] == ["hollow"]
    assert found["undecodable bytes"][0].startswith("bad: ")
    assert "latin.txt" in found["unreadable"][0]
    assert "lone" in found["pairs"][0]
    assert report.faulty


def test_a_pair_published_without_its_half_is_no_fault(folder_gold: FolderGold) -> None:
    folder = folder_gold({"a": (HTML, "x"), "b": (HTML, "y")})
    (folder / "b.html").unlink()
    found = opened(folder)
    assert verify(found).faulty
    pinned = replace(found.card, fingerprint=found.hashes.fingerprint)
    report = verify(DataSet(pinned, found.reader))
    assert report.findings["pairs"]
    assert not report.faulty
    other = replace(found.card, fingerprint="0" * 64)
    assert verify(DataSet(other, found.reader)).faulty


def test_snippets_without_a_text_are_gold(tmp_path: Path) -> None:
    write_layout("trafilatura-eval", tmp_path, {"a": (b"<p>one</p>", "one")})
    reader = readers.open_folder("trafilatura-eval", tmp_path)
    data_set = DataSet(card.Card("x", "", "", "trafilatura-eval"), reader)
    report = verify(data_set)
    assert not report.faulty
    assert report.findings["empty gold"] == []
    before = data_set.hashes.fingerprint
    assert len(before) == 64
    write_layout("trafilatura-eval", tmp_path / "other", {"a": (b"<p>one</p>", "two")})
    other = readers.open_folder("trafilatura-eval", tmp_path / "other")
    assert fingerprint.of_reader(other).fingerprint != before


@pytest.mark.parametrize("label", ["idna", "undefined", "unicode_escape"])
def test_verify_never_raises_for_an_odd_declaration(folder_gold: FolderGold, label: str) -> None:
    html = f"<meta charset={label}>".encode() + b"\xff \\x"
    assert verify(opened(folder_gold({"a": (html, "x")}))).fingerprint


def test_duplicates_and_empty_gold_are_worth_knowing_but_no_fault(folder_gold: FolderGold) -> None:
    report = verify(opened(folder_gold({"a": (HTML, ""), "b": (HTML, "")})))
    assert not report.faulty
    assert report.findings["duplicates"]
    assert report.findings["empty gold"] == ["a", "b"]


# -- the catalogue, and adding --------------------------------------------------------------


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(UsageError, match=r"no data set is called 'aebb'; did you mean aeb\?"):
        catalogue.open_gold("aebb")
    with pytest.raises(UsageError, match=r"there are .*aeb"):
        catalogue.open_gold("qqqqqqqq")


def test_a_data_set_that_is_not_here_says_how_to_get_it() -> None:
    with pytest.raises(BenchError, match="with: bench gold fetch aeb"):
        catalogue.open_gold("aeb")


@pytest.mark.skipif(os.name != "posix", reason="links are made without asking on POSIX alone")
def test_adding_follows_no_link_out_of_the_copy(
    aeb_copy: AebCopy, bench_home: Path, tmp_path: Path
) -> None:
    source = aeb_copy(3)
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (source / "LICENSE").unlink(missing_ok=True)
    (source / "LICENSE").symlink_to(tmp_path / "secret")
    with pytest.raises(GoldError, match="LICENSE leads out of the data set"):
        install.add("aeb", source)
    assert not (bench_home / "gold" / "aeb").exists()


def test_adding_takes_a_whole_copy(aeb_copy: AebCopy, bench_home: Path) -> None:
    source = aeb_copy(3)
    (source / "output").mkdir()
    (source / "output" / "system.json").write_text("{}", encoding="utf-8")
    (source / "junk").mkdir()
    (source / "junk" / "notes.txt").write_text("not of the data set", encoding="utf-8")
    data_set = install.add("aeb", source)
    assert len(data_set) == 3
    assert data_set.reader.root == bench_home / "gold" / "aeb"
    copied = tree(bench_home / "gold")
    assert set(copied) == {f"aeb/{name}" for name in tree(source) if not name.startswith("junk")}
    assert catalogue.open_gold("aeb").hashes.fingerprint == data_set.hashes.fingerprint


def test_adding_again_needs_to_be_meant(aeb_copy: AebCopy) -> None:
    install.add("aeb", aeb_copy(3))
    with pytest.raises(GoldError, match=r"already in .*--replace"):
        install.add("aeb", aeb_copy(2, "second"))
    assert len(catalogue.open_gold("aeb")) == 3
    assert len(install.add("aeb", aeb_copy(1, "third"), replace=True)) == 1
    assert len(catalogue.open_gold("aeb")) == 1


@pytest.mark.parametrize("replace", [False, True])
def test_a_damaged_copy_leaves_nothing_behind(
    aeb_copy: AebCopy, bench_home: Path, replace: bool
) -> None:
    if replace:
        install.add("aeb", aeb_copy(3))
    before = tree(bench_home / "gold")
    source = aeb_copy(2, "damaged")
    page = max((source / "html").iterdir())
    page.write_bytes(page.read_bytes()[:40])
    with pytest.raises(GoldError, match=page.name):
        install.add("aeb", source, replace=replace)
    assert tree(bench_home / "gold") == before
    left = {p.name for p in (bench_home / "gold").iterdir()}
    assert left == ({"aeb"} if replace else set())


def test_what_cannot_be_added(tmp_path: Path, aeb_copy: AebCopy) -> None:
    with pytest.raises(UsageError, match="did you mean aeb"):
        install.add("abe", aeb_copy())
    with pytest.raises(GoldError, match="is no folder"):
        install.add("aeb", tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(GoldError, match=r"ground-truth\.json"):
        install.add("aeb", tmp_path / "empty")


def test_a_data_directory_that_cannot_be_written_is_named(
    aeb_copy: AebCopy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("BENCH_HOME", str(tmp_path / "file" / "below"))
    with pytest.raises(BenchError, match="below"):
        install.add("aeb", aeb_copy())


def test_what_ships_needs_no_adding(aeb_copy: AebCopy) -> None:
    if "starter" not in catalogue.all_cards():
        pytest.skip("the starter set is not here")
    with pytest.raises(GoldError, match="ships with bench"):
        install.add("starter", aeb_copy())


CARD = "name = 'x'\ntitle = ''\ndescription = ''\nlayout = ''\n"


@pytest.mark.parametrize(
    "facts",
    [
        "files = 5",
        "files = [5]",
        "[[files]]",
        "[[files]]\nurl = 'https://example.org/x'\nsize_bytes = 1\ncolour = 1",
    ],
)
def test_a_card_whose_files_are_no_tables(tmp_path: Path, facts: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(CARD + facts, encoding="utf-8")
    with pytest.raises(BenchError, match=r"x\.toml is no data set card"):
        card.read(path)


@pytest.mark.parametrize(
    "text",
    ["name = 'x'", "name = 'x'\ntitle = ''\ndescription = ''\nlayout = ''\ncolour = 1", "= ="],
)
def test_a_card_that_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BenchError, match=r"x\.toml is no data set card"):
        card.read(path)


# -- every data set that ships, or is known -------------------------------------------------

CARDS = catalogue.all_cards()
WITHOUT_GOLD = {"cleaneval": 59}
"""Pages that were published without gold."""


@pytest.mark.parametrize("name", CARDS)
def test_a_card_says_what_it_must(name: str) -> None:
    known, _ = CARDS[name]
    assert known.name == name
    for fact in ("title", "description", "licence", "citation", "source", "version"):
        assert getattr(known, fact).strip(), fact
    assert known.pages > 0
    assert known.layout in readers.LAYOUTS
    assert all(re.fullmatch(r"[a-z]{2,3}(-\w+)*", language) for language in known.languages)
    for file in known.files:
        assert file.url.startswith("https://")
        assert file.size_bytes > 0
        assert re.fullmatch("([0-9a-f]{64})?", file.sha256)
        assert file.unpack in ("", "zip", *archive._OPENERS)
        assert file.unpack or not (file.strip or file.only)
        into = PurePosixPath(file.into)
        assert not into.is_absolute()
        assert not {"..", "\\", ":"} & {*into.parts, *file.into}
        assert file.unpack or file.name
    if known.part_of:
        whole, root = CARDS[known.part_of]
        assert not whole.part_of
        assert CARDS[name][1] == root, "it is read from the copy of the whole"


def test_a_set_is_listed_before_its_splits_and_parts() -> None:
    names = list(CARDS)
    for name in names:
        base = name.partition(":")[0]
        assert base == name or names.index(base) < names.index(name)
    parts = [name for name in names if name.startswith("sigir")]
    at = names.index("sigir")
    assert names[at : at + len(parts)] == parts, "nothing stands between them"


LARGE = 1000
"""Pages from which on a real data set is read in the nightly session alone."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if card.pages > LARGE else ())
        for name, (card, _) in CARDS.items()
    ],
)
def test_a_reader_keeps_its_promises(name: str, shared: Path) -> None:
    known, root = CARDS[name]
    if not root.is_dir():
        root = shared / "gold" / (known.part_of or name)
    if not root.is_dir():
        pytest.skip(f"the pages of {name} are not here")
    reader = readers.open_folder(known.layout, root)
    data_set = DataSet(known, reader)
    assert len(data_set) == known.pages
    assert list(reader.ids) == sorted(set(reader.ids))
    # An installed copy holds the pairs alone.
    assert len(reader.problems) in (0, WITHOUT_GOLD.get(name, 0))
    for path in reader.files():
        assert not path.is_absolute()
        assert (root / path).is_file()
    items = iter(data_set)
    assert next(items).page.id == reader.ids[0], "pages come lazily, in order"
    for item in data_set:
        assert item.page.html
        assert item.gold.text is not None or item.gold.with_snippets
    if known.fingerprint:
        assert fingerprint.of_reader(reader).fingerprint == known.fingerprint
    assert not verify(data_set).faulty


def test_bundled_gold_is_in_the_checkout() -> None:
    assert (paths.bundled("gold") / "aeb.toml").is_file()
