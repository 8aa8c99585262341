"""What every layout's reader promises, tested with small data sets in each of them."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.datasets import fingerprint, readers
from bench.datasets.readers import base
from bench.datasets.readers.base import GoldError, Reader
from bench.model import Gold
from tests.conftest import html_of
from tests.layouts import Pages, write_layout

# WARC has no gold, and a list is a file; their readers have tests of their own.
every_layout = pytest.mark.parametrize("layout", sorted({*readers.LAYOUTS} - {"warc", "files"}))

PAGES: Pages = {key: (html_of(f"<p>née {key}</p>").encode(), f"née {key}") for key in "cab"}
ODD_NAMES = [
    "提灯",
    "v1.2 final",
    "-rf",
    "a.html",
    "1",
    "10",
    "2",
    "..x",
    "%2e%2e",
    "née",
    "O'Neill",
]
if os.name == "posix":
    ODD_NAMES += ["<script>", 'a"b', "two\nlines", "a\\b", "*", "~", "tab\t"]


def said(gold: Gold) -> str:
    """The text that a page was written with, whether its gold is a text or snippets."""
    return gold.text if gold.text is not None else " ".join(gold.with_snippets)


def content(reader: Reader) -> str:
    return fingerprint.of_reader(reader, afresh=True).fingerprint


def bare(reader: Reader) -> list[str]:
    """Ids as they were written: all of a study's parts together have theirs in front."""
    return [page_id.removeprefix("cetd-") for page_id in reader.ids]


@every_layout
def test_pages_come_sorted_and_as_they_are(layout: str, tmp_path: Path) -> None:
    reader = readers.open_folder(layout, write_layout(layout, tmp_path, PAGES))
    assert bare(reader) == ["a", "b", "c"]
    assert list(reader.problems) == []
    for page_id, key in zip(reader.ids, "abc", strict=True):
        item = reader.read(page_id)
        assert item.page.id == page_id
        assert item.page.html == PAGES[key][0]
        assert said(item.gold) == PAGES[key][1]
        assert reader.gold(page_id) == item.gold


@every_layout
def test_every_opening_gives_the_same(layout: str, tmp_path: Path) -> None:
    folder = write_layout(layout, tmp_path / "one", PAGES)
    turned = write_layout(layout, tmp_path / "two", dict(sorted(PAGES.items())))
    first, again = (readers.open_folder(layout, folder) for _ in range(2))
    assert content(first) == content(again)
    if layout != "trafilatura-eval":  # there the test's URLs follow the order
        assert content(first) == content(readers.open_folder(layout, turned))


@every_layout
def test_gzipped_is_the_same_content(layout: str, tmp_path: Path) -> None:
    plain = readers.open_folder(layout, write_layout(layout, tmp_path / "plain", PAGES))
    packed = readers.open_folder(
        layout, write_layout(layout, tmp_path / "packed", PAGES, packed=True)
    )
    assert any(path.suffix == ".gz" for path in packed.files())
    assert content(packed) == content(plain)


@every_layout
def test_its_files_are_all_that_it_needs(layout: str, tmp_path: Path) -> None:
    source = write_layout(layout, tmp_path / "source", PAGES)
    reader = readers.open_folder(layout, source)
    paths = list(reader.files())
    assert len(paths) == len(set(paths))
    for path in paths:
        assert not path.is_absolute()
        assert ".." not in path.parts
        (tmp_path / "copy" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, tmp_path / "copy" / path)
    copy = readers.open_folder(layout, tmp_path / "copy")
    assert content(copy) == content(reader)
    assert list(copy.problems) == []


@every_layout
def test_names_that_are_odd(layout: str, tmp_path: Path) -> None:
    names = ODD_NAMES
    if layout.startswith("sigir"):
        names = [name for name in names if "\\" not in name]  # a path on another platform
    if layout == "trafilatura-eval":
        # A file's ending belongs to its name in this layout.
        names = [name for name in names if "\\" not in name and not name.endswith(".html")]
    pages: Pages = {name: (f"<p>{at}</p>".encode(), str(at)) for at, name in enumerate(names)}
    reader = readers.open_folder(layout, write_layout(layout, tmp_path, pages))
    assert list(reader.problems) == []
    assert list(reader.ids) == sorted(reader.ids)
    assert sorted(bare(reader)) == sorted(names)
    for page_id, name in zip(reader.ids, bare(reader), strict=True):
        item = reader.read(page_id)
        assert (item.page.html, said(item.gold)) == pages[name]


@every_layout
@pytest.mark.skipif(os.name != "posix", reason="file names are bytes on POSIX alone")
def test_a_file_name_that_is_no_text_is_left_out(layout: str, tmp_path: Path) -> None:
    reader = readers.open_folder(layout, write_layout(layout, tmp_path, PAGES))
    pages = {path.parent for path in reader.files() if path.suffix == ".html"}
    for folder in pages:
        (Path(os.fsdecode(os.fsencode(tmp_path / folder) + b"/caf\xe9.html"))).write_bytes(b"x")
    again = readers.open_folder(layout, tmp_path)
    assert list(again.ids) == list(reader.ids)
    if pages and layout != "trafilatura-eval":  # where files without annotation are published
        assert ["name is not UTF-8" in line for line in again.problems] == [True]


@every_layout
def test_what_has_no_partner_is_told_and_left_out(layout: str, tmp_path: Path) -> None:
    pages: Pages = {"a": (b"<p>a</p>", "a"), "gold": (None, "b"), "page": (b"<p>c</p>", None)}
    reader = readers.open_folder(layout, write_layout(layout, tmp_path, pages))
    # In a folder of one's own a page may have no gold yet.
    assert bare(reader) == (["a", "page"] if layout.startswith("folder") else ["a"])
    lines = "\n".join(reader.problems)
    assert "gold without a page" in lines
    # Pages that wait for their annotation are part of that set as it is published.
    told = layout not in ("folder", "folder-all", "trafilatura-eval")
    assert ("page without gold" in lines) == told
    assert len(reader.problems) == 1 + told


@every_layout
def test_a_folder_without_any_pair_is_refused(layout: str, tmp_path: Path) -> None:
    pages: Pages = {"gold": (None, "b"), "page": (b"<p>c</p>", None)}
    if layout.startswith("folder"):
        del pages["page"]
    with pytest.raises(GoldError, match="set-of-pages"):
        readers.open_folder(layout, write_layout(layout, tmp_path / "set-of-pages", pages))


@every_layout
@pytest.mark.parametrize("kind", ["missing", "a file", "empty", "something else"])
def test_what_is_not_in_the_layout_is_named(layout: str, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "a file":
        place.write_text("x", encoding="utf-8")
    elif kind != "missing":
        place.mkdir()
    if kind == "something else":
        (place / "README.md").write_text("x", encoding="utf-8")
    with pytest.raises(GoldError, match="place"):
        readers.open_folder(layout, place)


@every_layout
def test_opening_reads_no_page_and_damage_is_named(layout: str, tmp_path: Path) -> None:
    folder = write_layout(layout, tmp_path, PAGES, packed=True)
    pages = [p for p in folder.rglob("*.html.gz") if p.name == "c.html.gz"]
    damaged = pages[0] if pages else next(folder.glob("*.jsonl.gz"))
    damaged.write_bytes(damaged.read_bytes()[:30])
    if pages:
        reader = readers.open_folder(layout, folder)
        assert said(reader.read(reader.ids[0]).gold) == "née a"
    with pytest.raises(GoldError, match=rf"{damaged.name} cannot be read .*; put a whole copy"):
        fingerprint.of_reader(readers.open_folder(layout, folder), afresh=True)


@every_layout
def test_a_page_that_vanishes_is_named(layout: str, tmp_path: Path) -> None:
    folder = write_layout(layout, tmp_path, PAGES)
    reader = readers.open_folder(layout, folder)
    for path in reader.files():
        (folder / path).unlink()
    with pytest.raises(GoldError, match=r"b\.html|b\.json|page b|jsonl|no page"):
        reader.read(reader.ids[1])


def read_all(layout: str, folder: Path) -> None:
    """Open a data set and read its pages; what is left out counts as found."""
    reader = readers.open_folder(layout, folder)
    if reader.problems:
        raise GoldError("\n".join(reader.problems))
    for page_id in reader.ids:
        reader.read(page_id)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _somebody_elses(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def _folder(path: Path) -> None:
    path.mkdir()


@every_layout
@pytest.mark.skipif(os.name != "posix", reason="pipes and devices are files on POSIX alone")
@pytest.mark.parametrize("make", [_pipe, _endless, _somebody_elses, _folder])
def test_what_is_no_file_of_the_data_set_is_named(
    layout: str, make: Callable[[Path], None], tmp_path: Path
) -> None:
    """None of these may hang the reader, fill its memory, or show what lies elsewhere."""
    folder = write_layout(layout, tmp_path / "set", PAGES)
    for name in readers.open_folder(layout, folder).files():
        if layout.startswith("folder") and make is _folder:
            continue  # pages may lie in one of any name
        content = (folder / name).read_bytes()
        (folder / name).unlink()
        make(folder / name)
        with pytest.raises(GoldError) as caught:
            read_all(layout, folder)
        assert "root:" not in str(caught.value)
        (folder / name).rmdir() if make is _folder else (folder / name).unlink()
        (folder / name).write_bytes(content)
    read_all(layout, folder)


@every_layout
@pytest.mark.skipif(os.name != "posix", reason="links are made without asking on POSIX alone")
def test_links_within_the_data_set_are_followed(layout: str, tmp_path: Path) -> None:
    folder = write_layout(layout, tmp_path / "set", PAGES)
    for at, name in enumerate(readers.open_folder(layout, folder).files()):
        moved = folder / f"moved-{at}"
        (folder / name).rename(moved)
        (folder / name).symlink_to(moved)
    (tmp_path / "elsewhere").symlink_to(folder)
    read_all(layout, tmp_path / "elsewhere")


@every_layout
def test_json_that_is_nested_too_deep_is_one_line(layout: str, tmp_path: Path) -> None:
    folder = write_layout(layout, tmp_path, PAGES)
    if layout.startswith("folder"):
        (folder / "pages.jsonl").write_text("{}", encoding="utf-8")
    deep = '{"id":' * 100_000
    facts = [path for path in folder.rglob("*.json*") if path.is_file()]
    for path in facts:
        path.write_text(deep, encoding="utf-8")
    if not facts:
        return  # a layout without JSON
    with pytest.raises(GoldError, match=r"\.json") as caught:
        read_all(layout, folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["b.html", "b.html.gz", "b.txt"])
def test_a_file_that_is_too_long_is_named_before_it_fills_the_memory(
    name: str, tmp_path: Path
) -> None:
    folder = write_layout("folder", tmp_path, {"a": (b"x", "x"), "b": (b"x", "x")})
    (folder / "b.html").unlink()
    with (
        gzip.open(folder / name, "wb", 1)
        if name.endswith(".gz")
        else (folder / name).open("wb") as file
    ):
        for _ in range(300):
            file.write(bytes(2**20))
    if name == "b.txt":
        (folder / "b.html").write_bytes(b"x")
    reader = readers.open_folder("folder", folder)
    tracemalloc.start()
    with pytest.raises(GoldError, match=rf"{re.escape(name)} is longer than 64 MiB; leave it out"):
        reader.read("b")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * base.FILE_BYTES
    assert reader.read("a").page.html == b"x"


def test_no_layout_is_called_as_an_extractor_is() -> None:
    from bench.adapters import registry

    assert set(registry.adapters()) & set(readers.LAYOUTS) <= set()
