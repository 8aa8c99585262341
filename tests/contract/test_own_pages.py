"""Pages of one's own: folders of any depth, lists of files, samples, some of them with gold."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.datasets import catalogue, facts
from bench.datasets.readers.base import FILE_BYTES, GoldError, in_random_order
from bench.datasets.readers.folder import FolderReader, ListReader
from bench.model import Sample
from tests.conftest import SMALL, BenchCli, html_of, write_pages


def place(root: Path, *names: str, content: bytes = b"<p>Some words of a page.</p>") -> Path:
    """Write files, those of several folders too, and return the folder they are in."""
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        packed = gzip.compress(content) if name.endswith(".gz") else content
        (root / name).write_bytes(packed)
    return root


def test_pages_at_any_depth(tmp_path: Path) -> None:
    names = ("a.html", "news/a.html", "news/2024/b.htm", "c.xhtml.gz", "news/a.txt")
    reader = FolderReader(place(tmp_path, *names))
    assert reader.ids == ["a", "c", "news/2024/b", "news/a"]
    items = {page_id: reader.read(page_id) for page_id in reader.ids}
    assert {item.page.html for item in items.values()} == {b"<p>Some words of a page.</p>"}
    assert [page_id for page_id, item in items.items() if item.gold.text] == ["news/a"]
    assert reader.beside("news/2024/b", ".txt") == tmp_path / "news" / "2024" / "b.txt"


def test_what_is_no_page_is_counted(tmp_path: Path) -> None:
    place(tmp_path, "a.html", "a.htm", "x.pdf", "y.pdf", "z/logo.png", "style.css", "README.md")
    reader = FolderReader(tmp_path)
    assert reader.ids == ["a"]
    assert reader.problems == [
        "second page of one id: a.html (a is there already)",
        "files that are no HTML: 1 .css, 2 .pdf, 1 .png",
    ]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((), "holds no page: put ID.html files there$"),
        (("a.pdf", "b.png"), r"holds no page: .* \(files that are no HTML: 1 .pdf, 1 .png\)$"),
        (("a.txt",), "holds no page"),
    ],
)
def test_a_folder_without_pages_is_one_line(
    names: tuple[str, ...], said: str, tmp_path: Path, bench_cli: BenchCli
) -> None:
    place(tmp_path / "own", *names) if names else (tmp_path / "own").mkdir()
    with pytest.raises(GoldError, match=said):
        FolderReader(tmp_path / "own")
    done = bench_cli("run", "html_text", "--gold", f"folder:{tmp_path / 'own'}")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_a_folder_in_a_folder_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(tmp_path, "own/own/a.html", "own/own/a.txt", "own/a.html")
    monkeypatch.chdir(tmp_path)
    files = ["own/a.html", "own/own/a.html", "own/own/a.txt"]
    assert list(map(str, FolderReader(Path("own")).paths())) == files


def test_a_circle_of_links_ends(tmp_path: Path) -> None:
    place(tmp_path, "in/a.html")
    (tmp_path / "in" / "again").symlink_to(tmp_path, target_is_directory=True)
    assert FolderReader(tmp_path).ids == ["in/a"]


def test_a_list_of_files(tmp_path: Path) -> None:
    place(tmp_path, "one/a.html", "two/b.htm", "two/b.txt", "two/c.html")
    pages = tmp_path / "pages.lst"
    lines = [
        "one/a.html",
        "",
        f"{tmp_path}/two/b.htm",
        "gone.html",
        "../out.html",
        "two/../one/a.html",
    ]
    pages.write_text("\n".join(lines), "utf-8")
    data_set = catalogue.open_gold(f"files:{pages}")
    assert data_set.ids == ["one/a", "two/b"]
    assert data_set.reader.problems == [
        "pages.lst, line 4: gone.html is no file",
        "pages.lst, line 5: ../out.html lies outside the list's folder; put the list above its pages",
    ]
    assert data_set.read("two/b").gold.text
    assert catalogue.name_again(data_set.name, data_set.reader.root) == f"files:{pages}"


def test_a_list_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(GoldError, match="cannot be read"):
        ListReader(tmp_path / "gone.lst")
    (tmp_path / "empty.lst").write_text("\n", "utf-8")
    with pytest.raises(GoldError, match="holds no page"):
        ListReader(tmp_path / "empty.lst")
    (tmp_path / "binary.lst").write_bytes(b"\xff\x00")
    with pytest.raises(GoldError, match="is not UTF-8"):
        ListReader(tmp_path / "binary.lst")


def test_a_bomb_among_pages_is_one_line(tmp_path: Path, bench_cli: BenchCli) -> None:
    place(tmp_path / "own", "a.html")
    place(tmp_path / "own", "bomb.html.gz", content=b"a" * (FILE_BYTES + 1))
    done = bench_cli("run", "html_text", "--gold", f"folder:{tmp_path / 'own'}")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "bomb.html.gz is longer than 64 MiB; leave it out" in done.stderr


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=5))
def test_binary_junk_is_a_page_like_others(
    tmp_path_factory: pytest.TempPathFactory, pages: list[bytes]
) -> None:
    folder = tmp_path_factory.mktemp("junk")
    for at, page in enumerate(pages):
        place(folder, f"p{at}.html", content=page)
    reader = FolderReader(folder)
    assert [reader.read(page_id).page.html for page_id in reader.ids] == pages
    assert len(facts.stated(reader)) == len(pages)


# -- samples --------------------------------------------------------------------------------------


@given(st.sets(st.text("abc/", min_size=1), min_size=1), st.integers(0, 3), st.integers(0, 9))
def test_an_order_by_chance_is_of_seed_and_ids_alone(ids: set[str], seed: int, later: int) -> None:
    order = in_random_order(ids, seed)
    assert sorted(order) == sorted(ids)
    assert order == in_random_order(sorted(ids), seed)
    more = in_random_order({*ids, f"later {later}"}, seed)
    assert [page_id for page_id in more if page_id in ids] == order


def test_a_sample_reads_its_pages_alone(tmp_path: Path) -> None:
    place(tmp_path, *(f"p{at}.html" for at in range(30)))
    every = catalogue.open_gold(f"folder:{tmp_path}")
    few, more = (every.sampled(Sample(pages, 4)) for pages in (5, 9))
    assert len(few) == 5
    assert {*few.ids} < {*more.ids}
    assert {*few.ids} != {*every.sampled(Sample(5, 5)).ids}
    assert few.hashes.pages.keys() == {*few.ids}
    assert every.sampled(Sample(30, 4)) is every


def test_a_run_on_a_sample_is_found_and_opened_again(tmp_path: Path, bench_cli: BenchCli) -> None:
    folder = write_pages(tmp_path / "own", SMALL)
    words = ("run", "html_text", "--gold", f"folder:{folder}", "--sample", "2", "--json", "-q")
    done = bench_cli(*words)
    assert done.returncode == 0, done.stderr
    assert "2 of 3 pages, drawn with seed 0" in done.stderr
    gold = json.loads(done.stdout)["gold"]
    assert (gold["pages"], gold["sample"]) == (2, {"pages": 2, "seed": 0})
    assert "finished" in bench_cli(*words).stderr
    again = json.loads(bench_cli("leaderboard", "--json").stdout)
    assert again["gold"] == gold
    other = bench_cli(*words, "--seed", "3")
    assert "found" not in other.stderr
    assert json.loads(bench_cli("survey", "--json").stdout)["gold"]["sample"]["seed"] == 3


# -- some pages with gold -------------------------------------------------------------------------


def test_scores_are_of_labelled_pages_and_the_survey_is_of_all(
    tmp_path: Path, bench_cli: BenchCli
) -> None:
    folder = write_pages(tmp_path / "own", SMALL)
    place(folder, "aaa.html", content=html_of("<p>Nobody has labelled this page.</p>").encode())
    rows = ("html_text", "gold", "boilerpy3")
    done = bench_cli("run", *rows, "--gold", f"folder:{folder}", "--json", "-q")
    assert done.returncode == 0, done.stderr
    assert "1 of 4 pages have no gold text" in done.stderr
    board = json.loads(done.stdout)
    assert board["metrics"][0]["name"] == "ngram"
    by_label = {row["label"]: row for row in board["extractors"]}
    assert by_label["gold"]["page_f1"]["value"] == 1
    assert sum(by_label["html_text"]["outcomes"].values()) == 4
    assert "Scored on 3 of 4 pages" in bench_cli("leaderboard", "--markdown").stdout
    surveyed = json.loads(bench_cli("survey", "--json").stdout)
    assert surveyed["gold"]["pages"] == 4
    assert "aaa" in {page["page"] for page in surveyed["disputed"]}
    shown = bench_cli("show", "aaa")
    assert shown.returncode == 0, shown.stderr
